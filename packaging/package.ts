/**
 * `npm run package [FORM …]`: the packages that can be made on this machine, in `dist/packages`,
 * with SBOM, licences and checksums. docs/releasing.md says what each form is.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { buildIfNeeded } from '../scripts/build.ts';
import { packContainer } from './container.ts';
import { buildFolder, packArchive, packInstallers, stageApp } from './desktop.ts';
import { drawIcons } from './icons.ts';
import { packDeb, packRpm, stageTree } from './linux.ts';
import { packOffline } from './offline.ts';
import { checkParts, writeParts } from './parts.ts';
import { DIST, hasTool, MANIFEST, PACKAGES, PARTS, ROOT } from './project.ts';
import { packedRuntime, prefixOf } from './runtime.ts';
import { buildServer, packExecutable, packTarball, SERVER_STAMP, stageServer } from './server.ts';

const TOOLS = path.join(import.meta.dirname, 'node_modules');
const DESKTOP = ['folder', 'tar', 'deb', 'rpm'] as const;
const FORMS = [
  'server',
  'npm',
  'executable',
  'container',
  ...DESKTOP,
  'installer',
  'offline',
] as const;
type Form = (typeof FORMS)[number];
const NEEDS: Partial<Record<Form, string>> = {
  deb: 'dpkg-deb',
  rpm: 'rpmbuild',
  container: 'buildah',
};

interface Made {
  form: Form;
  file: string;
  seconds: number;
}

/** What is made where nothing is asked for. The rest needs tools from outside, or time. */
const USUAL: readonly Form[] =
  process.platform === 'linux'
    ? ['server', 'npm', 'executable', 'container', ...DESKTOP]
    : ['server', 'npm', 'installer'];

/** The forms asked for, or the usual; exits with a sentence for a word that is none. */
function asked(words: readonly string[]): Form[] {
  const unknown = words.filter((word) => !FORMS.some((form) => form === word));
  if (unknown.length > 0) {
    console.error(`No such form: ${unknown.join(', ')}. There are ${FORMS.join(', ')}.`);
    process.exit(2);
  }
  return words.length === 0 ? [...USUAL] : FORMS.filter((form) => words.includes(form));
}

/** The tools of `packaging/package-lock.json`, which a clone does without until it packs. */
function installTools(): void {
  const stamp = path.join(TOOLS, '.package-lock.json');
  const lock = path.join(import.meta.dirname, 'package-lock.json');
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log('Installing the tools of packaging/ …');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  if (status === 0) return;
  console.error(
    'The tools of packaging/ are missing, and npm could not install them: it needs the registry, once.',
  );
  process.exit(1);
}

const made: Made[] = [];
async function make(form: Form, work: () => string | Promise<string>): Promise<void> {
  const began = performance.now();
  const file = await work();
  made.push({ form, file, seconds: (performance.now() - began) / 1_000 });
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Size of a file, or of all files below a folder. */
function size(file: string): number {
  if (!statSync(file).isDirectory()) return statSync(file).size;
  return readdirSync(file, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(path.join(file, name)))
    .reduce((sum, facts) => sum + (facts.isFile() ? facts.size : 0), 0);
}

async function packDesktop(forms: readonly Form[]): Promise<void> {
  const electron = packedRuntime();
  if (electron === undefined) {
    console.log('No Electron runtime here: the forms of the desktop are left out.');
    return;
  }
  await drawIcons();
  stageApp(electron);
  if (forms.includes('installer')) await make('installer', () => packInstallers(electron));
  if (!DESKTOP.some((form) => forms.includes(form))) return;
  await make('folder', () => {
    buildFolder(electron);
    return path.join(DIST, 'desktop/linux-unpacked');
  });
  if (forms.includes('tar')) await make('tar', () => packArchive(electron));
  if (!forms.includes('deb') && !forms.includes('rpm')) return;
  stageTree();
  if (forms.includes('deb')) await make('deb', () => packDeb(electron));
  if (forms.includes('rpm')) await make('rpm', () => packRpm(electron));
}

/** SBOM and licences beside the packages. */
function addParts(): void {
  const prefix = prefixOf(packedRuntime() ?? { isCheckOnly: false });
  for (const [from, to] of [
    ['sbom.cdx.json', `${prefix}evidence-studio-${MANIFEST.version}.cdx.json`],
    ['LICENCES.txt', `evidence-studio-${MANIFEST.version}.LICENCES.txt`],
  ] as const)
    writeFileSync(path.join(PACKAGES, to), readFileSync(path.join(PARTS, from)));
}

/** The checksums of all that may be handed on. */
function writeSums(): void {
  const files = readdirSync(PACKAGES)
    .filter((name) => !name.startsWith('SHA256SUMS'))
    .toSorted();
  const lines = files.map((name) => `${sha256(path.join(PACKAGES, name))}  ${name}\n`);
  writeFileSync(path.join(PACKAGES, 'SHA256SUMS'), lines.join(''));
}

function showTable(): void {
  console.log('\n| form | file | MB | s |\n|---|---|---|---|');
  for (const { form, file, seconds } of made) {
    const megabytes = (size(file) / 1e6).toFixed(1);
    console.log(
      `| ${form} | ${path.relative(ROOT, file)} | ${megabytes} | ${seconds.toFixed(1)} |`,
    );
  }
}

const forms = asked(process.argv.slice(2)).filter((form) => {
  const tool = NEEDS[form];
  if (tool === undefined || hasTool(tool)) return true;
  console.log(`${form}: left out, there is no ${tool} here.`);
  return false;
});
if (forms.some((form) => form !== 'server' && form !== 'npm')) installTools();
// An image has the pages alone.
if (forms.length > 1 || forms[0] !== 'server') await buildIfNeeded();
rmSync(PACKAGES, { recursive: true, force: true });
mkdirSync(PACKAGES, { recursive: true });
buildServer();
checkParts(writeParts(packedRuntime()), SERVER_STAMP);
await make('server', () => stageServer());
if (forms.includes('npm')) await make('npm', packTarball);
if (forms.includes('executable')) await make('executable', packExecutable);
if (forms.includes('container')) await make('container', packContainer);
if ([...DESKTOP, 'installer'].some((form) => forms.some((wanted) => wanted === form)))
  await packDesktop(forms);
addParts();
writeSums();
if (forms.includes('offline')) {
  // The archive holds the checksums of what is in it; its own stands beside it.
  await make('offline', packOffline);
  writeSums();
}
showTable();
