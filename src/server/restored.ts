import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { operatorOrigin } from './audit.ts';
import { replaceFile } from './atomic-file.ts';
import type { Store } from './storage/port.ts';

const Note = z.strictObject({ at: z.string(), backup: z.string(), set_aside: z.string() });
export type RestoreNote = z.infer<typeof Note>;

const fileOf = (folder: string): string => path.join(folder, 'restored.json');

/** Beside the database, since the one that comes back knows nothing of its coming back. */
export function noteRestore(folder: string, note: RestoreNote): void {
  replaceFile(fileOf(folder), JSON.stringify(note));
}

export function forgetRestore(folder: string): void {
  rmSync(fileOf(folder), { force: true });
}

/** Tells the audit trail of a restored store that it was restored: once at least, since the note goes after that. */
export async function tellRestore(folder: string, store: Store): Promise<void> {
  let text: string;
  try {
    text = readFileSync(fileOf(folder), 'utf8');
  } catch {
    return;
  }
  if (!store.health().ok) return;
  const { data: note } = Note.safeParse(parsed(text));
  const { account_id } = store.local;
  await store.transact(async (writer) => {
    writer.audit.by(operatorOrigin(store));
    writer.audit.add({ action: 'backup.restored', object: note?.backup ?? null, ...(note && { detail: { at: note.at, set_aside: note.set_aside } }) });
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
