import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { Thread, ThreadInput, ThreadReply } from '../../../shared/contract/v1/discussion.ts';
import {
  type Assignment,
  type ThreadEntry,
  threadId,
  ThreadOpening,
} from '../../../shared/domain/thread.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { isPerson, participantOf } from '../../../sync/layers/authors.ts';
import { formatRegister, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { randomHex } from '../db/ids.ts';
import { author, authorOf, placements } from '../log/author.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import { CaseView } from '../records/case-view.ts';
import { needCase, type StoredCase } from '../records/cases.ts';
import { hiddenCells } from '../rounds/hidden-cells.ts';
import { placeProblems } from './places.ts';
import { needThread, readThreads, showThreads } from './show-threads.ts';

interface OpenedCase {
  stream: Stream;
  stored: StoredCase;
}

/** Writes what is said into the case's log. */
export async function writeDiscussion(
  ctx: WriteContext,
  actor: Actor,
  { stream, stored }: OpenedCase,
  writes: readonly { register: Register; value: ThreadEntry | Assignment }[],
): Promise<void> {
  const view = new CaseView(ctx, stream, stored);
  const by = authorOf(actor);
  const texts = writes.map(({ register, value }) =>
    entryText('[]', jsonString(formatRegister(register)), canonicalJson(value), 'announce'),
  );
  for (const { entry, ...at } of placements(await author(ctx, stream, actor, texts))) {
    const write = writes[entry];
    if (write !== undefined) view.layers.discussion.note(write.register, write.value, at, by);
  }
  await view.flush();
}

/** People alone close and assign (YT3): what status would quarantine is not written. */
function refuseForAgents(actor: Actor, assigns: boolean): void {
  if (assigns && !isPerson(authorOf(actor)))
    throw new StoreError(
      'author_not_allowed',
      'Closing, reopening and assigning is for people. Nothing was stored.',
    );
}

/** Whoever is not shown a place says nothing about it: they could not read what they said. */
const hiddenPlace = (): StoreError =>
  new StoreError('conflict', 'A round in which you record hides this place.', [
    {
      path: '/place',
      code: 'round_open',
      message: 'It can be discussed once the round is released.',
    },
  ]);

async function shown(
  ctx: WriteContext,
  actor: Actor,
  stored: StoredCase,
  id: string,
): Promise<Thread> {
  const threads = await readThreads(ctx, stored.streamPk, [id], undefined);
  const [thread] = await showThreads(ctx, actor.account_id, stored, threads);
  if (thread === undefined) throw new Error('A thread that was written is not there.');
  return thread;
}

export async function openThread(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  { place, kind, text, mentions, assigned_to }: ThreadInput,
): Promise<Thread> {
  refuseForAgents(actor, assigned_to !== undefined);
  const { account_id: account } = actor;
  const stream = await openStream(ctx, account, caseUid);
  const stored = await needCase(ctx, account, caseUid);
  const details = await placeProblems(ctx, account, stored, [place], () => '/place');
  if (details.length > 0)
    throw new StoreError('validation_failed', 'There is nothing of this kind to discuss.', details);
  if ((await hiddenCells(ctx, account, caseUid))?.hidesPlace(place) === true) throw hiddenPlace();
  const opening = ThreadOpening.parse({
    does: 'open',
    place,
    kind,
    text,
    ...(mentions !== undefined && { mentions }),
    ...(assigned_to !== undefined && { assigned_to }),
    opened_by: participantOf(authorOf(actor)),
    nonce: randomHex(16, ctx.ports),
  });
  const id = threadId(opening, ctx.ports.hasher);
  const register: Register = { kind: 'thread', thread: id };
  await writeDiscussion(ctx, actor, { stream, stored }, [{ register, value: opening }]);
  return shown(ctx, actor, stored, id);
}

/** Adds to a thread. Closing what is closed, or reopening what is open, is refused. */
export async function addToThread(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  id: string,
  reply: ThreadReply,
): Promise<Thread> {
  const { account_id: account } = actor;
  refuseForAgents(actor, reply.does !== 'comment' && reply.does !== 'answer');
  const stream = await openStream(ctx, account, caseUid);
  const stored = await needCase(ctx, account, caseUid);
  const { state } = await needThread(ctx, account, stored, id);
  if (
    (reply.does === 'close' && state === 'closed') ||
    (reply.does === 'reopen' && state === 'open')
  )
    throw new StoreError('conflict', `The thread is ${state} already.`, [
      { path: '/does', code: `already_${state}`, message: 'Nothing was stored.' },
    ]);
  const value = Object.fromEntries(
    Object.entries(reply).filter(([, member]) => member !== undefined),
  ) as ThreadReply;
  const register: Register = { kind: 'thread', thread: id };
  await writeDiscussion(ctx, actor, { stream, stored }, [{ register, value }]);
  return shown(ctx, actor, stored, id);
}
