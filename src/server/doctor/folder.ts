import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Finding, FindingCode } from '../../shared/contract/doctor.ts';

export const finding = (
  state: Finding['state'],
  code: FindingCode,
  values: Finding['values'] = {},
): Finding => ({ code, state, values });

/** Types of file systems that are on another computer: NFS, SMB, CIFS, AFS, SSHFS and the like. */
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x65735546]);
const SERVICES = ['OneDrive', 'Dropbox', 'iCloud', 'Google Drive', 'Nextcloud'] as const;
const GIGABYTE = 1e9;
const LOW = 2 * GIGABYTE;
const VERY_LOW = 0.2 * GIGABYTE;

/** A path without the name of the person. */
export function plainPath(file: string): string {
  const home = os.homedir();
  return file === home || file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file;
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where the data are: whether the place is there, safe, private, and has room. */
export function examineFolder(folder: string): Finding[] {
  const values = { folder: plainPath(folder) };
  if (!existsSync(folder)) return [finding('note', 'folder_missing', values)];
  const found: Finding[] = [];
  const service = SERVICES.find((name) =>
    folder.split(path.sep).some((part) => part.includes(name)),
  );
  if (service !== undefined)
    found.push(finding('problem', 'folder_synced', { ...values, service }));
  const { type, bavail, bsize } = statfsSync(folder);
  if (process.platform === 'linux' && REMOTE.has(type))
    found.push(finding('problem', 'folder_on_network', values));
  if (!mayWrite(folder)) found.push(finding('problem', 'folder_write_protected', values));
  if (process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0)
    found.push(finding('note', 'folder_open', values));
  if (found.length === 0) found.push(finding('ok', 'folder_ok', values));
  const bytes = bavail * bsize;
  const free = Number((bytes / GIGABYTE).toFixed(1));
  if (bytes >= LOW) found.push(finding('ok', 'space_ok', { free }));
  else found.push(finding(bytes < VERY_LOW ? 'problem' : 'note', 'space_low', { free }));
  return found;
}
