import type { WireChange } from '../../shared/contract/sync.ts';
import { answerOf } from '../../sync/answers.ts';
import type { Driven, StepOutcome } from '../../sync/driver/ports.ts';
import { blameFor } from '../../sync/driver/push.ts';
import { isSuspicious } from '../../sync/faults.ts';
import { codeOf } from './kept-back.ts';
import type { UpstreamConnection } from './connection.ts';
import { fetchRun, type RunTransfer, sendRun } from './runs.ts';
import { type CaseUid, type RunUid, known } from '../../shared/contract/ids.ts';

const ANNOUNCED = /"reg":"run\/([^"\\]+)"/g;
const announcedIn = (changes: readonly WireChange[]): RunUid[] => [
  ...new Set(
    changes.flatMap(({ change }) =>
      [...change.matchAll(ANNOUNCED)].map(([, uid]) => known.runUid.parse(uid)),
    ),
  ),
];

/** Whether the next run may be tried after this failure: it may lie in this one alone. */
const mayContinue = (transfer: RunTransfer): boolean =>
  'kind' in transfer &&
  (transfer.kind === 'refused' || transfer.kind === 'unreadable') &&
  isSuspicious(answerOf(transfer));

/**
 * The failure of a transfer that may succeed later. If the other side will never accept the run, or
 * nobody has it, the sync continues without it.
 */
function failureOf(transfer: RunTransfer): StepOutcome | undefined {
  return transfer.kind === 'done' || transfer.kind === 'absent' || transfer.kind === 'declined'
    ? undefined
    : { kind: 'failed', failure: transfer, phase: 'recover' };
}

/**
 * Sends the content of the runs that a batch announces, before the batch itself. A run that is not
 * accepted is noted as pending and does not stop the batch.
 */
export async function sendAnnounced(
  connection: UpstreamConnection,
  driven: Driven,
  batch: readonly WireChange[],
): Promise<StepOutcome | undefined> {
  const { client, store, account, signal } = connection;
  const notePending = (uid: RunUid, code: string) =>
    store.transact((writer) => writer.uplinkWrites.notePendingUpload(account, uid, code));
  for (const uid of announcedIn(batch)) {
    for (;;) {
      const transfer = await sendRun(client, store, uid, signal);
      if (transfer.kind === 'declined') await notePending(uid, transfer.code);
      else if (transfer.kind === 'absent') await notePending(uid, 'absent');
      if (transfer.kind === 'declined' || transfer.kind === 'absent' || transfer.kind === 'done')
        break;
      const verdict = await blameFor(driven, { head: `run/${uid}`, size: 1 }, transfer);
      if (verdict === 'wait') return failureOf(transfer);
      if (verdict === 'again') continue;
      // R12: its content is offered again later, and the announcement goes with the others.
      driven.state.faults = null;
      await notePending(uid, codeOf(transfer));
      break;
    }
  }
  return undefined;
}

/**
 * Offers pending runs again: the other side may have been upgraded since, or the content repaired
 * here.
 */
export async function sendPending({
  client,
  store,
  account,
  signal,
}: UpstreamConnection): Promise<void> {
  for (const { run_uid: uid } of await store.read((reader) =>
    reader.uplink.pendingUploads(account),
  )) {
    if (signal.aborted) return;
    const transfer = await sendRun(client, store, uid, signal);
    if (failureOf(transfer) !== undefined && !mayContinue(transfer)) return;
    if (transfer.kind === 'done')
      await store.transact((writer) => writer.uplinkWrites.notePendingUpload(account, uid, null));
  }
}

/**
 * Fetches the content of announced runs that is missing here, of one case or of all shared
 * projects. What cannot be had now is asked for again at the next poll.
 */
export async function fetchAwaited(
  { client, store, account, signal }: UpstreamConnection,
  caseUid?: CaseUid,
): Promise<void> {
  const awaited = await store.read(async (reader) =>
    reader.runs.awaited(
      account,
      caseUid === undefined
        ? { projects: await reader.uplink.shared(account) }
        : { case_uid: caseUid },
    ),
  );
  for (const { run_uid, content_hash } of awaited) {
    if (signal.aborted) return;
    const transfer = await fetchRun(client, store, run_uid, content_hash, signal);
    if (failureOf(transfer) !== undefined && !mayContinue(transfer)) return;
  }
}

export function announcesRun(page: readonly WireChange[]): boolean {
  return announcedIn(page).length > 0;
}
