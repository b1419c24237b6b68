/**
 * `node scripts/check-texts.ts`: which texts of the pages are not in every catalogue.
 *
 * With `--missing FOLDER` it prints, as JSON, those that the code under that folder says and the
 * German catalogue has not.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import { parseSync } from 'vite';

interface AstNode {
  type: string;
  start: number;
  [field: string]: unknown;
}
export interface SaidText {
  /** What the catalogue has it under: the message, with its meaning if it has one. */
  key: string;
  message: string;
  file: string;
  hasValues: boolean;
}
export interface TextCheck {
  said: SaidText[];
  problems: string[];
}

/** Attributes and members of an object that a reader sees or hears. */
const SHOWN = new Set([
  'action',
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'caption',
  'description',
  'detail',
  'empty',
  'headerName',
  'headerTooltip',
  'heading',
  'hint',
  'label',
  'legend',
  'message',
  'note',
  'placeholder',
  'summary',
  'title',
  'tooltip',
]);
const SAYING = new Set(['t', 'tAs', 'rich']);

const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && 'type' in value;

function* childrenOf(node: AstNode): Generator<AstNode> {
  for (const value of Object.values(node))
    if (Array.isArray(value)) yield* value.filter(isNode);
    else if (isNode(value)) yield value;
}

const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text);

/** The text of a literal, or of a template without values. */
function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type === 'JSXExpressionContainer') return literal(node['expression']);
  if (node.type === 'TemplateLiteral') {
    const quasis = node['quasis'] as { value: { cooked: string } }[];
    return quasis.length === 1 ? quasis[0]!.value.cooked : undefined;
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const [left, right] = [literal(node['left']), literal(node['right'])];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

const nameOf = (node: unknown): string | undefined =>
  !isNode(node)
    ? undefined
    : typeof node['name'] === 'string'
      ? node['name']
      : typeof node['value'] === 'string'
        ? node['value']
        : undefined;

/** What one file says by these functions, and where it says a thing that no catalogue can have. */
export function textsOf(
  file: string,
  text: string,
  saying: ReadonlySet<string> = SAYING,
): TextCheck {
  const found: TextCheck = { said: [], problems: [] };
  const lineOf = (at: number) => text.slice(0, at).split('\n').length;
  const object = (node: AstNode, what: string) =>
    found.problems.push(`${file}:${lineOf(node.start)} ${what}`);

  function call(node: AstNode, name: string): void {
    const given = node['arguments'] as AstNode[];
    const [meaning, message, values] =
      name === 'tAs'
        ? [literal(given[0]), literal(given[1]), given[2]]
        : [undefined, literal(given[0]), given[1]];
    if (message === undefined) object(node, `${name}() without a text that stands there`);
    else
      found.said.push({
        key: meaning === undefined ? message : `${message} [${meaning}]`,
        message,
        file,
        hasValues: values !== undefined,
      });
  }

  function walk(node: AstNode): void {
    if (node.type === 'CallExpression' && saying.has(nameOf(node['callee']) ?? ''))
      call(node, nameOf(node['callee'])!);
    else if (node.type === 'JSXText' && hasWord(String(node['value'])))
      object(node, `says "${String(node['value']).trim()}" without a catalogue`);
    else if (node.type === 'JSXAttribute' || node.type === 'Property') {
      const name = nameOf(node[node.type === 'Property' ? 'key' : 'name']);
      const value = literal(node['value']);
      if (name !== undefined && SHOWN.has(name) && value !== undefined && hasWord(value))
        object(node, `has ${name} "${value}" without a catalogue`);
    }
    for (const child of childrenOf(node)) walk(child);
  }
  walk(parseSync(file, text).program as unknown as AstNode);
  return found;
}

/** The names of the values and elements in a message, in order. */
function argumentsOf(message: string): string[] {
  const names = new Set<string>();
  (function collect(elements: ReturnType<typeof parse>): void {
    for (const element of elements) {
      if ('value' in element && element.type !== 0) names.add(String(element.value));
      if ('options' in element)
        for (const { value } of Object.values(element.options)) collect(value);
      if ('children' in element) collect(element.children);
    }
  })(parse(message));
  return [...names].sort();
}

/** What is wrong between the texts that are said and a catalogue. */
export function compareTexts(
  said: readonly SaidText[],
  catalogue: Readonly<Record<string, string>>,
  shared: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  const keys = new Set(said.map(({ key }) => key));
  for (const { key, message, file, hasValues } of said) {
    const translated = catalogue[key] ?? catalogue[message];
    if (translated === undefined) problems.push(`${file} "${key}" is not translated`);
    else if (hasValues) {
      const [from, to] = [argumentsOf(message), argumentsOf(translated)];
      if (from.join() !== to.join())
        problems.push(`"${key}" has the values ${from.join()}, its translation ${to.join()}`);
    }
  }
  const messages = new Set(said.map(({ message }) => message));
  for (const key of Object.keys(catalogue))
    if (!keys.has(key) && !messages.has(key) && !shared.has(key))
      problems.push(`"${key}" is translated and said nowhere`);
  return problems;
}

/** Speaks, and has nothing to say itself. */
const TEXT_ROOM = path.join('src/renderer/text/');
export const ROOT = path.resolve(import.meta.dirname, '..');

/** The words of every file of the pages. */
export function allTexts(): TextCheck {
  const all: TextCheck = { said: [], problems: [] };
  for (const file of globSync('src/renderer/**/*.{ts,tsx}', { cwd: ROOT })) {
    if (file.startsWith(TEXT_ROOM)) continue;
    const { said, problems } = textsOf(file, readFileSync(path.join(ROOT, file), 'utf8'));
    all.said.push(...said);
    all.problems.push(...problems);
  }
  return all;
}

/** By file of the catalogue. */
export function readCatalogue(language: string): Record<string, Record<string, string>> {
  return Object.fromEntries(
    globSync(`src/renderer/text/${language}/*.json`, { cwd: ROOT }).map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')),
    ]),
  );
}

if (import.meta.main) {
  const { said, problems } = allTexts();
  const parts = readCatalogue('de');
  const catalogue = Object.assign({}, ...Object.values(parts));
  if (process.argv[2] === '--missing') {
    const folder = process.argv[3] ?? '';
    const keys = said
      .filter(({ key, message, file }) => {
        return file.startsWith(folder) && !(key in catalogue) && !(message in catalogue);
      })
      .map(({ key }) => [key, '']);
    console.log(JSON.stringify(Object.fromEntries(keys), null, 2));
  } else {
    const all = [
      ...problems,
      ...compareTexts(said, catalogue, new Set(Object.keys(parts['shared'] ?? {}))),
    ];
    for (const problem of all) console.log(problem);
    console.log(`${said.length} texts, ${all.length} problems`);
    process.exitCode = all.length === 0 ? 0 : 1;
  }
}
