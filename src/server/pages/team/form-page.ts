import { escapeHtml, plainPage } from '../layout.ts';
import type { Speech } from '../text/speech.ts';

export interface FormField {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: string;
  hint?: string;
}

/** Texts are said in the reader's language where they have no values in them. */
export interface FormPage {
  title: string;
  /** A sentence above the form. */
  about?: string;
  /** HTML above and below the form. */
  intro?: string;
  outro?: string;
  /** Sentences below the form. */
  notes?: readonly string[];
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
  { isFirst, say }: { isFirst: boolean; say: Speech['say'] },
): string {
  const problem = wrong?.get(name);
  const notes = [
    hint !== undefined && `<small id="${name}-hint">${escapeHtml(say(hint))}</small>`,
    problem !== undefined &&
      `<span class="wrong" id="${name}-wrong">${escapeHtml(say(problem))}</span>`,
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
  return `<div class="field"><label for="${name}">${escapeHtml(say(label))}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required${spelling}${value}${about}>
${notes.join('\n')}</div>`;
}

/** A form without scripts. A problem is shown at its field and above the form. */
export function formPage(page: FormPage, { language, say }: Speech): string {
  const {
    script,
    about,
    intro = '',
    outro = '',
    notes = [],
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
  const title = say(page.title);
  const said = problem ?? ((wrong?.size ?? 0) > 1 ? 'Some fields need another look.' : undefined);
  const unseen = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return plainPage(
    title,
    `<main>
<h1>${escapeHtml(title)}</h1>
${about === undefined ? intro : `<p>${escapeHtml(say(about))}</p>`}
${said === undefined ? '' : `<p class="problem" id="problem" role="alert">${escapeHtml(say(said))}</p>`}
<form method="post" action="${escapeHtml(action)}">
${[...unseen, ...fields.map((field) => fieldHtml(field, page, { isFirst: field === first, say }))].join('\n')}
<button>${escapeHtml(say(button))}</button>
</form>
${notes.length === 0 ? outro : `<p class="hint">${notes.map((note) => escapeHtml(say(note))).join(' ')}</p>`}
</main>`,
    { script, language },
  );
}
