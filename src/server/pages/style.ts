/**
 * The one style sheet of the pages that the server itself writes; its colours are the studio's
 * tokens.
 */
export const STYLE = `
:root { color-scheme: light dark; --bg: light-dark(#f5f6f6, #0f1213);
  --surface: light-dark(#ffffff, #171b1d); --surface-2: light-dark(#edf0f0, #1f2527);
  --border: light-dark(#d6dbdc, #31393c); --border-strong: light-dark(#7f898c, #727e83);
  --text: light-dark(#15191b, #e7ebec); --text-muted: light-dark(#525c60, #a2adb1);
  --accent: light-dark(#0d5956, #63c2b9); --accent-hover: light-dark(#0a4745, #83d3cb);
  --accent-text: light-dark(#ffffff, #06201e); --focus: light-dark(#1557c0, #8ab8ff);
  --danger: light-dark(#a81b28, #ff9a9a); --danger-soft: light-dark(#fbe9ea, #3a1a1d);
  --false-solid: light-dark(#2f6fb3, #5a9bdd); --true-solid: light-dark(#bf4713, #e07a48); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--text);
  background: var(--bg); }
main { max-width: 30rem; margin: 0 auto 4rem; padding: 0 1.5rem; }
.brand { display: flex; align-items: center; gap: .6rem; font-weight: 650; }
header.brand { max-width: 30rem; margin: min(10vh, 5rem) auto 1.75rem; padding: 0 1.5rem; }
.mark-false { fill: var(--false-solid); }
.mark-true { fill: var(--true-solid); }
.mark-open { fill: none; stroke: var(--border-strong); stroke-width: 1.5; stroke-dasharray: 2 1.4; }
a { color: var(--accent); }
a:focus-visible, input:focus-visible, button:focus-visible, summary:focus-visible,
  .scroll:focus-visible, pre:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; }
h1 small { font-size: 1rem; font-weight: 400; color: var(--text-muted); }
h2 { margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--border); }
h1 + h2 { margin-top: 1.5rem; }
h3 { margin: 2rem 0 .5rem; font-size: 1.05rem; overflow-wrap: anywhere; }
h4 { margin: 1.25rem 0 .25rem; font-size: .9rem; color: var(--text-muted); }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
pre { padding: .9rem 1.1rem; overflow-x: auto; background: var(--surface-2);
  border: 1px solid var(--border); border-radius: 8px; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .75rem .35rem 0; text-align: start; vertical-align: top;
  border-bottom: 1px solid var(--border); font-weight: 400; overflow-wrap: break-word; }
th[scope=row] { white-space: nowrap; }
.names th[scope=row], dd { font-family: ui-monospace, monospace; font-size: .875em; }
dl { display: grid; grid-template-columns: 3rem 1fr; gap: .2rem .5rem; margin: .25rem 0;
  font-size: .9rem; }
dt { color: var(--text-muted); }
dd { margin: 0; overflow-wrap: anywhere; }
main > p, .operation > p { max-width: 44rem; }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr));
  gap: 1rem 1.5rem; font-size: .9rem; }
.groups h3 { margin: 0 0 .25rem; }
.groups ul, ul.names { margin: 0; padding: 0; list-style: none; }
.groups li { margin: .3rem 0; }
ul.names { columns: 13rem; font-size: .9rem; }
.names li { margin: 0 0 .6rem; }
li:target, .operation:target > h3 { outline: 2px solid var(--border-strong); outline-offset: 4px;
  border-radius: 4px; }
:target { scroll-margin-top: 2rem; }
thead th { color: var(--text-muted); }
summary { margin-top: 1rem; color: var(--accent); cursor: pointer; }
.method { display: inline-block; min-width: 4rem; padding: .1rem .5rem;
  border: 1px solid currentColor; border-radius: 5px; font-size: .8rem; text-align: center;
  color: var(--text-muted); }
.method.post { color: var(--accent); }
.method.delete { color: var(--danger); }
body.wide { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
body.wide main { max-width: 60rem; margin: 0; padding: 2.5rem clamp(1.5rem, 4vw, 4rem) 6rem; }
nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto;
  padding: 2rem 1.25rem; background: var(--surface-2); border-inline-end: 1px solid var(--border);
  font-size: .875rem; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 650; color: var(--text); }
nav .brand { margin-bottom: 1rem; color: var(--text); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { margin: .3rem 0; }
nav ul ul { padding-inline-start: .9rem; }
form { display: grid; gap: 1.1rem; margin: 1.5rem 0; }
.field { display: grid; gap: .3rem; }
label { font-weight: 600; }
.field small, .hint { color: var(--text-muted); }
input { min-width: 0; padding: .55rem .7rem; font: inherit; font-weight: 400; color: inherit;
  background: var(--surface); border: 1px solid var(--border-strong); border-radius: 6px; }
input[aria-invalid=true] { border-color: var(--danger); border-width: 2px; }
button { justify-self: start; padding: .55rem 1.2rem; font: inherit; font-weight: 600;
  color: var(--accent-text); background: var(--accent); border: 1px solid transparent;
  border-radius: 6px; cursor: pointer; }
button:hover { background: var(--accent-hover); }
.problem { padding: .7rem 1rem; background: var(--danger-soft); border: 1px solid var(--danger);
  border-inline-start-width: 5px; border-radius: 6px; }
.field .wrong { color: var(--danger); }
@media (max-width: 52rem) {
  body.wide { display: block; }
  nav { position: static; height: auto; max-height: 40vh; border-inline-end: 0;
    border-bottom: 1px solid var(--border); }
  nav > ul { columns: 2; }
}
`;
