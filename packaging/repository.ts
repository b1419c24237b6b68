/**
 * `GPG_KEY=NAME node packaging/repository.ts FOLDER TARGET`: a signed repository for apt and for
 * dnf out of the debs and rpms in FOLDER, below TARGET, to be copied to a web server as it is. What
 * is there of earlier versions stays. docs/releasing.md says how a computer uses it.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { EPOCH, hasTool, run } from './project.ts';

const SUITE = 'stable';
const KEY_FILE = 'evidence-studio.asc';
/** Package -> the tool that lists it. */
const TOOLS = { deb: 'apt-ftparchive', rpm: 'createrepo_c' } as const;

export interface Repository {
  /** Name or number of the publisher's key in the keyring of GnuPG. */
  key: string;
  folder: string;
  target: string;
  env?: Record<string, string>;
}

const gpg = ({ key, env = {} }: Repository, ...words: string[]): string =>
  run('gpg', ['--batch', '--yes', '--local-user', key, ...words], { env });

function copyIn(names: readonly string[], folder: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(path.join(folder, name), path.join(to, name));
}

/**
 * `dists/stable` with the list of what is in `pool`, each by its hashes, and the list's signature.
 */
function makeApt(repository: Repository, names: readonly string[]): void {
  const root = path.join(repository.target, 'deb');
  copyIn(names, repository.folder, path.join(root, 'pool'));
  const lists = path.join(root, 'dists', SUITE);
  const binary = path.join(lists, 'main/binary-amd64');
  mkdirSync(binary, { recursive: true });
  const packages = run('apt-ftparchive', ['packages', 'pool'], { cwd: root });
  writeFileSync(path.join(binary, 'Packages'), packages);
  writeFileSync(path.join(binary, 'Packages.gz'), gzipSync(packages, { level: 9 }));
  for (const name of ['Release', 'InRelease', 'Release.gpg'])
    rmSync(path.join(lists, name), { force: true });
  const facts = {
    Origin: 'Evidence Studio',
    Label: 'Evidence Studio',
    Suite: SUITE,
    Codename: SUITE,
    Architectures: 'amd64',
    Components: 'main',
    Description: 'Evidence Studio for Debian and Ubuntu',
    Date: new Date(EPOCH * 1_000).toUTCString(),
  };
  const options = Object.entries(facts).flatMap(([name, value]) => [
    '-o',
    `APT::FTPArchive::Release::${name}=${value}`,
  ]);
  const release = path.join(lists, 'Release');
  writeFileSync(release, run('apt-ftparchive', [...options, 'release', lists]));
  gpg(repository, '--clearsign', '--output', path.join(lists, 'InRelease'), release);
  gpg(repository, '--armor', '--detach-sign', '--output', `${release}.gpg`, release);
}

/** `repodata` with its signature; dnf checks that, and by its hashes each package. */
function makeDnf(repository: Repository, names: readonly string[]): void {
  const root = path.join(repository.target, 'rpm');
  copyIn(names, repository.folder, root);
  run('createrepo_c', [
    '--quiet',
    '--set-timestamp-to-revision',
    '--revision',
    String(EPOCH),
    root,
  ]);
  const list = path.join(root, 'repodata/repomd.xml');
  gpg(repository, '--armor', '--detach-sign', '--output', `${list}.asc`, list);
  writeFileSync(
    path.join(root, 'evidence-studio.repo.example'),
    [
      '[evidence-studio]',
      'name=Evidence Studio',
      'baseurl=https://packages.example.org/rpm',
      'enabled=1',
      'gpgcheck=0',
      'repo_gpgcheck=1',
      `gpgkey=https://packages.example.org/${KEY_FILE}`,
      '',
    ].join('\n'),
  );
}

/** Makes what the tools of this machine can, and says what that is. */
export function makeRepository(repository: Repository): ('deb' | 'rpm')[] {
  const made: ('deb' | 'rpm')[] = [];
  const names = readdirSync(repository.folder);
  for (const kind of ['deb', 'rpm'] as const) {
    const packages = names.filter((name) => name.endsWith(`.${kind}`));
    if (packages.length === 0) continue;
    if (!hasTool(TOOLS[kind])) {
      console.log(`${kind}: left out, there is no ${TOOLS[kind]} here.`);
      continue;
    }
    if (kind === 'deb') makeApt(repository, packages);
    else makeDnf(repository, packages);
    made.push(kind);
  }
  if (made.length > 0)
    gpg(
      repository,
      '--armor',
      '--output',
      path.join(repository.target, KEY_FILE),
      '--export',
      repository.key,
    );
  return made;
}

if (import.meta.main) {
  const [folder = '', target = ''] = process.argv.slice(2);
  const key = process.env.GPG_KEY ?? '';
  if (key === '' || target === '' || !existsSync(folder)) {
    console.error('GPG_KEY=NAME node packaging/repository.ts FOLDER TARGET');
    process.exit(2);
  }
  console.log(`Made: ${makeRepository({ key, folder, target }).join(', ') || 'nothing'}`);
}
