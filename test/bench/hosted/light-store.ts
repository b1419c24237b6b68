import { asUser } from '../../support/ids.ts';
import type {
  AccountId,
  ProjectId,
  CaseUid,
  StreamName,
  UserId,
} from '../../../src/shared/contract/ids.ts';
import { passAlong } from '../../../src/sync/link.ts';
import { addToSum, EMPTY_CHAIN, EMPTY_SUM, nextChain } from '../../../src/sync/log.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import {
  originOf,
  type LinkKey,
  type LinkRow,
} from '../../../src/server/storage/replication/links.ts';
import type { WireChange } from '../../../src/shared/contract/sync.ts';
import { projectStream } from '../../../src/sync/register.ts';
import type { SharedStream } from '../../../src/server/storage/replication/shared-streams.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import type { LogPosition } from '../../../src/server/storage/log/log-position.ts';
import type { Reader, Writer } from '../../../src/server/storage/repositories.ts';

interface Held extends WireChange {
  seq: number;
  actor: UserId;
  origin: string | null;
}

interface Log {
  position: LogPosition;
  changes: Held[];
  ids: Map<string, number>;
}

/** The case that a studio shares. */
export interface Shared {
  account: AccountId;
  project: ProjectId;
  caseUid: CaseUid;
}

/** What of an interface is used here. */
const some = <T extends object>(part: Partial<T>): T => part as T;

/**
 * As much of a studio's store as its link to a hosted server uses, in memory: two hundred of them
 * leave room for the server that they load.
 */
export class LightStore {
  readonly #logs = new Map<StreamName, Log>();
  readonly #links = new Map<StreamName, LinkRow>();
  readonly #listeners = new Set<Parameters<Store['onCommit']>[0]>();
  readonly #shared: Shared;
  readonly #arrived: (id: string) => void;

  constructor(shared: Shared, arrived: (id: string) => void) {
    this.#shared = shared;
    this.#arrived = arrived;
  }

  #log(stream: StreamName): Log {
    let log = this.#logs.get(stream);
    if (log === undefined)
      this.#logs.set(
        stream,
        (log = {
          position: { epoch: 'light', seq: 0, chain: EMPTY_CHAIN, count: 0, sum: EMPTY_SUM },
          changes: [],
          ids: new Map(),
        }),
      );
    return log;
  }

  #append(log: Log, { id, change }: WireChange, actor: UserId, origin: string | null): void {
    if (log.ids.has(id)) return;
    const { epoch, seq, chain, sum } = log.position;
    log.position = {
      epoch,
      seq: seq + 1,
      count: seq + 1,
      chain: nextChain(chain, id, nodeHasher),
      sum: addToSum(sum, id),
    };
    log.ids.set(id, seq + 1);
    // What came from the server is not sent back; its text is not needed again.
    log.changes.push({ id, change: origin === null ? change : '', actor, origin, seq: seq + 1 });
  }

  #grown(stream: StreamName): void {
    for (const listener of this.#listeners)
      listener({
        account_id: this.#shared.account,
        case_uid: stream,
        seq: this.#log(stream).position.seq,
        token: { from: '', to: '' },
      });
  }

  #move(stream: StreamName, from: LinkKey | undefined, to: LinkRow): boolean {
    const row = this.#links.get(stream);
    const isSame =
      row === undefined
        ? from === undefined
        : from !== undefined &&
          row.boot === from.boot &&
          row.gen === from.gen &&
          row.rev === from.rev;
    if (isSame) this.#links.set(stream, to);
    return isSame;
  }

  /** Stores what a person wrote. */
  write(change: WireChange, user: UserId): void {
    this.#append(this.#log(this.#shared.caseUid), change, user, null);
    this.#grown(this.#shared.caseUid);
  }

  #sharedStream(stream: StreamName, kind: SharedStream['kind']): SharedStream {
    const { seq, sum } = this.#log(stream).position;
    return {
      stream,
      kind,
      title: '',
      project_id: this.#shared.project,
      seq,
      sum,
      link: this.#links.get(stream),
      waiting: 0,
      oldest: null,
      quarantined: 0,
      refused: 0,
    };
  }

  #reader(): Reader {
    const { project, caseUid } = this.#shared;
    const log = some<Reader['log']>({
      links: async () => [...this.#links].map(([stream, link]) => ({ stream, link })),
      position: async (_account, stream) => this.#logs.get(stream)?.position,
      tail: async (_account, stream, after, { notOrigin, limit }) => {
        const { changes, position } = this.#log(stream);
        const found = changes
          .slice(after)
          .filter(({ origin }) => origin === null || origin !== notOrigin)
          .slice(0, limit);
        const to = found.length < limit ? position.seq : found.at(-1)!.seq;
        return {
          changes: found.map(({ id, change, seq, actor, origin }) => ({
            id,
            change,
            seq,
            actor: origin === null ? actor : null,
          })),
          to,
          more: to < position.seq,
        };
      },
      ids: async (_account, stream, after, to, { notOrigin, limit }) =>
        this.#log(stream)
          .changes.slice(after, to)
          .filter(({ origin }) => origin !== notOrigin)
          .slice(0, limit)
          .map(({ seq, id }) => ({ seq, id })),
      at: async (_account, stream, seqs) => {
        const { changes } = this.#log(stream);
        return seqs.map((seq) => changes[seq - 1]!);
      },
    });
    const uplink = some<Reader['uplink']>({
      shared: async () => [project],
      streams: async () => [
        this.#sharedStream(caseUid, 'case'),
        this.#sharedStream(projectStream(project), 'project'),
      ],
      profiles: async () => [],
      refused: async () => 0,
      pendingUploads: async () => [],
      missingDocuments: async () => [],
      aside: async () => [],
    });
    return some<Reader>({
      log,
      uplink,
      runs: some<Reader['runs']>({ awaited: async () => [], counts: async () => [] }),
    });
  }

  #writer(): Writer {
    const reader = this.#reader();
    const log = some<Writer['log']>({
      ...reader.log,
      moveLink: async (_account, stream, from, to) => this.#move(stream, from, to),
      receive: async (_account, stream, { changes, link }) => {
        if (!this.#move(stream, link.from, link.to)) return undefined;
        const held = this.#log(stream);
        const before = held.position.seq;
        for (const change of changes) {
          if (`c1_${nodeHasher.sha256Base64url(change.change)}` !== change.id)
            throw new Error('A change arrived that is not what its name says.');
          if (!held.ids.has(change.id)) this.#arrived(change.id);
          this.#append(held, change, change.actor, originOf(link.to));
        }
        const next = passAlong(link.to, before, held.position.seq);
        this.#links.set(stream, next);
        this.#grown(stream);
        return { results: [], position: held.position, oldest: null, link: next };
      },
    });
    return some<Writer>({ ...reader, log });
  }

  get store(): Store {
    const { account } = this.#shared;
    const [reader, writer] = [this.#reader(), this.#writer()];
    return some<Store>({
      local: { account_id: account, account_name: '', user_id: asUser(''), user_name: '' },
      read: (fn) => fn(reader),
      transact: (fn) => fn(writer),
      onCommit: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    });
  }
}
