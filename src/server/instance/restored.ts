import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { operatorOrigin } from '../audit/entries.ts';
import { replaceFile } from './atomic-file.ts';
import type { Store } from '../storage/store.ts';

const Note = z.strictObject({ at: z.string(), backup: z.string(), set_aside: z.string() });
export type RestoreNote = z.infer<typeof Note>;

const fileOf = (folder: string): string => path.join(folder, 'restored.json');

/**
 * Notes the restore in a file beside the database, since the restored database itself cannot know
 * of it.
 */
export function noteRestore(folder: string, note: RestoreNote): void {
  replaceFile(fileOf(folder), JSON.stringify(note));
}

export function forgetRestore(folder: string): void {
  rmSync(fileOf(folder), { force: true });
}

/**
 * The restore that is noted and not in the audit trail yet; undefined where there is none or its
 * note cannot be read.
 */
export function notedRestore(folder: string): RestoreNote | undefined {
  return existsSync(fileOf(folder))
    ? Note.safeParse(parsed(readFileSync(fileOf(folder), 'utf8'))).data
    : undefined;
}

/**
 * Notes a restore in the restored store's audit trail. The file is deleted after that, so a crash
 * in between may note it twice but never not at all.
 */
export async function reportRestore(folder: string, store: Store): Promise<void> {
  if (!existsSync(fileOf(folder)) || !store.health().ok) return;
  const note = notedRestore(folder);
  const { account_id } = store.local;
  await store.transact(async (writer) => {
    writer.audit.by(operatorOrigin(store));
    writer.audit.add({
      action: 'backup.restored',
      object: note?.backup ?? null,
      ...(note && { detail: { at: note.at, set_aside: note.set_aside } }),
    });
  }, account_id);
  forgetRestore(folder);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
