import type { WireChange } from '../../shared/contract/sync.ts';
import { type Line, type Turn, turnOf } from './line.ts';
import { fetchRun, type RunTransfer, sendRun } from './runs.ts';

const ANNOUNCED = /"reg":"run\/([^"\\]+)"/g;
const announcedIn = (changes: readonly WireChange[]): string[] => [...new Set(changes.flatMap(({ change }) => [...change.matchAll(ANNOUNCED)].map(([, uid]) => uid as string)))];

/** The failure in a transfer that may succeed later; what the other side will never take, or nobody has, holds up nothing. */
function failureOf(transfer: RunTransfer): Turn | undefined {
  return transfer.kind === 'done' || transfer.kind === 'absent' || transfer.kind === 'declined' ? undefined : turnOf(transfer, 'recover');
}

/** Sends the content of the runs that a batch announces, before the batch. */
export async function sendAnnounced({ client, store, signal }: Line, batch: readonly WireChange[]): Promise<Turn | undefined> {
  for (const uid of announcedIn(batch)) {
    const failed = failureOf(await sendRun(client, store, uid, signal));
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** Fetches the content of announced runs that are not here, of one case or of all. Those that cannot be had now are asked for again at the next poll. */
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
