import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { FOLDER } from './desktop.ts';
import { ICONS, SOURCE } from './icons.ts';
import {
  DIST,
  EPOCH,
  everything,
  MAINTAINER,
  MANIFEST,
  PACKAGES,
  PARTS,
  ROOT,
  run,
  settle,
} from './project.ts';
import { type ElectronRuntime, prefixOf } from './runtime.ts';

/** What is installed, below `/`: deb and rpm hold the same. */
const TREE = path.join(DIST, 'tree');
const LINUX = path.join(ROOT, 'packaging/linux');
const SUMMARY = 'Evidence matrices, offline first';
const ABOUT = [
  'Records whether there is enough evidence for something: items are checked',
  'against the rules of a profile, and a run freezes the result under one hash.',
];
/** Libraries that Electron itself links to, and no others. */
const DEB_NEEDS =
  'libgtk-3-0 | libgtk-3-0t64, libnss3, libasound2 | libasound2t64, libgbm1, libatspi2.0-0 | libatspi2.0-0t64, libdrm2, libxkbcommon0, libcups2 | libcups2t64, xdg-utils';
const RPM_NEEDS = ['gtk3', 'nss', 'alsa-lib', 'mesa-libgbm', 'at-spi2-core', 'xdg-utils'];

/** How hard deb and rpm are packed, 0 to 9: a check has no time for what a download is worth. */
const PACKING = process.env.EVIDENCE_STUDIO_PACKING ?? '6';

/** A version that a check-only package has sorts before the release's: `~` does so in both. */
const packageVersion = ({ isCheckOnly }: ElectronRuntime): string =>
  isCheckOnly ? `${MANIFEST.version}~checkonly` : MANIFEST.version;

export function stageTree(): void {
  rmSync(TREE, { recursive: true, force: true });
  const below = (...names: string[]): string => {
    const file = path.join(TREE, 'usr', ...names);
    mkdirSync(path.dirname(file), { recursive: true });
    return file;
  };
  cpSync(FOLDER, below('lib/evidence-studio'), { recursive: true });
  // Chromium's own sandbox for systems whose users may not make namespaces.
  chmodSync(below('lib/evidence-studio/chrome-sandbox'), 0o4755);
  cpSync(path.join(LINUX, 'evidence-studio'), below('bin/evidence-studio'));
  cpSync(
    path.join(LINUX, 'evidence-studio.desktop'),
    below('share/applications/evidence-studio.desktop'),
  );
  cpSync(path.join(LINUX, 'evidence-studio.xml'), below('share/mime/packages/evidence-studio.xml'));
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512])
    cpSync(
      path.join(ICONS, 'sizes', `${size}x${size}.png`),
      below(`share/icons/hicolor/${size}x${size}/apps/evidence-studio.png`),
    );
  cpSync(SOURCE, below('share/icons/hicolor/scalable/apps/evidence-studio.svg'));
  cpSync(path.join(PARTS, 'LICENCES.txt'), below('share/doc/evidence-studio/copyright'));
  settle(TREE);
}

/** A deb of the tree. No script runs when it is installed; removing it leaves data alone. */
export function packDeb(electron: ElectronRuntime): string {
  const version = packageVersion(electron);
  const control = path.join(TREE, 'DEBIAN');
  const files = everything(path.join(TREE, 'usr')).filter((file) => statSync(file).isFile());
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  mkdirSync(control);
  writeFileSync(
    path.join(control, 'control'),
    [
      'Package: evidence-studio',
      `Version: ${version}`,
      'Architecture: amd64',
      `Maintainer: ${MAINTAINER}`,
      `Installed-Size: ${Math.ceil(size / 1024)}`,
      `Depends: ${DEB_NEEDS}`,
      'Recommends: libsecret-1-0, gnome-keyring | kwalletmanager',
      'Section: science',
      'Priority: optional',
      ...(electron.isCheckOnly ? ['Evidence-Studio-Check-Only: yes'] : []),
      `Description: ${SUMMARY}`,
      ...ABOUT.map((line) => ` ${line}`),
      '',
    ].join('\n'),
  );
  const sums = files.map((file) => {
    const hash = createHash('md5').update(readFileSync(file)).digest('hex');
    return `${hash}  ${path.relative(TREE, file)}\n`;
  });
  writeFileSync(path.join(control, 'md5sums'), sums.join(''));
  settle(TREE);
  const file = path.join(PACKAGES, `${prefixOf(electron)}evidence-studio_${version}_amd64.deb`);
  // One thread: with more, the bytes depend on how many there are.
  const packed = [
    '--root-owner-group',
    '-Zxz',
    `-z${PACKING}`,
    '--threads-max=1',
    '--build',
    TREE,
    file,
  ];
  run('dpkg-deb', packed);
  rmSync(control, { recursive: true });
  return file;
}

/** An rpm of the same tree, of files that are there already: nothing is built or stripped. */
export function packRpm(electron: ElectronRuntime): string {
  const top = path.join(DIST, 'rpm');
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  const spec = path.join(top, 'evidence-studio.spec');
  writeFileSync(
    spec,
    [
      'Name: evidence-studio',
      `Version: ${packageVersion(electron)}`,
      'Release: 1',
      `Summary: ${SUMMARY}`,
      'License: MIT AND Apache-2.0 AND BSD-3-Clause AND ISC AND LGPL-2.1-or-later',
      'Vendor: Evidence Studio contributors',
      'AutoReqProv: no',
      ...RPM_NEEDS.map((name) => `Requires: ${name}`),
      '',
      '%description',
      ...ABOUT,
      ...(electron.isCheckOnly ? ['Made for checks alone; never to be published.'] : []),
      '',
      '%install',
      `cp -a ${TREE}/usr %{buildroot}/`,
      '',
      '%files',
      '/usr/bin/evidence-studio',
      '/usr/lib/evidence-studio',
      '/usr/share/applications/evidence-studio.desktop',
      '/usr/share/mime/packages/evidence-studio.xml',
      '/usr/share/icons/hicolor/*/apps/evidence-studio.*',
      '/usr/share/doc/evidence-studio',
      '',
    ].join('\n'),
  );
  const defined = {
    _topdir: top,
    _rpmdir: top,
    _buildhost: 'evidence-studio',
    _build_id_links: 'none',
    __os_install_post: '%{nil}',
    _binary_payload: `w${PACKING}.xzdio`,
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    source_date_epoch_from_changelog: '0',
    _rpmfilename: 'package.rpm',
  };
  const options = Object.entries(defined).flatMap(([name, value]) => [
    '--define',
    `${name} ${value}`,
  ]);
  run('rpmbuild', ['-bb', '--target', 'x86_64', ...options, spec], {
    env: { SOURCE_DATE_EPOCH: String(EPOCH) },
  });
  const name = `${prefixOf(electron)}evidence-studio-${packageVersion(electron)}-1.x86_64.rpm`;
  const file = path.join(PACKAGES, name);
  cpSync(path.join(top, 'package.rpm'), file);
  return file;
}
