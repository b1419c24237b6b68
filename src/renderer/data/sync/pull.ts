import { DamagedChangeError, readChecked } from '../../../sync/change.ts';
import type { DriverState, StepOutcome } from '../../../sync/driver/ports.ts';
import { pullAll as readAll } from '../../../sync/driver/pull.ts';
import type { BesideKind } from '../../../sync/layers/record.ts';
import { type LinkRow, verify } from '../../../sync/link.ts';
import { addToDigest } from '../../../sync/log.ts';
import { applyChange } from '../replica/apply-change.ts';
import { yieldNowAndThen, yieldToBrowser } from '../replica/yielding.ts';
import { type Link, movedTo, type WindowStep, stepAfter } from './link.ts';
import { askOrigins, authorOfChange } from './origins.ts';
import { drivenBy, OutboxLink, type PageBody } from './outbox-link.ts';
import { bringsBack } from './pages.ts';
import { ServerUpstream } from './server-upstream.ts';
import { t } from '../../text/t.ts';

/**
 * How often what is read of a long log is shown, ms: painting, and what follows what is on screen,
 * costs more than applying a page.
 */
const SHOWN_EVERY_MS = 250;

type PullingLink = Link & { readonly closed: boolean };

/** Reads the log to its end, or to the first page that cannot be used. */
export async function pullAll(link: PullingLink, state: DriverState): Promise<WindowStep> {
  const reading = new LogReading(link);
  const driven = drivenBy(
    link,
    new OutboxLink(link, (row, page) => reading.take(row, page)),
    reading.upstream,
    state,
  );
  try {
    for (;;) {
      const step = stepAfter(await readAll(driven), link.blocked);
      if (step.kind !== 'again' || link.closed) return step;
    }
  } catch (error) {
    if (!(error instanceof DamagedChangeError)) throw error;
    return {
      kind: 'later',
      online: true,
      retryAfter: null,
      problem: t(
        'The server sent a change that cannot be read ({code}). Nothing of it was taken over.',
        { code: error.code },
      ),
    };
  } finally {
    reading.end();
  }
}

/** The pages of one reading, as they are checked, applied, shown and stored. */
class LogReading {
  readonly #link: PullingLink;
  readonly upstream: ServerUpstream;
  #shownAt = -Infinity;
  /** What of what was applied stands beside the record. */
  readonly #beside = new Set<BesideKind>();

  constructor(link: PullingLink) {
    this.#link = link;
    this.upstream = new ServerUpstream(link);
  }
  end(): void {
    this.upstream.pages.end();
    this.#show(true);
    this.#link.state.store.follows = true;
  }
  #show(isLast: boolean): void {
    const { state } = this.#link;
    if (!isLast && this.#link.elapsed() - this.#shownAt < SHOWN_EVERY_MS) return;
    this.#shownAt = this.#link.elapsed();
    state.arrange();
    state.store.publish();
  }

  /** Stores a page in one transaction with the link's position (R1), or nothing of it. */
  async take(row: LinkRow, page: PageBody): Promise<StepOutcome | undefined> {
    const link = this.#link;
    const digest = addToDigest(
      link.row,
      page.changes.map(({ id }) => id),
    );
    // Unsent changes are not part of what was read: the digest compared here is that of the
    // server's changes up to this position.
    const verified = verify(page, digest, 0);
    if (verified === 'unequal') return { kind: 'diverged' };
    if (page.n > 0) {
      const instead = await this.#store(row, page, digest);
      if (instead !== undefined) return instead;
    }
    if (verified === 'equal') await link.agreed();
    return undefined;
  }

  async #store(
    row: LinkRow,
    page: PageBody,
    digest: ReturnType<typeof addToDigest>,
  ): Promise<StepOutcome | undefined> {
    const link = this.#link;
    const { life } = link;
    const instead = await this.#apply(row, page);
    if (instead !== undefined) return instead;
    this.#show(!page.more);
    if (this.#beside.size > 0) link.readBeside([...this.#beside]);
    this.#beside.clear();
    const { state } = link;
    const change = {
      ...movedTo(row),
      ...digest,
      last_ok: link.now(),
      ...(state.document !== undefined && { document: state.document }),
    };
    await link.writer.enqueue({
      rows: state.takeChanged(),
      link: { rev: link.row.rev, change: () => change },
    });
    if (link.life !== life) return { kind: 'stale' };
    link.row = { ...link.row, ...change, rev: link.row.rev + 1 };
    return undefined;
  }

  /** Checks the changes of a page that are new here, and applies them. */
  async #apply(row: LinkRow, page: PageBody): Promise<StepOutcome | undefined> {
    const link = this.#link;
    const { life, state } = link;
    const yieldIfDue = yieldNowAndThen();
    // Parsing the answer has blocked the thread, so the browser may work.
    await yieldToBrowser();
    const news = page.changes.filter(({ id }) => !state.changeIds.isApplied(id));
    // These need a request of their own, and there is one at a time (R3).
    const bringing = news.filter(bringsBack);
    if (page.more && bringing.length === 0)
      this.upstream.pages.readAhead({ ...row, boot: link.row.boot });
    await this.upstream.page?.check();
    // The others are read one by one, with time for the browser in between.
    const origins = await askOrigins(
      link,
      bringing.map(({ id, change }) => readChecked(id, change)),
    );
    if (link.life !== life) return { kind: 'stale' };
    if ('kind' in origins) return { kind: 'failed', failure: origins, phase: 'pull' };
    // Change by change, so that a gesture written to the disk in between is complete; it is skipped
    // when the page is read again.
    for (const { id, change: text, author } of news) {
      while (link.writer.pending > 0) await link.writer.settled();
      if (link.life !== life) return { kind: 'stale' };
      // Meanwhile this change may have been sealed here: then it is our own and already applied.
      if (state.changeIds.isApplied(id)) continue;
      const sealed = readChecked(id, text);
      link.seeClock(sealed.change.hlc);
      const by = authorOfChange(sealed.change, author, link.seesKeys);
      applyChange(state, sealed, by, { origins, tells: true, beside: this.#beside });
      await yieldIfDue(sealed.change.entries.length);
    }
    return link.life === life ? undefined : { kind: 'stale' };
  }
}
