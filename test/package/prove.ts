/**
 * `node test/package/prove.ts`: the deb proves itself. It is installed into a copy of this machine
 * that is thrown away, and there used by an ordinary user: `installed.ts` says what is tried.
 *
 * Needs root on Debian and an Electron runtime; a package on one for checks is as good. The deb of
 * `dist/packages` is taken where there is one of this version, else it is made.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { packedRuntime } from '../../packaging/runtime.ts';
import { findProgram } from '../support/find-program.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NODE = path.join(ROOT, 'node_modules/node/bin/node');

function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  if (!existsSync('/usr/bin/dpkg-deb')) return 'there is no dpkg-deb';
  if (packedRuntime() === undefined) return 'there is no Electron runtime';
  for (const debian of ['xdotool', 'xvfb', 'util-linux', 'iproute2', 'desktop-file-utils']) {
    const program = { xvfb: 'Xvfb', 'util-linux': 'unshare', iproute2: 'ip' }[debian] ?? debian;
    const places = (): string[] =>
      ['/usr/bin', '/usr/sbin', '/sbin'].flatMap((folder) => [
        path.join(folder, program),
        path.join(folder, 'desktop-file-validate'),
      ]);
    const own = (): string[] => places().filter((place) => place.endsWith(program));
    const wanted = debian === 'desktop-file-utils' ? places : own;
    if (findProgram({ variable: '', places: wanted, debian }) === undefined)
      return `there is no ${program}`;
  }
  return undefined;
}

/** A root whose writes are in memory, without a network; gone with the last process in it. */
const THROWAWAY = `
set -e
base=$(mktemp -d)
mount -t tmpfs tmpfs "$base"
mkdir "$base"/upper "$base"/work "$base"/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
for folder in proc sys dev; do mount --rbind "/$folder" "$base/root/$folder"; done
mount -t tmpfs tmpfs "$base/root/dev/shm"
ip link set lo up
exec chroot "$base/root" "$@"
`;

const reason = whyNot();
if (reason !== undefined) {
  console.log(`The package is not proved here: ${reason}.`);
  process.exit(0);
}
const found = (): string[] => globSync('dist/packages/*.deb', { cwd: ROOT });
if (found().length === 0)
  execFileSync(NODE, ['packaging/package.ts', 'deb'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, EVIDENCE_STUDIO_PACKING: '0' },
  });
const [deb = ''] = found();
const inside = [NODE, path.join(ROOT, 'test/package/installed.ts'), path.join(ROOT, deb)];
const { status } = spawnSync(
  'unshare',
  ['-m', '-n', '-p', '-f', '--mount-proc', 'bash', '-c', THROWAWAY, 'root', ...inside],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
  },
);
process.exitCode = status ?? 1;
