import { DamagedChangeError, readChecked } from '../../../sync/change.ts';
import { pullAnswer, stampOf, verify } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import { applyChange } from '../replica/apply-change.ts';
import { yieldNowAndThen, yieldToBrowser } from '../replica/yielding.ts';
import { askOrigins, authorOfChange } from './origins.ts';
import { type Link, linkOf, movedTo, type Step, stepOf } from './link.ts';
import { bringsBack, Pages } from './pages.ts';

/**
 * How often what is read of a long log is shown, ms: painting, and what follows what is on screen,
 * costs more than applying a page.
 */
const SHOWN_EVERY_MS = 250;

/** Reads the log to its end, or to the first page that cannot be used. */
export async function pullAll(link: Link & { readonly closed: boolean }): Promise<Step> {
  const pages = new Pages(link);
  let shownAt = -Infinity;
  const show = (isLast: boolean): void => {
    if (!isLast && link.elapsed() - shownAt < SHOWN_EVERY_MS) return;
    shownAt = link.elapsed();
    link.state.arrange();
    link.state.store.publish();
  };
  try {
    let step: Step;
    do step = await pullOnce(link, pages, show);
    while (step.kind === 'again' && !link.closed);
    return step;
  } finally {
    pages.end();
    show(true);
  }
}

/**
 * Reads one page of the log and stores it in one transaction with the link's position (R1), or not
 * at all.
 */
async function pullOnce(link: Link, pages: Pages, show: (isLast: boolean) => void): Promise<Step> {
  const { row, life } = link;
  const page = await pages.next();
  const result = page.answer;
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

  const yieldIfDue = yieldNowAndThen();
  // Parsing the answer has blocked the thread, so the browser gets a turn.
  await yieldToBrowser();
  const news = body.changes.filter(({ id }) => !link.state.changeIds.isApplied(id));
  // These need a request of their own, and there is one at a time (R3).
  const bringing = news.filter(bringsBack);
  if (body.more && bringing.length === 0) pages.readAhead(judged.row);
  try {
    await page.check();
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
  const origins = await askOrigins(
    link,
    bringing.map(({ id, change }) => readChecked(id, change)),
  );
  if (link.life !== life) return { kind: 'again' };
  if ('kind' in origins) return stepOf(origins, 'pull');
  const { state } = link;
  // Change by change, so that a command written to the disk in between is complete; it is skipped
  // when the page is read again.
  for (const { id, change: text, author } of news) {
    while (link.writer.pending > 0) await link.writer.settled();
    if (link.life !== life) return { kind: 'again' };
    // Meanwhile this change may have been sealed here: then it is our own and already applied.
    if (state.changeIds.isApplied(id)) continue;
    const sealed = readChecked(id, text);
    link.seeClock(sealed.change.hlc);
    applyChange(state, sealed, authorOfChange(sealed.change, author, link.seesKeys), { origins });
    await yieldIfDue(sealed.change.entries.length);
  }
  if (link.life !== life) return { kind: 'again' };
  show(!body.more);
  const change = {
    ...movedTo(judged.row),
    ...digest,
    last_ok: link.now(),
    ...(state.document !== undefined && { document: state.document }),
  };
  await link.writer.enqueue({
    rows: state.takeChanged(),
    link: { rev: link.row.rev, change: () => change },
  });
  if (link.life !== life) return { kind: 'again' };
  link.row = { ...link.row, ...change, rev: link.row.rev + 1 };
  if (verified === 'equal') await link.agreed();
  return { kind: body.more ? 'again' : 'done' };
}
