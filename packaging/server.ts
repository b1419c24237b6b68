import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  archive,
  copyBuild,
  DIST,
  MANIFEST,
  PACKAGES,
  PARTS,
  ROOT,
  run,
  settle,
} from './project.ts';

/**
 * The server with its pages, as it is without `node_modules`: npm tarball and container are this.
 */
export const SERVER = path.join(DIST, 'server');
const OUT = path.join(DIST, 'out/server');
export const SERVER_STAMP = path.join(OUT, 'built-from.json');

export function buildServer(): void {
  const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js');
  const args = ['build', '-c', 'vite.server.config.ts', '--mode', 'package'];
  run(process.execPath, [vite, ...args, '--logLevel', 'warn']);
}

export function stageServer(): string {
  rmSync(SERVER, { recursive: true, force: true });
  mkdirSync(SERVER, { recursive: true });
  copyBuild(OUT, path.join(SERVER, 'out/server'));
  copyBuild(path.join(ROOT, 'out/renderer'), path.join(SERVER, 'out/renderer'));
  cpSync(path.join(ROOT, 'bin'), path.join(SERVER, 'bin'), { recursive: true });
  for (const name of ['LICENSE', 'CHANGELOG.md'])
    copyFileSync(path.join(ROOT, name), path.join(SERVER, name));
  cpSync(PARTS, path.join(SERVER, 'parts'), { recursive: true });
  const { name, version, description, license, engines } = MANIFEST;
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { 'evidence-studio': 'bin/evidence-studio.js' },
  };
  writeFileSync(path.join(SERVER, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(path.join(SERVER, 'README.md'), readme());
  chmodSync(path.join(SERVER, 'bin/evidence-studio.js'), 0o755);
  settle(SERVER);
  return SERVER;
}

const readme = (): string =>
  [
    '# Evidence Studio, the server',
    '',
    'For Node 24.14 or newer. It needs no other package.',
    '',
    '```sh',
    'evidence-studio serve --open',
    'evidence-studio --help',
    '```',
    '',
    'Licences of all parts are in `parts/LICENCES.txt`, the SBOM in `parts/sbom.cdx.json`.',
    '',
  ].join('\n');

/** The npm tarball. npm itself dates every file the same. */
export function packTarball(): string {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', PACKAGES], { cwd: SERVER });
  return path.join(PACKAGES, `${MANIFEST.name}-${MANIFEST.version}.tgz`);
}

/**
 * The server as one executable with its pages and program beside it: no Node has to be installed.
 * Node puts the first file into a copy of itself.
 */
export function packExecutable(): string {
  const name = `evidence-studio-server-${MANIFEST.version}-${process.platform}-${process.arch}`;
  const folder = path.join(DIST, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(SERVER, path.join(folder, 'lib'), { recursive: true });
  rmSync(path.join(folder, 'lib/bin'), { recursive: true });
  const executable = path.join(folder, 'evidence-studio');
  const blob = path.join(DIST, 'executable.blob');
  const config = path.join(DIST, 'executable.json');
  writeFileSync(
    config,
    JSON.stringify({
      // As it is said here, the name is part of the executable.
      main: 'packaging/executable.cjs',
      output: path.relative(ROOT, blob),
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: false,
      execArgvExtension: 'none',
    }),
  );
  run(process.execPath, ['--experimental-sea-config', config]);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  run(process.execPath, [
    path.join(ROOT, 'packaging/node_modules/postject/dist/cli.js'),
    executable,
    'NODE_SEA_BLOB',
    blob,
    '--sentinel-fuse',
    'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ]);
  settle(folder);
  const file = path.join(PACKAGES, `${name}.tar.gz`);
  archive(folder, file);
  return file;
}
