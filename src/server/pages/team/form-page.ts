import { escapeHtml, plainPage } from '../layout.ts';

export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: string;
  hint?: string;
}

export interface FormPage {
  title: string;
  /** HTML above and below the form. */
  intro?: string;
  outro?: string;
  action: string;
  fields: readonly FormField[];
  button: string;
  /** Path of a script for the page. */
  script?: string;
  /** Values entered before, except passwords. */
  given?: Readonly<Record<string, string>>;
  /** A problem of the form as a whole, and the field to try again, which is described by it. */
  problem?: string | undefined;
  again?: string;
  /** The problem of each field. */
  wrong?: ReadonlyMap<string, string>;
  /** Hidden fields. */
  hidden: Readonly<Record<string, string>>;
}

function fieldHtml(
  { name, label, type, autocomplete, hint }: FormField,
  { given = {}, wrong, problem: whole, again }: FormPage,
  isFirst: boolean,
): string {
  const problem = wrong?.get(name);
  const notes = [
    hint !== undefined && `<small id="${name}-hint">${escapeHtml(hint)}</small>`,
    problem !== undefined && `<span class="wrong" id="${name}-wrong">${escapeHtml(problem)}</span>`,
  ].filter((note) => note !== false);
  const described = [
    whole !== undefined && name === again && 'problem',
    hint !== undefined && `${name}-hint`,
    problem !== undefined && `${name}-wrong`,
  ]
    .filter((id) => id !== false)
    .join(' ');
  const value = type === 'password' ? '' : ` value="${escapeHtml(given[name] ?? '')}"`;
  const about =
    `${described === '' ? '' : ` aria-describedby="${described}"`}` +
    `${problem === undefined ? '' : ' aria-invalid="true"'}${isFirst ? ' autofocus' : ''}`;
  const spelling = type === 'text' ? '' : ' autocapitalize="none" spellcheck="false"';
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${spelling}${value}${about}>
${notes.join('\n')}</div>`;
}

/** A form without scripts. A problem is shown at its field and above the form. */
export function formPage(page: FormPage): string {
  const {
    title,
    script,
    intro = '',
    outro = '',
    action,
    fields,
    button,
    problem,
    again,
    wrong,
    hidden,
  } = page;
  const first =
    fields.find(({ name }) => (problem === undefined ? wrong?.has(name) : name === again)) ??
    fields[0];
  const said = problem ?? ((wrong?.size ?? 0) > 1 ? 'Some fields need another look.' : undefined);
  const unseen = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return plainPage(
    title,
    `<main>
<h1>${escapeHtml(title)}</h1>
${intro}
${said === undefined ? '' : `<p class="problem" id="problem" role="alert">${escapeHtml(said)}</p>`}
<form method="post" action="${escapeHtml(action)}">
${[...unseen, ...fields.map((field) => fieldHtml(field, page, field === first))].join('\n')}
<button>${escapeHtml(button)}</button>
</form>
${outro}
</main>`,
    { script },
  );
}
