import type { StreamName } from '../../shared/contract/ids.ts';
import type { Driven } from '../../sync/driver/ports.ts';
import { offerAside, pushBatch } from '../../sync/driver/push.ts';
import { missingAnswer, stampOf } from '../../sync/link.ts';
import { Mutex } from '../storage/db/mutex.ts';
import { type Circumstances, readAll, recoverLink } from './sync-link.ts';
import { drivenBy } from './hosted-upstream.ts';
import {
  type UpstreamConnection,
  type LinkState,
  STALE,
  type LinkStep,
  stepAfter,
  stepOf,
} from './connection.ts';
import { BLOCKED } from './words.ts';

const DONE = { kind: 'done' } as const satisfies LinkStep;
const READ_AT_ONCE = 200;
const Announced = /"reg":"((?:profile|version|retired)\/[^"]+)"/g;

/**
 * The link of the account's profiles. All profiles of the other side are fetched, but only those
 * are sent that shared cases and their runs need. So there is no position up to which everything
 * was sent: the ids of the needed ones are offered, and the missing ones sent.
 */
export class ProfileSync {
  /** Announcements in this studio's log, and what was settled about them, by register. */
  readonly #announced = new Map<string, { seq: number; id: string }[]>();
  readonly #readLock = new Mutex();
  #readTo = 0;
  /** Ids that the other side is known to hold, in the present generation of the link. */
  #there = new Set<string>();
  #life = -1;

  /** One at a time: two that read the same announcements would offer each twice. */
  #read(connection: UpstreamConnection, stream: StreamName): Promise<void> {
    return this.#readLock.run(() => this.#readOn(connection, stream));
  }

  async #readOn(connection: UpstreamConnection, stream: StreamName): Promise<void> {
    for (;;) {
      const tail = await connection.store.read((reader) =>
        reader.log.tail(connection.account, stream, this.#readTo, {
          notOrigin: null,
          limit: READ_AT_ONCE,
          bytes: Infinity,
        }),
      );
      for (const { seq, id, change } of tail.changes) {
        for (const [, register] of change.matchAll(Announced))
          this.#announced.set(register as string, [
            ...(this.#announced.get(register as string) ?? []),
            { seq, id },
          ]);
      }
      this.#readTo = tail.to;
      if (!tail.more) return;
    }
  }

  /** Announcements that are needed and not known to be on the other side. */
  async wanting(
    connection: UpstreamConnection,
    link: LinkState,
    needed: readonly string[],
  ): Promise<{ seq: number; id: string }[]> {
    if (link.row.gen !== this.#life) {
      this.#life = link.row.gen;
      this.#there = new Set();
    }
    await this.#read(connection, link.stream);
    return needed
      .flatMap((register) => this.#announced.get(register) ?? [])
      .filter(({ id }) => !this.#there.has(id))
      .sort((a, b) => a.seq - b.seq);
  }

  async #send(
    link: LinkState,
    driven: Driven,
    wanted: readonly { seq: number; id: string }[],
  ): Promise<LinkStep> {
    const ids = wanted.map(({ id }) => id);
    const { row } = link;
    const asked = await driven.upstream.missing(ids, row);
    if (asked.kind !== 'ok') return stepOf(asked, 'recover');
    const checked = missingAnswer(row, { ...stampOf(row), ids, to: row.push_pos }, asked.body);
    if (checked.kind !== 'use') return checked.kind === 'diverged' ? checked : STALE;
    await driven.store.move(checked.row);
    const lacking = new Set(checked.send);
    for (const { seq, id } of wanted) {
      const step = lacking.has(id) ? await this.#sendOne(link, driven, seq) : DONE;
      if (step.kind !== 'done') return step;
      this.#there.add(id);
    }
    return DONE;
  }

  /** Sends one announcement. One that the other side refuses stays here and is not sent again. */
  async #sendOne(link: LinkState, driven: Driven, seq: number): Promise<LinkStep> {
    const [change] = await driven.store.read([{ seq }], 1);
    for (;;) {
      if (change === undefined) return DONE;
      const pushed = await pushBatch(driven, [change], link.row.push_pos);
      if (pushed.keptBack === true) this.#forget(seq);
      if (pushed.reply !== undefined || pushed.keptBack === true) return DONE;
      if (pushed.kind !== 'again') return stepAfter(link, pushed);
    }
  }
  #forget(seq: number): void {
    for (const [register, announced] of this.#announced)
      this.#announced.set(
        register,
        announced.filter((one) => one.seq !== seq),
      );
  }

  async #runCycle(
    connection: UpstreamConnection,
    link: LinkState,
    needed: readonly string[],
    { look, sendingBlocked }: Circumstances,
  ): Promise<LinkStep> {
    const driven = drivenBy(connection, link);
    const wanted = await this.wanting(connection, link, needed);
    let step: LinkStep = DONE;
    if (wanted.length > 0)
      step =
        sendingBlocked === null
          ? await this.#send(link, driven, wanted)
          : { kind: 'blocked', why: sendingBlocked, problem: BLOCKED[sendingBlocked] };
    if (step.kind !== 'done' && step.kind !== 'blocked') return step;
    if (sendingBlocked === null) await offerAside(driven, wanted.length > 0);
    if (!look && wanted.length === 0) return step;
    const pulled = await readAll(driven, link);
    // The other side has no profile log yet, because nobody has put a profile there or it refused
    // ours. That does not mean that access has ended.
    if (
      pulled.step.kind === 'blocked' &&
      pulled.step.why === 'no_access' &&
      link.row.witness.seq === 0
    )
      return step;
    if (pulled.step.kind !== 'done' || step.kind !== 'done')
      return pulled.step.kind === 'done' ? step : pulled.step;
    // The link has read the whole log of the other side, so everything it has is here; and all that
    // it needs was sent above. If it refuses some of ours, the two are not equal.
    if (
      (await connection.store.read((reader) =>
        reader.uplink.refused(connection.account, link.stream),
      )) > 0
    )
      return step;
    const { row } = link;
    await driven.store.verified({ ...row, rev: row.rev + 1 }, { seq: row.pull_seq });
    return step;
  }

  async sync(
    connection: UpstreamConnection,
    link: LinkState,
    needed: readonly string[],
    circumstances: Circumstances,
  ): Promise<LinkStep> {
    const step = await this.#runCycle(connection, link, needed, circumstances);
    if (step.kind !== 'diverged') return step;
    const failed = await recoverLink(drivenBy(connection, link), link);
    if (failed !== undefined) return failed;
    const second = await this.#runCycle(connection, link, needed, { ...circumstances, look: true });
    return second.kind === 'diverged'
      ? { kind: 'later', host: false, online: true, retryAfter: null, problem: null }
      : second;
  }
}
