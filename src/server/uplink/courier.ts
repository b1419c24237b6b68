import type { WireChange } from '../../shared/contract/sync.ts';
import { type Line, type Turn, turnOf } from './line.ts';
import { fetchRun, type RunTransfer, sendRun } from './runs.ts';

const ANNOUNCED = /"reg":"run\/([^"\\]+)"/g;
const announcedIn = (changes: readonly WireChange[]): string[] => [...new Set(changes.flatMap(({ change }) => [...change.matchAll(ANNOUNCED)].map(([, uid]) => uid as string)))];

/** The failure of a transfer that may succeed later. If the other side will never accept the run, or nobody has it, the exchange goes on without it. */
function failureOf(transfer: RunTransfer): Turn | undefined {
  return transfer.kind === 'done' || transfer.kind === 'absent' || transfer.kind === 'declined' ? undefined : turnOf(transfer, 'recover');
}

/** Sends the content of the runs that a batch announces, before the batch itself. A run that is not accepted is noted as owed and does not stop the batch. */
export async function sendAnnounced({ client, store, account, signal }: Line, batch: readonly WireChange[]): Promise<Turn | undefined> {
  for (const uid of announcedIn(batch)) {
    const transfer = await sendRun(client, store, uid, signal);
    const failed = failureOf(transfer);
    if (failed !== undefined) return failed;
    if (transfer.kind === 'declined' || transfer.kind === 'absent') await store.transact((writer) => writer.uplinkWrites.owe(account, uid, transfer.kind === 'declined' ? transfer.code : 'absent'));
  }
  return undefined;
}

/** Offers owed runs again: the other side may have been upgraded since, or the content repaired here. */
export async function sendOwed({ client, store, account, signal }: Line): Promise<void> {
  for (const { run_uid: uid } of await store.read((reader) => reader.uplink.owed(account))) {
    if (signal.aborted) return;
    const transfer = await sendRun(client, store, uid, signal);
    if (failureOf(transfer) !== undefined) return;
    if (transfer.kind === 'done') await store.transact((writer) => writer.uplinkWrites.owe(account, uid, null));
  }
}

/** Fetches the content of announced runs that is missing here, of one case or of all. What cannot be had now is asked for again at the next poll. */
export async function fetchAwaited({ client, store, account, signal }: Line, caseUid?: string): Promise<void> {
  const awaited = await store.read((reader) => reader.runs.awaited(account, caseUid === undefined ? {} : { case_uid: caseUid }));
  for (const { run_uid, content_hash } of awaited) {
    if (signal.aborted) return;
    const transfer = await fetchRun(client, store, run_uid, content_hash, signal);
    if (failureOf(transfer) !== undefined) return;
  }
}

export function announcesRun(page: readonly WireChange[]): boolean {
  return announcedIn(page).length > 0;
}
