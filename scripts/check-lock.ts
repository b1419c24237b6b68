/**
 * Every dependency that a package of package-lock.json names, the optional ones of other systems
 * too, has its place there: `npm ci` refuses the file otherwise.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Locked {
  name?: string;
  version?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}
interface Lock {
  packages: Record<string, Locked>;
}
/** The fields used here of package.json. */
type Manifest = Pick<Locked, 'dependencies' | 'devDependencies' | 'optionalDependencies'>;

/** Where Node finds `name` from the package at `place`. */
function isFound(packages: Lock['packages'], place: string, name: string): boolean {
  for (let folder = place; ;) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true;
    if (folder === '') return false;
    const up = folder.lastIndexOf('/node_modules/');
    folder = up < 0 ? '' : folder.slice(0, up);
  }
}

/** One line for each thing that `npm ci` would refuse. */
export function checkLock(lock: Lock, manifest: Manifest): string[] {
  const problems: string[] = [];
  for (const [place, found] of Object.entries(lock.packages)) {
    const peers = Object.keys(found.peerDependencies ?? {}).filter(
      (name) => found.peerDependenciesMeta?.[name]?.optional !== true,
    );
    const needed = {
      ...found.dependencies,
      ...found.optionalDependencies,
      ...(place === '' && found.devDependencies),
    };
    for (const name of [...Object.keys(needed), ...peers])
      if (!isFound(lock.packages, place, name))
        problems.push(`${place === '' ? 'package.json' : place} needs ${name}, which is missing`);
  }
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const) {
    const [here, there] = [manifest[kind] ?? {}, lock.packages['']?.[kind] ?? {}];
    for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
      if (here[name] !== there[name])
        problems.push(`${name}: package.json has ${here[name]}, the lock ${there[name]}`);
      const version = lock.packages[`node_modules/${name}`]?.version;
      if (here[name] !== undefined && version !== undefined && version !== here[name])
        problems.push(`${name}: package.json has ${here[name]}, the lock installs ${version}`);
    }
  }
  return problems;
}

if (import.meta.main) {
  const read = (name: string): string =>
    readFileSync(path.join(import.meta.dirname, '..', name), 'utf8');
  const problems = checkLock(
    JSON.parse(read('package-lock.json')) as Lock,
    JSON.parse(read('package.json')) as Manifest,
  );
  for (const problem of problems) console.error(`package-lock.json: ${problem}`);
  if (problems.length > 0) process.exit(1);
  console.log('lock: every dependency has its place');
}
