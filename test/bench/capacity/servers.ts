/** Instances and PostgreSQL as queues, with measured costs. */
import type { Random } from '../../support/random.ts';
import { CLIENT_MS, COSTS, FURTHER_CHANGE, IDLE_STREAM, type RequestKind } from './costs.ts';
import type { Site } from './site.ts';
import { Allowance, Station, type Timeline } from './stations.ts';

const POOL_PATIENCE_MS = 8_000;
const CHECK_MS = 1_000;
const CHECKED_AT_ONCE = 256;
export const LIMITS = { key: [60, 20], account: [1_200, 400] } as const;
/** Queues are empty before; what comes after is counted. */
export const WARM_UP_MS = 10_000;

interface Limits {
  all: Allowance;
  writes: Allowance;
}
export const limitsOf = ([all, writes]: readonly [number, number]): Limits => ({
  all: new Allowance(all),
  writes: new Allowance(writes),
});

interface Instance {
  thread: Station;
  pool: Station;
  streams: number;
}
export interface Account {
  instance: Instance;
  limits: Limits;
  /** One write at a time: pushes to a case wait for each other. */
  lock: Station;
}
/** Whoever has a key. */
export interface Caller {
  team: Account;
  limits: Limits;
}
interface Request {
  kind: RequestKind;
  /** In one push. */
  changes: number;
}

export const KINDS = ['threads', 'pools', 'database'] as const;
export type StationKind = (typeof KINDS)[number];

/** What of a whole is played. */
export const partOf = ({ part }: Site, whole: number): number =>
  Math.max(1, Math.round(whole / part));

export class Servers {
  readonly #site: Site;
  readonly #time: Timeline;
  readonly #random: Random;
  readonly #cores: Station | undefined;
  readonly #clients: Station;
  readonly #database: Station;
  readonly #instances: Instance[];
  readonly stations: Readonly<Record<StationKind, Station[]>>;
  readonly counts = { requests: 0, limited: 0, refused: 0 };

  constructor(site: Site, time: Timeline, random: Random) {
    [this.#site, this.#time, this.#random] = [site, time, random];
    this.#cores = site.sharedCores === undefined ? undefined : new Station(time, site.sharedCores);
    this.#clients = new Station(time, 1);
    this.#database = new Station(time, partOf(site, site.databaseCores));
    this.#instances = Array.from({ length: partOf(site, site.instances) }, () => ({
      thread: new Station(time, 1),
      pool: new Station(time, site.connections, POOL_PATIENCE_MS),
      streams: 0,
    }));
    this.stations = {
      threads: this.#instances.map(({ thread }) => thread),
      pools: this.#instances.map(({ pool }) => pool),
      database: [this.#database],
    };
    this.#checks();
  }

  /** The nth account, with the instance that it stays at. */
  account(n: number): Account {
    return {
      instance: this.#instances[n % this.#instances.length]!,
      limits: limitsOf(LIMITS.account),
      lock: new Station(this.#time, 1),
    };
  }

  /** Between half and one and a half of the mean. */
  #about = (mean: number): number => mean * (0.5 + this.#random.int(1_000_000) / 1_000_000);

  /** Each second every instance looks up the credentials of all its streams. */
  #checks(): void {
    for (const instance of this.#instances) {
      const check = (): void => {
        for (let left = instance.streams; left > 0; left -= CHECKED_AT_ONCE) {
          const some = Math.min(left, CHECKED_AT_ONCE);
          this.#think(instance, some * IDLE_STREAM.server, () =>
            instance.pool.enter(() =>
              this.#query(some * IDLE_STREAM.database, 1, () => instance.pool.leave()),
            ),
          );
        }
        this.#time.after(CHECK_MS, check);
      };
      this.#time.after(this.#random.int(CHECK_MS), check);
    }
  }

  #isDown(): boolean {
    const { outage } = this.#site;
    return outage !== undefined && this.#time.now >= outage.from && this.#time.now < outage.to;
  }

  /** On a core, which may be shared with all else. */
  #compute(ms: number, then: () => void): void {
    if (this.#cores === undefined) this.#time.after(ms, then);
    else this.#cores.use(ms, then);
  }
  #think({ thread }: Instance, ms: number, then: () => void): void {
    thread.enter(() =>
      this.#compute(ms, () => {
        thread.leave();
        then();
      }),
    );
  }
  #query(ms: number, trips: number, then: () => void): void {
    this.#database.enter(() =>
      this.#compute(ms, () => {
        this.#database.leave();
        this.#time.after(trips * this.#site.roundTrip, then);
      }),
    );
  }

  /** From the client and back; answers whether it was done. */
  request({ team, limits }: Caller, { kind, changes }: Request, then: (ok: boolean) => void): void {
    const { server, database, trips, writes } = COSTS[kind];
    const { instance, lock } = team;
    const { now } = this.#time;
    const { counts } = this;
    if (now > WARM_UP_MS) counts.requests += 1;
    if (this.#isDown()) return then(false);
    for (const { all, writes: some } of [limits, team.limits])
      if (!all.take(now) || (writes && !some.take(now))) {
        counts.limited += 1;
        return this.#time.after(1_000, () => then(false));
      }
    const further = changes - 1;
    const ownMs = this.#about(server + further * FURTHER_CHANGE.server);
    const databaseMs = this.#about(database + further * FURTHER_CHANGE.database);
    const answer = (): void => {
      instance.pool.leave();
      this.#think(instance, 0.4 * ownMs, () => then(!this.#isDown()));
    };
    const work = (done: () => void): void =>
      this.#query(databaseMs, trips, () =>
        writes ? this.#time.after(this.#site.commit, done) : done(),
      );
    const write = (): void =>
      lock.enter(() =>
        work(() => {
          lock.leave();
          answer();
        }),
      );
    const refuse = (): void => {
      counts.refused += 1;
      this.#time.after(1_000, () => then(false));
    };
    this.#think(instance, 0.6 * ownMs, () =>
      instance.pool.enter(() => (writes ? write() : work(answer)), refuse),
    );
  }

  /** A desktop's request; its own side may be on the same machine. */
  ask(caller: Caller, request: Request, then: (ok: boolean) => void): void {
    const send = (): void => this.request(caller, request, then);
    if (this.#cores === undefined) send();
    else
      this.#clients.enter(() =>
        this.#compute(CLIENT_MS, () => {
          this.#clients.leave();
          send();
        }),
      );
  }
}
