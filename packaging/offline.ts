import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DIST, EPOCH, MANIFEST, PACKAGES, ROOT, run, settle } from './project.ts';
import { packedRuntime, prefixOf } from './runtime.ts';

const INSTALL = `Evidence Studio ${MANIFEST.version}, for computers without a network

1. Check that nothing was changed on the way, in this folder:
     sha256sum --check SHA256SUMS
   and, where SHA256SUMS.asc is beside it, who made it:
     gpg --verify SHA256SUMS.asc SHA256SUMS
2. Install what fits the system:
     Debian, Ubuntu       sudo apt install ./evidence-studio_*.deb
     Fedora, RHEL, SUSE   sudo dnf install ./evidence-studio-*.rpm
     any Linux            unpack evidence-studio-*-linux-x64.tar.gz and start evidence-studio in it
     a server             unpack evidence-studio-server-*.tar.gz: ./evidence-studio serve
     a server with Node   npm install --global --offline ./evidence-studio-*.tgz
     containers           docker load < evidence-studio-*-container.tar.gz
   The desktop asks the system for GTK 3, NSS, ALSA and GBM, which its own installation medium has.
3. evidence-studio doctor says whether all is in place. The studio asks no server for anything but
   the hosted one that you connect.

docs/ has the manual, *.cdx.json the SBOM, *.LICENCES.txt the licences of all parts.
`;

/** Everything that was packed, with the manual and how to check and install it, as one archive. */
export function packOffline(): string {
  const prefix = prefixOf(packedRuntime() ?? { isCheckOnly: false });
  const name = `${prefix}evidence-studio-${MANIFEST.version}-offline`;
  const folder = path.join(DIST, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const file of readdirSync(PACKAGES))
    cpSync(path.join(PACKAGES, file), path.join(folder, file));
  for (const page of ['docs', 'README.md', 'CHANGELOG.md'])
    cpSync(path.join(ROOT, page), path.join(folder, page), { recursive: true });
  writeFileSync(path.join(folder, 'INSTALL.txt'), INSTALL);
  settle(folder);
  const file = path.join(PACKAGES, `${name}.tar`);
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  run('tar', [...same, `--mtime=@${EPOCH}`, '-cf', file, '-C', DIST, name]);
  rmSync(folder, { recursive: true });
  return file;
}
