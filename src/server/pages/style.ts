/** The one style sheet of the pages that the server itself writes. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b2330, #e4e8ee); --soft: light-dark(#5a6576, #9aa6b6); --line: light-dark(#d9dee6, #323a46);
  --paper: light-dark(#ffffff, #14181f); --panel: light-dark(#f5f7fa, #1b212a); --accent: light-dark(#1f5fa8, #7db4f0); --bad: light-dark(#a03333, #f09a9a); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 46rem; margin: 12vh auto 4rem; padding: 0 1.5rem; }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--soft); }
h2 { margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin: 2rem 0 .5rem; font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1.25rem 0 .25rem; font-size: .9rem; color: var(--soft); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .9rem 1.1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; overflow-wrap: break-word; }
th[scope=row] { white-space: nowrap; }
thead th { color: var(--soft); }
summary { margin-top: 1rem; color: var(--accent); cursor: pointer; }
.method { display: inline-block; min-width: 4rem; padding: .1rem .5rem; border: 1px solid currentColor; border-radius: 5px; font-size: .8rem; text-align: center; color: var(--soft); }
.method.post { color: light-dark(#1d6b45, #74c79c); }
.method.delete { color: light-dark(#a03333, #f09a9a); }
body.wide { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
body.wide main { max-width: 60rem; margin: 0; padding: 2.5rem clamp(1.5rem, 4vw, 4rem) 6rem; }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; padding: 2rem 1.25rem; background: var(--panel); border-right: 1px solid var(--line); font-size: .875rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav .brand { display: block; margin-bottom: 1rem; font-weight: 600; color: var(--ink); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { margin: .3rem 0; }
nav ul ul { padding-left: .9rem; }
form { display: grid; gap: 1.1rem; max-width: 26rem; }
.field { display: grid; gap: .3rem; }
label { font-weight: 600; }
.field small, .hint { color: var(--soft); }
input { padding: .55rem .7rem; font: inherit; font-weight: 400; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
input[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
button { justify-self: start; padding: .55rem 1.2rem; font: inherit; font-weight: 600; color: light-dark(#ffffff, #14181f); background: var(--accent); border: 1px solid transparent; border-radius: 6px; cursor: pointer; }
.problem { padding: .7rem 1rem; border: 1px solid var(--bad); border-left-width: 5px; border-radius: 6px; }
.field .wrong { color: var(--bad); }
@media (max-width: 52rem) { body.wide { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); } }
`;
