import path from 'node:path';
import { ConfigError } from '../server/config/binding.ts';
import { FolderInUseError } from '../server/instance/data-folder.ts';
import { RestoreError } from '../server/instance/restore.ts';
import { SQLITE, sqliteCode, StoreOpenError, StoreError } from '../server/storage/db/errors.ts';
import type { ElectronLike } from './electron-like.ts';
import { say } from './say.ts';

const BY_CODE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space and start again.',
  EDQUOT: 'The disk quota is used up: free some space and start again.',
  EACCES: 'The data folder may not be read or written by this user.',
  EPERM: 'The data folder may not be read or written by this user.',
  EROFS: 'The data folder is on a read-only disk.',
};

/**
 * A failure at start in one sentence for the person at the screen: without stack, and without text
 * of unknown origin.
 */
export function sentenceFor(error: unknown): string {
  if (
    error instanceof StoreOpenError ||
    error instanceof StoreError ||
    error instanceof FolderInUseError ||
    error instanceof ConfigError ||
    error instanceof RestoreError
  )
    return say(error.message);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    (BY_CODE[code] === undefined ? undefined : say(BY_CODE[code])) ??
    (code === ''
      ? say('Evidence Studio could not start. The log in the data folder says more.')
      : say('Evidence Studio could not start ({code}). The log in the data folder says more.', {
          code,
        }))
  );
}

/**
 * What is wrong with a database that could be replaced by a backup, in one sentence; undefined for
 * any other trouble.
 */
export function damageIn(failure: unknown): string | undefined {
  if (typeof failure === 'string')
    return failure.startsWith('The database file is damaged') ? failure : undefined;
  if (failure instanceof StoreOpenError)
    return failure.code === 'not_a_database' ? failure.message : undefined;
  const code = sqliteCode(failure);
  return code === SQLITE.NOTADB || code === SQLITE.CORRUPT
    ? 'The database file is damaged beyond reading. It was left as it is.'
    : undefined;
}

export type DamageChoice = 'restore' | 'open' | 'quit';

/** Asks what to do about a damaged database. `readable`: it can still be opened for reading. */
export async function askAboutDamage(
  dialog: ElectronLike['dialog'],
  reason: string,
  newest: string | undefined,
  readable: boolean,
): Promise<DamageChoice> {
  const choices: [DamageChoice, string][] = [
    ...(newest === undefined
      ? []
      : [['restore', say('Restore the Newest Backup')] as [DamageChoice, string]]),
    ...(readable ? [['open', say('Open for Reading')] as [DamageChoice, string]] : []),
    ['quit', say('Quit')],
  ];
  // A process whose first message box closes before there is a window sleeps for some ten seconds,
  // unless a timer keeps its loop turning.
  const awake = setInterval(() => undefined, 50);
  const { response } = await dialog
    .showMessageBox({
      type: 'error',
      message: say(reason),
      detail:
        newest === undefined
          ? say('There is no backup in the data folder. Nothing has been changed.')
          : say('Newest backup: {name}. The damaged file is kept in the folder set-aside.', {
              name: path.basename(newest),
            }),
      buttons: choices.map(([, label]) => label),
      defaultId: 0,
      cancelId: choices.length - 1,
    })
    .finally(() => clearInterval(awake));
  return choices[response]?.[0] ?? 'quit';
}
