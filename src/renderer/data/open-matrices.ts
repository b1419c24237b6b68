import type { CaseUid } from '../../shared/contract/ids.ts';
import { profileDigest } from '../../shared/domain/profile.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { Timers } from '../../sync/loop.ts';
import { EMPTY_CHAIN, EMPTY_SUM, LOG_START } from '../../sync/log.ts';
import type { Library } from './api/library.ts';
import type { Who } from './api/who.ts';
import { HiddenMatrixError, restrictionsOf } from './restrictions.ts';
import { createMatrixSession } from './matrix-session.ts';
import { type MatrixAddress, matrixId, type ReplicaPorts } from './replica/replica-ports.ts';
import type { Database, MatrixRow } from './store/db.ts';
import type { BesideNews } from './replica/beside-news.ts';
import type { MatrixSession, OpenMatrix, Restrictions } from './store/port.ts';
import { readMatrixRow } from './store/stored-rows.ts';
import { Replica } from './sync/replica.ts';

export interface OpenMatricesPorts {
  db: Database;
  hasher: Hasher;
  library: Library;
  who: Who;
  /** Filled and emptied here, and read by others. */
  open: Set<Replica>;
  timers: Timers;
  replica: ReplicaPorts;
  /** Resolves when the copies of those who this person was before are theirs. */
  takeOver(): Promise<void>;
  /** Called when a matrix was closed: its numbers are those of the store from here on. */
  closed(): void;
  /** Called when it was one on screen. */
  left(): void;
  /** Hears where it becomes known late what a person may not do in a case that is open. */
  beside: BesideNews;
}

type Address = Parameters<OpenMatrix>[0];

/**
 * How long a copy waits for the answer who is signed in, before it is shown to the last known user.
 * Milliseconds.
 */
const WHO_MS = 1_500;

/** The matrices that this window has open, on screen or to send what waits. */
export class OpenMatrices {
  readonly #ports: OpenMatricesPorts;
  /** What closed matrices are still storing. */
  readonly #leaving = new Set<Promise<void>>();
  /** Cases of matrices that are just being opened. */
  readonly #opening: CaseUid[] = [];

  constructor(ports: OpenMatricesPorts) {
    this.#ports = ports;
  }

  /**
   * A matrix that is stored here opens without waiting for the server. But it belongs to one user,
   * so the server is first asked, for a moment, who is signed in, and what they may not do with it.
   * Rejects with `HiddenMatrixError` where it is hidden from them.
   */
  async open(address: Address): Promise<MatrixSession> {
    const { caseUid } = address;
    this.#opening.push(caseUid);
    let opened: MatrixSession | undefined;
    try {
      opened = await this.#open(address);
      return opened;
    } finally {
      this.#opening.splice(this.#opening.indexOf(caseUid), 1);
      // Nobody has read what was hinted at meanwhile.
      if (opened === undefined && !this.reads(caseUid)) this.#ports.beside.tell(caseUid);
    }
  }

  async #open(address: Address): Promise<MatrixSession> {
    const { who, db, takeOver } = this.#ports;
    if (!who.asked) await this.#askWho();
    const { owner, facts } = who;
    if (owner === undefined || facts === undefined) {
      await who.ask();
      return this.#open(address);
    }
    await takeOver();
    const restricting = this.#knownRestrictions(address);
    const known = readMatrixRow(await db.matrices.get(matrixId(owner, address)));
    const row =
      known === undefined ? await this.freshRow(address) : await this.#rowOf(known, address);
    const { hiddenBy, isApproved = false } = await restricting;
    if (hiddenBy) throw new HiddenMatrixError(hiddenBy);
    const replica = await this.openReplica(row, () => this.#ports.left());
    const session = await createMatrixSession(replica, facts.user);
    session.noteApproved(isApproved);
    return session;
  }

