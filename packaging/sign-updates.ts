/**
 * `node packaging/sign-updates.ts key FILE` makes the publisher's key for updates: the private half
 * in FILE, the public half for `packaging/updates.json` on the screen.
 *
 * `node packaging/sign-updates.ts FOLDER` writes, beside the installers of this version in FOLDER,
 * the signed list of each system. The private key is in UPDATE_KEY.
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Feed, feedName, signedBytes } from '../src/main/updates/feed.ts';
import { EPOCH, MANIFEST } from './project.ts';

/** How the name of the installer ends that an update of each system consists of. */
const INSTALLERS = [
  ['linux', 'x64', ['linux-x64.AppImage', 'linux-x86_64.AppImage']],
  ['win32', 'x64', ['win-x64.exe']],
  ['darwin', 'x64', ['mac-x64.zip']],
  ['darwin', 'arm64', ['mac-arm64.zip']],
] as const;

/** The installers of one version among files, by their whole names. */
export function installersAmong(
  files: readonly string[],
  version: string,
): { platform: string; arch: string; name: string }[] {
  return INSTALLERS.flatMap(([platform, arch, ends]) => {
    const name = ends
      .map((end) => `${MANIFEST.name}-${version}-${end}`)
      .find((one) => files.includes(one));
    return name === undefined ? [] : [{ platform, arch, name }];
  });
}

/** The signed list of one file, as the studio reads it. */
export function signedFeed(
  list: string,
  file: { name: string; bytes: Buffer },
  { version, key, at }: { version: string; key: KeyObject; at: Date },
): string {
  const feed: Feed = {
    version,
    released_at: at.toISOString(),
    file: {
      name: file.name,
      sha512: createHash('sha512').update(file.bytes).digest('base64'),
      size: file.bytes.length,
    },
  };
  const signed = JSON.stringify(feed);
  const signature = sign(null, signedBytes(list, signed), key).toString('base64');
  return `${JSON.stringify({ signed, signature })}\n`;
}

function signAll(folder: string): void {
  const key = createPrivateKey(process.env.UPDATE_KEY ?? '');
  const found = installersAmong(readdirSync(folder), MANIFEST.version);
  for (const { platform, arch, name } of found) {
    const list = feedName(platform, arch);
    const file = { name, bytes: readFileSync(path.join(folder, name)) };
    const at = new Date(EPOCH * 1_000);
    writeFileSync(
      path.join(folder, list),
      signedFeed(list, file, { version: MANIFEST.version, key, at }),
    );
    console.log(`${list}: ${name}`);
  }
  if (found.length === 0)
    throw new Error(`There is no installer of ${MANIFEST.version} in ${folder}.`);
}

function makeKey(file: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeFileSync(file, secret, { mode: 0o600, flag: 'wx' });
  console.log(publicKey.export({ format: 'der', type: 'spki' }).toString('base64'));
}

if (import.meta.main) {
  const [word = '', file = ''] = process.argv.slice(2);
  if (word === 'key') makeKey(file);
  else signAll(word);
}
