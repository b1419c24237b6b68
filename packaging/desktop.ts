import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PackedSource } from '../src/main/updates/feed.ts';
import {
  archive,
  copyBuild,
  DIST,
  MAINTAINER,
  MANIFEST,
  PACKAGES,
  PARTS,
  ROOT,
  run,
  settle,
} from './project.ts';
import { type ElectronRuntime, prefixOf, versionOf } from './runtime.ts';

const APP = path.join(DIST, 'app');
/** The application as its folder: what tar.gz, deb and rpm hold. */
export const FOLDER = path.join(DIST, 'desktop/linux-unpacked');
const RUNTIME = path.join(DIST, 'electron');
/** Below the folder, in a package that is only for checks. */
const CHECK_ONLY = 'resources/CHECK-ONLY';

/** What goes into `app.asar`: the builds with their packages inside, and no `node_modules`. */
export function stageApp(electron: ElectronRuntime): void {
  rmSync(APP, { recursive: true, force: true });
  for (const part of ['main', 'preload', 'renderer'])
    copyBuild(path.join(ROOT, 'out', part), path.join(APP, 'out', part));
  copyBuild(path.join(DIST, 'out/server'), path.join(APP, 'out/server'));
  const { name, description, license } = MANIFEST;
  const manifest = {
    name,
    productName: 'Evidence Studio',
    version: versionOf(electron),
    description,
    license,
    author: MAINTAINER,
    type: 'module',
    main: electron.isCheckOnly ? 'check-only.js' : 'out/main/index.js',
    desktopName: 'evidence-studio.desktop',
  };
  if (electron.isCheckOnly)
    copyFileSync(path.join(ROOT, 'packaging/check-only.js'), path.join(APP, 'check-only.js'));
  writeFileSync(path.join(APP, 'updates.json'), `${JSON.stringify(updateSource(electron))}\n`);
  writeFileSync(path.join(APP, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  settle(APP);
}

/** Where the package will look for updates; in one for checks also what the environment names. */
function updateSource({ isCheckOnly }: ElectronRuntime): PackedSource {
  const named = isCheckOnly ? process.env.UPDATES_FOR_CHECKS : undefined;
  const file = named || path.join(ROOT, 'packaging/updates.json');
  return PackedSource.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function addLicences(electron: ElectronRuntime): void {
  for (const name of ['LICENSE.electron.txt', 'LICENSES.chromium.html']) {
    const file = path.join(electron.folder, name);
    if (existsSync(file)) copyFileSync(file, path.join(PARTS, name));
  }
  const electronLicence = path.join(electron.folder, 'LICENSE');
  if (existsSync(electronLicence))
    copyFileSync(electronLicence, path.join(PARTS, 'LICENSE.electron.txt'));
}

/** electron-builder with the one configuration; only the runtime and its version are said here. */
export function buildFolder(electron: ElectronRuntime): void {
  addLicences(electron);
  rmSync(FOLDER, { recursive: true, force: true });
  runBuilder(electron, ['--dir']);
  if (electron.isCheckOnly) addCheckRuntime(electron);
  settle(FOLDER);
}

function runBuilder(electron: ElectronRuntime, options: readonly string[]): void {
  // The program that shows itself where there is no other is not shipped.
  rmSync(RUNTIME, { recursive: true, force: true });
  cpSync(electron.folder, RUNTIME, {
    recursive: true,
    filter: (file) => !['default_app.asar', '.ready'].includes(path.basename(file)),
  });
  run(
    process.execPath,
    [
      path.join(ROOT, 'packaging/node_modules/electron-builder/cli.js'),
      ...options,
      '--publish',
      'never',
      '--config',
      'packaging/electron-builder.json',
      `-c.electronDist=${RUNTIME}`,
      `-c.electronVersion=${electron.version}`,
    ],
    { env: { EVIDENCE_STUDIO_CHECK_ONLY: electron.isCheckOnly ? '1' : '' } },
  );
}

/**
 * The installers of this system by electron-builder itself: dmg and zip, nsis, AppImage. It fetches
 * tools for them, and signs where the environment has a certificate.
 */
export function packInstallers(electron: ElectronRuntime): string {
  if (electron.isCheckOnly)
    throw new Error('Installers are made with the Electron that users get.');
  addLicences(electron);
  runBuilder(electron, []);
  const output = path.join(DIST, 'desktop');
  const made = readdirSync(output).filter((name) => /\.(?:dmg|zip|exe|AppImage)$/.test(name));
  for (const name of made) copyFileSync(path.join(output, name), path.join(PACKAGES, name));
  return path.join(PACKAGES, made[0] ?? '');
}

/**
 * What an old Electron lacks comes beside the program, where it brings it itself; and the mark that
 * keeps the package from being published.
 */
function addCheckRuntime({ folder, version }: ElectronRuntime): void {
  const extras = path.join(folder, 'resources/default_app.asar');
  if (existsSync(path.join(extras, 'sqlite-shim.mjs')))
    cpSync(extras, path.join(FOLDER, 'resources/check-only'), { recursive: true });
  writeFileSync(
    path.join(FOLDER, CHECK_ONLY),
    `Made with Electron ${version} for checks alone. Not for people, never to be published.\n`,
  );
}

export function packArchive(electron: ElectronRuntime): string {
  const name = `evidence-studio-${versionOf(electron)}-linux-x64`;
  const folder = path.join(DIST, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(PACKAGES, { recursive: true });
  renameSync(FOLDER, folder);
  const file = path.join(PACKAGES, `${prefixOf(electron)}${name}.tar.gz`);
  try {
    archive(folder, file);
  } finally {
    renameSync(folder, FOLDER);
  }
  return file;
}