  restrictionsOf(address: Address): Promise<Restrictions> {
    const { who, library } = this.#ports;
    return restrictionsOf(library, who.owner ?? '', address, WHO_MS);
  }
  /**
   * Where nothing is known and the server does not answer in time, the matrix opens all the same;
   * who watches the case hears once it has answered.
   */
  async #knownRestrictions(address: Address): Promise<Partial<Restrictions>> {
    const { timers, beside } = this.#ports;
    const answer = this.restrictionsOf(address);
    const late = new Promise<undefined>(
      (resolve) => void timers.after(2 * WHO_MS, () => resolve(undefined)),
    );
    const known = await Promise.race([answer, late]);
    if (known === undefined) void answer.then(() => beside.tell(address.caseUid));
    return known ?? {};
  }

  async openReplica(row: MatrixRow, closed?: () => void): Promise<Replica> {
    const opened = new Replica(row, this.#ports.replica);
    this.#ports.open.add(opened);
    opened.closing.addEventListener('abort', () => {
      this.#ports.open.delete(opened);
      const storing = opened.writer.settled().finally(() => this.#leaving.delete(storing));
      this.#leaving.add(storing);
      this.#ports.closed();
      closed?.();
    });
    try {
      await opened.start();
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  }

  async #askWho(): Promise<void> {
    const { who, timers } = this.#ports;
    const answer = who.ask().catch(() => undefined);
    await (who.facts === undefined
      ? answer
      : Promise.race([answer, new Promise<void>((resolve) => void timers.after(WHO_MS, resolve))]));
  }

  /**
   * A stored copy, or a new one in its place where it was read under another document than the
   * matrix is of. Unsent changes are in the outbox and stay.
   */
  async #rowOf(known: MatrixRow, address: Address): Promise<MatrixRow> {
    const { db, hasher } = this.#ports;
    if (address.digest === undefined || address.digest === profileDigest(known.profile, hasher))
      return known;
    const fresh = await this.freshRow(address);
    await db.matrices.put(fresh);
    return fresh;
  }

  /** The row of a matrix that nothing was read of yet. */
  async freshRow({ caseUid, profileUid, profileVersion, digest }: Address): Promise<MatrixRow> {
    const { library, who } = this.#ports;
    const named =
      digest ??
      (await library.caseDocument(caseUid, profileUid, profileVersion).then(
        ({ data }) => data.digest ?? undefined,
        () => undefined,
      ));
    const { data: profile } = await library.profile(profileUid, profileVersion, named);
    const user = who.owner ?? '';
    return {
      id: matrixId(user, { caseUid, profileUid, profileVersion }),
      user,
      case_uid: caseUid,
      profile_uid: profileUid,
      profile_version: profileVersion,
      profile,
      rules: profile.rules
        .toSorted((a, b) => a.ruleOrder - b.ruleOrder)
        .map((rule) => rule.ruleUid),
      gen: 0,
      boot: '',
      rev: 0,
      epoch: '',
      base_seq: 0,
      pull_seq: 0,
      pull_chain: EMPTY_CHAIN,
      witness: LOG_START,
      count: 0,
      sum: EMPTY_SUM,
      schema: 0,
      last_ok: null,
      review: 0,
      overlaid: [],
    };
  }

  /** Whether this window has a copy of the case, readable without the server. */
  async holds(address: MatrixAddress): Promise<boolean> {
    const { db, who } = this.#ports;
    const row = await db.matrices.get(matrixId(who.owner ?? '', address));
    return row !== undefined && row.gen > 0;
  }

  /** Whether a matrix of the case is open, or will be, which reads what comes into its log. */
  reads(caseUid: CaseUid): boolean {
    return (
      this.#opening.includes(caseUid) ||
      [...this.#ports.open].some(({ row }) => row.case_uid === caseUid)
    );
  }

  /** Resolves when everything on screen is on the disk. */
  async settled(): Promise<void> {
    await Promise.all([
      ...this.#leaving,
      ...[...this.#ports.open].map((replica) => replica.writer.settled()),
    ]);
  }
  /** Closes all of them; resolves when everything on screen is on the disk. */
  async close(): Promise<void> {
    for (const replica of this.#ports.open) replica.close();
    await Promise.all(this.#leaving);
  }
}
