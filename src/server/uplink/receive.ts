import { changes, SYNC_LIMITS } from '../../shared/contract/sync.ts';
import { type PullReply, pullAnswer, stampOf, witnessOf } from '../../sync/link.ts';
import { announcesRun, fetchAwaited } from './courier.ts';
import { fetchDocuments, namesDocument } from './documents.ts';
import {
  type Line,
  LinkMovedError,
  type LinkState,
  moveTo,
  settled,
  type Turn,
  turnOf,
} from './line.ts';
import { StoreError } from '../storage/db/errors.ts';

const DAMAGED =
  'The hosted server sent a change that is not what its name says. Nothing of it was taken over.';

/** The last page that was read, to compare both sides with. */
export interface Pulled {
  turn: Turn;
  page: Pick<PullReply, 'more' | 'count' | 'sum'> | undefined;
}

/** Reads one page and stores it in one transaction with the link's next row (R1). */
async function pullOnce(line: Line, link: LinkState): Promise<Pulled> {
  const request = { ...stampOf(link.row), from: link.row.pull_seq };
  const result = await line.client.call(changes, {
    params: { caseUid: link.stream },
    query: { after: String(request.from), limit: String(link.page) },
    headers: witnessOf(link.row),
    signal: line.signal,
  });
  if (result.kind !== 'ok') {
    line.failed(link.stream, 'changes', result);
    // A page that the other side fails on may succeed in parts.
    link.page = Math.max(1, Math.floor(link.page / 2));
    return { turn: turnOf(result, 'pull'), page: undefined };
  }
  const { body } = result;
  link.page = Math.min(SYNC_LIMITS.changes, link.page * 2);
  const judged = pullAnswer(link.row, request, body, line.hasher);
  if (judged.kind === 'diverged') return { turn: { kind: 'diverged' }, page: undefined };
  if (judged.kind === 'drop')
    return {
      turn: {
        kind: 'later',
        host: false,
        online: judged.why === 'stale',
        retryAfter: null,
        problem: null,
      },
      page: undefined,
    };
  const to = { ...link.row, ...judged.row, last_ok: new Date(line.now()).toISOString() };
  if (body.n === 0) await moveTo(line, link, to);
  else {
    const received = await line.store.transact((writer) =>
      writer.log.receive(line.account, link.stream, {
        changes: body.changes.map(({ id, change, actor, sent_by }) => ({
          id,
          change,
          actor,
          sent_by,
        })),
        link: { from: link.key, to },
      }),
    );
    if (received === undefined) throw new LinkMovedError();
    settled(link, received.link);
    if (announcesRun(body.changes)) await fetchAwaited(line, link.stream);
    if (namesDocument(body.changes)) await fetchDocuments(line);
  }
  return { turn: { kind: 'done' }, page: body };
}

/** Reads page after page until nothing is new. */
export async function pullAll(line: Line, link: LinkState): Promise<Pulled> {
  try {
    for (;;) {
      const pulled = await pullOnce(line, link);
      if (pulled.page?.more !== true || line.signal.aborted) return pulled;
    }
  } catch (error) {
    if (
      error instanceof StoreError &&
      (error.code === 'hash_mismatch' || error.code === 'validation_failed')
    )
      return { turn: { kind: 'stopped', problem: DAMAGED }, page: undefined };
    throw error;
  }
}
