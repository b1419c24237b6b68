import type { WireChange } from '../../shared/contract/sync.ts';
import { answerOf } from '../../sync/answers.ts';
import type { Driven, Outcome } from '../../sync/driver/ports.ts';
import { blameFor } from '../../sync/driver/push.ts';
import { isSuspicious } from '../../sync/faults.ts';
import { codeOf } from './kept-back.ts';
import type { Line } from './line.ts';
import { fetchRun, type RunTransfer, sendRun } from './runs.ts';

const ANNOUNCED = /"reg":"run\/([^"\\]+)"/g;
const announcedIn = (changes: readonly WireChange[]): string[] => [
  ...new Set(
    changes.flatMap(({ change }) =>
      [...change.matchAll(ANNOUNCED)].map(([, uid]) => uid as string),
    ),
  ),
];

/** Whether the next run may be tried after this failure: it may lie in this one alone. */
const mayGoOn = (transfer: RunTransfer): boolean =>
  'kind' in transfer &&
  (transfer.kind === 'refused' || transfer.kind === 'unreadable') &&
  isSuspicious(answerOf(transfer));

/**
 * The failure of a transfer that may succeed later. If the other side will never accept the run, or
 * nobody has it, the exchange goes on without it.
 */
function failureOf(transfer: RunTransfer): Outcome | undefined {
  return transfer.kind === 'done' || transfer.kind === 'absent' || transfer.kind === 'declined'
    ? undefined
    : { kind: 'failed', failure: transfer, phase: 'recover' };
}

/**
 * Sends the content of the runs that a batch announces, before the batch itself. A run that is not
 * accepted is noted as owed and does not stop the batch.
 */
export async function sendAnnounced(
  line: Line,
  driven: Driven,
  batch: readonly WireChange[],
): Promise<Outcome | undefined> {
  const { client, store, account, signal } = line;
  const owe = (uid: string, code: string) =>
    store.transact((writer) => writer.uplinkWrites.notePendingUpload(account, uid, code));
  for (const uid of announcedIn(batch)) {
    for (;;) {
      const transfer = await sendRun(client, store, uid, signal);
      if (transfer.kind === 'declined') await owe(uid, transfer.code);
      else if (transfer.kind === 'absent') await owe(uid, 'absent');
      if (transfer.kind === 'declined' || transfer.kind === 'absent' || transfer.kind === 'done')
        break;
      const verdict = await blameFor(driven, { head: `run/${uid}`, size: 1 }, transfer);
      if (verdict === 'wait') return failureOf(transfer);
      if (verdict === 'again') continue;
      // R12: its content is offered again later, and the announcement goes with the others.
      driven.state.faults = null;
      await owe(uid, codeOf(transfer));
      break;
    }
  }
  return undefined;
}

/**
 * Offers owed runs again: the other side may have been upgraded since, or the content repaired
 * here.
 */
export async function sendOwed({ client, store, account, signal }: Line): Promise<void> {
  for (const { run_uid: uid } of await store.read((reader) =>
    reader.uplink.pendingUploads(account),
  )) {
    if (signal.aborted) return;
    const transfer = await sendRun(client, store, uid, signal);
    if (failureOf(transfer) !== undefined && !mayGoOn(transfer)) return;
    if (transfer.kind === 'done')
      await store.transact((writer) => writer.uplinkWrites.notePendingUpload(account, uid, null));
  }
}

/**
 * Fetches the content of announced runs that is missing here, of one case or of all. What cannot be
 * had now is asked for again at the next poll.
 */
export async function fetchAwaited(
  { client, store, account, signal }: Line,
  caseUid?: string,
): Promise<void> {
  const awaited = await store.read((reader) =>
    reader.runs.awaited(account, caseUid === undefined ? {} : { case_uid: caseUid }),
  );
  for (const { run_uid, content_hash } of awaited) {
    if (signal.aborted) return;
    const transfer = await fetchRun(client, store, run_uid, content_hash, signal);
    if (failureOf(transfer) !== undefined && !mayGoOn(transfer)) return;
  }
}

export function announcesRun(page: readonly WireChange[]): boolean {
  return announcedIn(page).length > 0;
}
