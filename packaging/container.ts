import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DIST, EPOCH, MANIFEST, PACKAGES, run } from './project.ts';
import { SERVER } from './server.ts';

/**
 * The image of deploy/Dockerfile on the bundle that is packed already, as a file that `docker load`
 * and `podman load` read. The base image has to be here, or to be had.
 */
export function packContainer(): string {
  const name = `evidence-studio:${MANIFEST.version}`;
  const context = path.join(DIST, 'container');
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  run('cp', ['-a', SERVER, path.join(context, 'server')]);
  run('buildah', [
    'bud',
    '--isolation=chroot',
    '--format=docker',
    `--timestamp=${EPOCH}`,
    '--pull-never',
    '--tag',
    name,
    '--file',
    'deploy/Dockerfile.bundle',
    context,
  ]);
  const file = path.join(PACKAGES, `evidence-studio-${MANIFEST.version}-container.tar`);
  run('buildah', ['push', '--disable-compression', name, `docker-archive:${file}:${name}`]);
  return file;
}
