/**
 * `node packaging/base-image.ts`: the base image of deploy/Dockerfile from Debian's packages and
 * the Node of this clone, where images cannot be pulled. For checks of the image on such a machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MANIFEST, ROOT, run } from './project.ts';

const NAME = `docker.io/library/node:${MANIFEST.devDependencies.node}-bookworm-slim`;
const folder = mkdtempSync(path.join(tmpdir(), 'evidence-base-'));
try {
  const system = path.join(folder, 'base.tar');
  run('mmdebstrap', [
    '--variant=minbase',
    '--include=ca-certificates,libstdc++6',
    'bookworm',
    system,
  ]);
  const container = run('buildah', ['from', 'scratch']).trim();
  run('buildah', ['add', container, system, '/']);
  const program = path.join(ROOT, 'node_modules/node/bin/node');
  run('buildah', ['copy', '--chmod=755', container, program, '/usr/local/bin/node']);
  run('buildah', ['run', '--isolation=chroot', container, 'useradd', '--create-home', 'node']);
  run('buildah', ['commit', '--rm', container, NAME]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(NAME);
