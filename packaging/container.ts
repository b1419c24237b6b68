import { cpSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DIST, EPOCH, MANIFEST, PACKAGES, run, settle } from './project.ts';
import { SERVER } from './server.ts';

/**
 * The image of deploy/Dockerfile, whose first stage is taken as done: the server that is packed
 * already. A file that `docker load` and `podman load` read.
 */
export function packContainer(): string {
  const name = `evidence-studio:${MANIFEST.version}`;
  const stage = path.join(DIST, 'container');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(path.join(stage, 'app/dist'), { recursive: true });
  cpSync(SERVER, path.join(stage, 'app/dist/server'), { recursive: true });
  settle(stage);
  const options = ['--isolation=chroot', '--format=docker', '--layers=false'];
  run('buildah', [
    'bud',
    ...options,
    `--timestamp=${EPOCH}`,
    `--build-context=build=${stage}`,
    `--tag=${name}`,
    '--file=deploy/Dockerfile',
    '.',
  ]);
  const file = path.join(PACKAGES, `evidence-studio-${MANIFEST.version}-container.tar`);
  run('buildah', ['push', name, `docker-archive:${file}:${name}`]);
  run('gzip', ['-n', '-9', file]);
  return `${file}.gz`;
}
