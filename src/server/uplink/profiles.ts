import { missing } from '../../shared/contract/sync.ts';
import { missingAnswer, stampOf, witnessOf } from '../../sync/link.ts';
import { type Circumstances, recover } from './exchange.ts';
import { type Line, type LinkState, moveTo, type Turn, turnOf } from './line.ts';
import { pullAll } from './receive.ts';
import { pushChanges } from './send.ts';
import { PARKED } from './words.ts';

const READ_AT_ONCE = 200;
const Announced = /"reg":"(profile\/[^"]+)"/g;

/**
 * The account's profiles. All of the other side's come here; of ours go those alone that shared cases and their runs name, so the link has no
 * position up to which everything was sent: names of what is needed are offered, and what is missing is sent.
 */
export class ProfileShelf {
  /** Announcements of the own log by register. */
  readonly #held = new Map<string, { seq: number; id: string }[]>();
  #readTo = 0;
  /** Known to be there, in this life of the link. */
  #there = new Set<string>();
  #life = -1;

  async #read(line: Line, stream: string): Promise<void> {
    for (;;) {
      const tail = await line.store.read((reader) => reader.log.tail(line.account, stream, this.#readTo, { notOrigin: null, limit: READ_AT_ONCE, bytes: Infinity }));
      for (const { seq, id, change } of tail.changes) {
        for (const [, register] of change.matchAll(Announced)) this.#held.set(register as string, [...(this.#held.get(register as string) ?? []), { seq, id }]);
      }
      this.#readTo = tail.to;
      if (!tail.more) return;
    }
  }

  /** What is needed and not known to be there. */
  async wanting(line: Line, link: LinkState, needed: readonly string[]): Promise<{ seq: number; id: string }[]> {
    if (link.row.gen !== this.#life) {
      this.#life = link.row.gen;
      this.#there = new Set();
    }
    await this.#read(line, link.stream);
    return needed.flatMap((register) => this.#held.get(register) ?? []).filter(({ id }) => !this.#there.has(id)).sort((a, b) => a.seq - b.seq);
  }

  async #send(line: Line, link: LinkState, wanted: readonly { seq: number; id: string }[]): Promise<Turn> {
    const ids = wanted.map(({ id }) => id);
    const { row } = link;
    const asked = await line.client.call(missing, { params: { caseUid: link.stream }, headers: witnessOf(row), body: { ids }, signal: line.signal });
    if (asked.kind !== 'ok') {
      line.failed(link.stream, 'missing', asked);
      return turnOf(asked, 'push');
    }
    const judged = missingAnswer(row, { ...stampOf(row), ids, to: row.push_pos }, asked.body);
    if (judged.kind !== 'use') return judged.kind === 'diverged' ? judged : { kind: 'later', host: false, online: true, retryAfter: null, problem: null };
    await moveTo(line, link, { ...row, ...judged.row });
    const lacking = new Set(judged.send);
    for (const { seq, id } of wanted) {
      if (lacking.has(id)) {
        const [change] = await line.store.read((reader) => reader.log.at(line.account, link.stream, [seq]));
        const { turn } = change === undefined ? { turn: { kind: 'done' as const } } : await pushChanges(line, link, [change], link.row.push_pos);
        if (turn.kind === 'halve') {
          await this.#keep(line, link, seq, turn.mark);
          continue;
        }
        if (turn.kind !== 'done') return turn;
      }
      this.#there.add(id);
    }
    return { kind: 'done' };
  }

  /** One that the other side refuses for what it is stays here, and is not sent again. */
  async #keep(line: Line, link: LinkState, seq: number, code: string): Promise<void> {
    await line.store.transact((writer) => writer.uplinkWrites.refuse(line.account, link.stream, seq, code));
    for (const [register, announced] of this.#held) this.#held.set(register, announced.filter((one) => one.seq !== seq));
  }

  async #turn(line: Line, link: LinkState, needed: readonly string[], { look, maySend }: Circumstances): Promise<Turn> {
    const wanted = await this.wanting(line, link, needed);
    let turn: Turn = { kind: 'done' };
    if (wanted.length > 0) turn = maySend ? await this.#send(line, link, wanted) : { kind: 'parked', why: 'read_only', problem: PARKED.read_only };
    if (turn.kind !== 'done' && turn.kind !== 'parked') return turn;
    if (!look && wanted.length === 0) return turn;
    const pulled = await pullAll(line, link);
    // Nobody has put a profile there, ours were refused: that is no end of access.
    if (pulled.turn.kind === 'parked' && pulled.turn.why === 'no_access' && link.row.witness.seq === 0) return turn;
    if (pulled.turn.kind !== 'done' || turn.kind !== 'done') return pulled.turn.kind === 'done' ? turn : pulled.turn;
    // The chain over what was read is the other side's own: all that it has is here. What it needs of ours is there, unless it refuses it.
    if ((await line.store.read((reader) => reader.uplink.refused(line.account, link.stream))) > 0) return turn;
    await moveTo(line, link, { ...link.row, rev: link.row.rev + 1, verified_at: new Date(line.now()).toISOString(), verified_seq: link.row.pull_seq, problem: null, state: 'open' });
    return turn;
  }

  async exchange(line: Line, link: LinkState, needed: readonly string[], circumstances: Circumstances): Promise<Turn> {
    const turn = await this.#turn(line, link, needed, circumstances);
    if (turn.kind !== 'diverged') return turn;
    const failed = await recover(line, link);
    if (failed !== undefined) return failed;
    const second = await this.#turn(line, link, needed, { ...circumstances, look: true });
    return second.kind === 'diverged' ? { kind: 'later', host: false, online: true, retryAfter: null, problem: null } : second;
  }
}
