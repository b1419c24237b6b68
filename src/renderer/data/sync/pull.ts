import { changes } from '../../../shared/contract/sync.ts';
import { DamagedChangeError, readChecked } from '../../../sync/change.ts';
import { pullAnswer, stampOf, verify } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import { applyChange } from '../replica/apply-change.ts';
import { breather, giveWay } from '../replica/give-way.ts';
import { askOrigins, authorOfChange } from './origins.ts';
import { headersOf, type Link, linkOf, movedTo, type Step, stepOf } from './link.ts';

/**
 * Reads one page of the log and stores it in one transaction with the link's position (R1), or not
 * at all.
 */
export async function pullOnce(link: Link): Promise<Step> {
  const { row, life } = link;
  const result = await link.client.call(changes, {
    params: { caseUid: row.case_uid },
    query: { after: String(row.pull_seq) },
    headers: headersOf(row),
    signal: link.signal,
  });
  if (link.life !== life) return { kind: 'again' };
  if (result.kind !== 'ok') return stepOf(result, 'pull');
  const { body } = result;
  const judged = pullAnswer(
    linkOf(link.row),
    { ...stampOf(row), from: row.pull_seq },
    body,
    link.hasher,
  );
  if (judged.kind === 'diverged') return judged;
  if (judged.kind === 'drop')
    return judged.why === 'stale'
      ? { kind: 'again' }
      : { kind: 'later', online: false, retryAfter: null, problem: null };
  const digest = addToDigest(
    row,
    body.changes.map(({ id }) => id),
  );
  // Unsent changes are not part of what was read: the digest compared here is that of the server's
  // changes up to this position.
  const verified = verify(body, digest, 0);
  if (verified === 'unequal') return { kind: 'diverged' };
  if (body.n === 0) {
    if (verified === 'equal') await link.agreed();
    return { kind: 'done' };
  }

  const breathe = breather();
  // Parsing the answer has blocked the thread, so the browser gets a turn.
  await giveWay();
  const news = body.changes.filter(({ id }) => !link.state.names.isApplied(id));
  try {
    await link.check(news.map(({ id, change }) => ({ id, change })));
  } catch (error) {
    if (!(error instanceof DamagedChangeError)) throw error;
    return {
      kind: 'later',
      online: true,
      retryAfter: null,
      problem: `The server sent a change that cannot be read (${error.code}). Nothing of it was taken over.`,
    };
  }
  // The others are read one by one, with turns for the browser in between.
  const bringing = news.filter(({ change }) => change.includes('"restores":'));
  const origins = await askOrigins(
    link,
    bringing.map(({ id, change }) => readChecked(id, change)),
  );
  if (link.life !== life) return { kind: 'again' };
  if ('kind' in origins) return stepOf(origins, 'pull');
  const { state } = link;
  // Change by change, so that a gesture written to the disk in between is complete; it is skipped
  // when the page is read again.
  for (const { id, change: text, author } of news) {
    while (link.writer.pending > 0) await link.writer.settled();
    if (link.life !== life) return { kind: 'again' };
    // Meanwhile this change may have been sealed here: then it is our own and already applied.
    if (state.names.isApplied(id)) continue;
    const sealed = readChecked(id, text);
    link.seeClock(sealed.change.hlc);
    applyChange(state, sealed, authorOfChange(sealed.change, author, link.seesKeys), { origins });
    await breathe(sealed.change.entries.length);
  }
  if (link.life !== life) return { kind: 'again' };
  state.arrange();
  state.store.publish();
  const change = {
    ...movedTo(judged.row),
    ...digest,
    last_ok: link.now(),
    ...(state.document !== undefined && { document: state.document }),
  };
  await link.writer.enqueue({
    rows: state.takeDirty(),
    link: { rev: link.row.rev, change: () => change },
  });
  if (link.life !== life) return { kind: 'again' };
  link.row = { ...link.row, ...change, rev: link.row.rev + 1 };
  if (verified === 'equal') await link.agreed();
  return { kind: body.more ? 'again' : 'done' };
}
