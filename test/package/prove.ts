/**
 * `node test/package/prove.ts [--required] [DEB]`: the deb proves itself. It is installed into a
 * copy of this machine that is thrown away, and there used by an ordinary user: `installed.ts` says
 * what is tried.
 *
 * Needs root on Debian and an Electron runtime; a package on one for checks is as good. Without a
 * DEB one is made. Where it cannot be tried that is said, and is a failure if it is required.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packedRuntime } from '../../packaging/runtime.ts';
import { findProgram } from '../support/find-program.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NODE = path.join(ROOT, 'node_modules/node/bin/node');

/** Program -> Debian's package of it. */
const NEEDED = {
  xdotool: 'xdotool',
  Xvfb: 'xvfb',
  unshare: 'util-linux',
  ip: 'iproute2',
  'desktop-file-validate': 'desktop-file-utils',
} as const;

function whyNot(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  if (!existsSync('/usr/bin/dpkg-deb')) return 'there is no dpkg-deb';
  if (packedRuntime() === undefined) return 'there is no Electron runtime';
  const missing = Object.entries(NEEDED).find(([program, debian]) => {
    const places = (): string[] =>
      ['/usr/bin', '/usr/sbin', '/sbin'].map((folder) => path.join(folder, program));
    return findProgram({ variable: '', places, debian }) === undefined;
  });
  return missing && `there is no ${missing[0]}`;
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

function makeDeb(): string {
  execFileSync(NODE, ['packaging/package.ts', 'deb'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, EVIDENCE_STUDIO_PACKING: '0' },
  });
  return globSync('dist/packages/*.deb', { cwd: ROOT })[0] ?? '';
}

const { values, positionals } = parseArgs({
  options: { required: { type: 'boolean' } },
  allowPositionals: true,
});
const reason = whyNot();
if (reason !== undefined) {
  console.log(`The package is not proved here: ${reason}.`);
  process.exit(values.required === true ? 1 : 0);
}
const deb = path.resolve(ROOT, positionals[0] ?? makeDeb());
const inside = [NODE, path.join(ROOT, 'test/package/installed.ts'), deb];
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
