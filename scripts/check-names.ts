/**
 * `node scripts/check-names.ts`: which names of types, interfaces, classes and enums are declared
 * in more than one file of src. A newcomer who reads such a name cannot know which of them is
 * meant.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';

export interface Source {
  path: string;
  text: string;
}
export interface NameCount {
  /** How many different names there are. */
  names: number;
  /** Name -> the files that declare it, where there are several. */
  homonyms: Map<string, string[]>;
  /** Percent of the names that are declared in several files. */
  share: number;
}

/** Percent of the names that may be homonyms. */
const LIMIT = 2;

const DECLARATIONS = new Set([
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSEnumDeclaration',
  'ClassDeclaration',
]);

/** The names that the statements of a module declare, exported or not. */
function declaredIn({ path: file, text }: Source): Set<string> {
  const names = new Set<string>();
  for (const statement of parseSync(file, text).program.body) {
    const exported =
      statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const node = exported ? statement.declaration : statement;
    if (node === null || !DECLARATIONS.has(node.type)) continue;
    if ('id' in node && node.id !== null && 'name' in node.id) names.add(node.id.name);
  }
  return names;
}

export function countNames(sources: readonly Source[]): NameCount {
  const homes = new Map<string, string[]>();
  for (const source of sources)
    for (const name of declaredIn(source))
      homes.set(name, [...(homes.get(name) ?? []), source.path]);
  const homonyms = new Map([...homes].filter(([, files]) => files.length > 1));
  return {
    names: homes.size,
    homonyms,
    share: homes.size === 0 ? 0 : (100 * homonyms.size) / homes.size,
  };
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '..');
  const { names, homonyms, share } = countNames(
    globSync('src/**/*.{ts,tsx}', { cwd: root }).map((file) => ({
      path: file.replaceAll('\\', '/'),
      text: readFileSync(path.join(root, file), 'utf8'),
    })),
  );
  for (const [name, files] of homonyms) console.log(`${name}: ${files.join(', ')}`);
  console.log(`${homonyms.size} of ${names} names (${share.toFixed(1)} %), limit ${LIMIT} %`);
  if (share > LIMIT) process.exitCode = 1;
}
