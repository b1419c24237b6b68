/**
 * Which folders may import which, and what may be written in one place only: the lint rules that
 * need the whole source tree.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

export interface Source {
  /** From the repository's root, with forward slashes. */
  path: string;
  text: string;
}
export interface Violation {
  path: string;
  line: number;
  message: string;
}

interface AstNode {
  type: string;
  start: number;
  [field: string]: unknown;
}

/**
 * Folder of src -> folders it may import. The project references tell the compiler nearly the same,
 * but they do not cover dynamic imports, and they let `preload` import all of `shared`.
 */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ['shared', ['shared']],
  ['sync', ['shared', 'sync']],
  ['server', ['shared', 'sync', 'server']],
  ['preload', ['shared/contract', 'preload']],
  ['main', ['shared', 'sync', 'server', 'main']],
  ['renderer', ['shared', 'sync', 'renderer']],
  ['worker', ['shared', 'worker']],
]);
/**
 * Folder of src/renderer -> its siblings that it may not import. Imports between features are
 * checked separately.
 */
const RENDERER_MAY_NOT: ReadonlyMap<string, readonly string[]> = new Map([
  ['ui', ['data', 'state', 'features', 'app']],
  ['data', ['ui', 'state', 'features', 'app']],
  ['state', ['ui', 'features', 'app']],
  ['files', ['ui', 'data', 'state', 'features', 'app']],
  ['text', ['ui', 'data', 'state', 'files', 'features', 'app']],
]);
/** Folder -> its rooms from the ground up: a room imports from those before it only. */
const ROOMS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'src/renderer/data',
    ['encryption', 'store', 'api', 'copies', 'replica', 'editing', 'sync', 'undo'],
  ],
  [
    'src/server',
    [
      'network',
      'storage',
      'context',
      'content',
      'config',
      'audit',
      'instance',
      'auth',
      'uplink',
      'openapi',
      'http',
      'metrics',
      'pages',
      'bundle',
      'notices',
      'time-stamps',
      'mcp',
      'v1',
      'doctor',
      'thread',
    ],
  ],
  [
    'src/renderer/features/matrix',
    [
      'model',
      'marks',
      'editor',
      'conflicts',
      'clipboard',
      'find',
      'rows',
      'actions',
      'grid',
      'panel',
      'review',
      'toolbar',
      'tour',
    ],
  ],
]);
/** Packages (a pattern of names) that may not be imported in some places (a pattern of paths). */
const FOREIGN: readonly [where: RegExp, packages: RegExp, why: string][] = [
  [/^src\/(shared|sync)\//, /^(?!zod(\/|$))/, 'runs anywhere: zod is its only package'],
  [/^src\/preload\//, /^(?!electron$)/, 'is one sandboxed file: electron is its only package'],
  [/^src\/server\//, /^electron(\/|$)/, 'runs without Electron'],
  [
    /^src\/(?!server\/auth\/people)/,
    /^@?better-auth(\/|$)/,
    'loads it for people with passwords, by auth/people.ts',
  ],
  [/^src\/renderer\//, /^(node:|electron(\/|$)|express$|pg$|kysely|pino)/, 'runs in a page'],
  [/^src\//, /^@electron\/remote/, 'hands the main process to the page'],
];
/** Code that may be written in one file of src only. */
const IN_ONE_FILE: ReadonlyMap<string, (node: AstNode) => boolean> = new Map([
  ['ipcMain', (node) => isMember(node) && nameOf(node.object) === 'ipcMain'],
  ['ipcRenderer', (node) => isMember(node) && nameOf(node.object) === 'ipcRenderer'],
  ['contextBridge', (node) => isMember(node) && nameOf(node.object) === 'contextBridge'],
  [
    'new BrowserWindow',
    (node) => node.type === 'NewExpression' && nameOf(node.callee) === 'BrowserWindow',
  ],
  [
    'shell.openExternal',
    (node) => isMember(node) && nameOf(node) === 'openExternal' && nameOf(node.object) === 'shell',
  ],
  [
    'protocol.handle',
    (node) => isMember(node) && nameOf(node) === 'handle' && nameOf(node.object) === 'protocol',
  ],
]);
/** Web preferences and the only value that each may have. */
const PREFERENCES: ReadonlyMap<string, boolean> = new Map([
  ...['contextIsolation', 'sandbox', 'webSecurity'].map((name) => [name, true] as const),
  ...[
    'nodeIntegration',
    'nodeIntegrationInWorker',
    'nodeIntegrationInSubFrames',
    'webviewTag',
    'allowRunningInsecureContent',
    'experimentalFeatures',
    'navigateOnDragDrop',
    'enableBlinkFeatures',
  ].map((name) => [name, false] as const),
]);
/** Code that may not be written at all in some places. */
const FORBIDDEN: readonly [where: RegExp, test: (node: AstNode) => boolean, message: string][] = [
  [
    /^src\//,
    (node) => node.type === 'ExportAllDeclaration',
    '`export *` hides what a module offers: name the exports',
  ],
  [/^src\/(shared|sync)\//, isNow, 'the clock is an argument: no `new Date()` without one'],
  [/^src\/(main|preload)\//, isOpenPreference, 'a web preference is set to its unsafe value'],
  [
    /^src\/main\//,
    (node) => node.type === 'Identifier' && node.name === 'BrowserView',
    'one kind of window: no BrowserView',
  ],
  [
    /^src\/main\//,
    (node) =>
      (isMember(node) && nameOf(node) === 'loadFile') ||
      (node.type === 'Literal' && String(node.value).startsWith('file://')),
    'pages come from app://studio: no file://',
  ],
];

function isMember(node: AstNode): boolean {
  return node.type === 'MemberExpression';
}
/** The last name of a callee: both `x` and `anything.x` are called x. */
function nameOf(value: unknown): string | undefined {
  const node = value as AstNode | null | undefined;
  if (node?.type === 'Identifier') return node.name as string;
  if (node?.type === 'MemberExpression') return nameOf(node.property);
  return undefined;
}
function isNow(node: AstNode): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
  return (
    nameOf(node.callee) === 'Date' &&
    (node.type === 'CallExpression' || (node.arguments as unknown[]).length === 0)
  );
}
function isOpenPreference(node: AstNode): boolean {
  const safe = node.type === 'Property' ? PREFERENCES.get(nameOf(node.key) ?? '') : undefined;
  const value = (node.value as AstNode | null)?.value;
  return safe !== undefined && typeof value === 'boolean' && value !== safe;
}

/** Every node below a value, each before those inside it. */
function visit(value: unknown, each: (node: AstNode) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value) && typeof (value as AstNode).type === 'string') each(value as AstNode);
  for (const field of Object.values(value)) visit(field, each);
}

/**
 * The module that a node names: of imports and re-exports, of values and types, static and dynamic.
 */
function specifierOf(node: AstNode): string | undefined {
  if (
    ![
      'ImportDeclaration',
      'ImportExpression',
      'ExportNamedDeclaration',
      'ExportAllDeclaration',
      'TSImportType',
    ].includes(node.type)
  )
    return undefined;
  const value = (node.source as AstNode | null)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Why `from` may not import `specifier`, or undefined. */
function refusal(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) {
    const rule = FOREIGN.find(([where, packages]) => where.test(from) && packages.test(specifier));
    return rule && `${from.split('/').slice(0, 2).join('/')} ${rule[2]}: no ${specifier}`;
  }
  const to = path.posix.join(path.posix.dirname(from), specifier);
  const up = upwards(from, to);
  if (up !== undefined) return up;
  const [, zone = '', part = '', feature = ''] = from.split('/');
  const allowed = MAY_IMPORT.get(zone);
  if (allowed && !allowed.some((folder) => to.startsWith(`src/${folder}/`)))
    return `src/${zone} may not import ${to}`;
  if (zone !== 'renderer') return undefined;
  if (RENDERER_MAY_NOT.get(part)?.some((folder) => to.startsWith(`src/renderer/${folder}/`)))
    return `src/renderer/${part} may not import ${to}`;
  const other =
    part === 'features' &&
    to.startsWith('src/renderer/features/') &&
    !to.startsWith(`src/renderer/features/${feature}/`);
  return other ? `a feature may not import another: ${to}` : undefined;
}

/** Why a room may not import `to`: it is a higher one, or the file that holds all rooms. */
function upwards(from: string, to: string): string | undefined {
  for (const [house, rooms] of ROOMS) {
    if (!from.startsWith(`${house}/`) || !to.startsWith(`${house}/`)) continue;
    const roomOf = (file: string): string => file.slice(house.length + 1).split('/')[0] ?? '';
    const [floor, other] = [rooms.indexOf(roomOf(from)), rooms.indexOf(roomOf(to))];
    if (floor >= 0 && (other < 0 || other > floor)) return `a room imports downwards only: ${to}`;
  }
  return undefined;
}

/** Every violation in these files, in their order. */
export function checkSources(sources: readonly Source[]): Violation[] {
  const violations: Violation[] = [];
  const firstUse = new Map<string, string>();
  for (const { path: file, text } of sources) {
    const report = (node: AstNode, message: string): unknown =>
      violations.push({ path: file, line: text.slice(0, node.start).split('\n').length, message });
    const { program, errors } = parseSync(file, text);
    if (errors.length > 0) violations.push({ path: file, line: 1, message: 'cannot be parsed' });
    const forbidden = FORBIDDEN.filter(([where]) => where.test(file));
    visit(program, (node) => {
      const specifier = specifierOf(node);
      const refused = specifier === undefined ? undefined : refusal(file, specifier);
      if (refused !== undefined) report(node, refused);
      for (const [, test, message] of forbidden) if (test(node)) report(node, message);
      for (const [what, test] of IN_ONE_FILE) {
        if (!test(node)) continue;
        const first = firstUse.get(what) ?? file;
        firstUse.set(what, first);
        if (first !== file) report(node, `${what} belongs in one file, and ${first} has it`);
      }
    });
  }
  return violations;
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..');
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
  const violations = checkSources(
    files.map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') })),
  );
  for (const { path: file, line, message } of violations)
    console.error(`${file}:${line}: ${message}`);
  if (violations.length > 0) process.exit(1);
  console.log(`boundaries: ${files.length} files, nothing to object to`);
}
