import { randomBytes } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { listBackups } from '../instance/backups.ts';
import { nodeHasher } from '../instance/hasher.ts';
import { carryOut } from '../http/carry-out.ts';
import { createInProgress } from '../http/idempotency.ts';
import type { StoredRoute } from '../http/route.ts';
import { openStore } from '../storage/open.ts';
import { ROUTES } from '../v1/routes.ts';
import { type Notice, type Order, packAnswer, packError, type StoreState } from './messages.ts';
import { letOthersFirst } from './priority.ts';
import { AbandonedError, Transaction } from './transaction.ts';
import type { StorePorts } from '../storage/db/context.ts';
import type { AccountScope, Patience } from '../storage/db/session.ts';
import type { Store } from '../storage/store.ts';
import type { Reader } from '../storage/repositories.ts';

type Ordered<D extends Order['do']> = Extract<Order, { do: D }>;

/**
 * How often it is looked whether the store takes writes: a large file is checked while it is used
 * already.
 */
const LOOK_MS = 200;

/**
 * How much nicer this thread is than the others. On a desktop a key press should not wait for what
 * an agent writes; with PostgreSQL only large calls are carried out here, and short ones, on the
 * main thread, should not wait for them. Measured in docs/decisions/0044 and 0045.
 */
const NICER = { sqlite: 10, postgres: 5 };

const STORED: ReadonlyMap<string, StoredRoute> = new Map(
  ROUTES.flatMap((route) =>
    route.kind === 'service' || route.kind === 'local' ? [] : [[route.endpoint.id, route] as const],
  ),
);

/**
 * Holds the store for a server on another thread, and carries its calls out: all that takes more
 * than a moment is done here.
 */
class Host {
  readonly #port: MessagePort;
  readonly #ports: Omit<StorePorts, 'version' | 'quotas'> = {
    clock: { now: () => Date.now() },
    random: { bytes: (length) => randomBytes(length) },
    hasher: nodeHasher,
  };
  readonly #transactions = new Map<number, Transaction>();
  readonly #once = createInProgress();
  #store: Store | undefined;
  #served: Ordered<'serve'>['deps'] | undefined;
  #state = '';
  #looking: NodeJS.Timeout | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (order: Order) => this.#take(order));
  }

  #notify(notice: Notice, transfer: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(notice, transfer);
  }

  #take(order: Order): void {
    switch (order.do) {
      case 'open':
        return void this.#open(order);
      case 'serve':
        this.#served = order.deps;
        return;
      case 'begin':
        return void this.#begin(order);
      case 'call':
        return void this.#call(order);
      case 'end':
        this.#transactions.get(order.id)?.end(order.failed);
        return;
      case 'carry-out':
        return void this.#carryOut(order);
      case 'backup':
        return void this.#answer(order.id, () => this.#opened.backup(order.file));
      case 'close':
        return void this.#close(order.id);
    }
  }

  get #opened(): Store {
    if (this.#store === undefined) throw new TypeError('The store is not open.');
    return this.#store;
  }

  async #open({ options, version, quotas }: Ordered<'open'>): Promise<void> {
    letOthersFirst(NICER[options.kind]);
    try {
      const store = await openStore(options, { ...this.#ports, version, quotas });
      this.#store = store;
      store.onCommit((event) => this.#notify({ kind: 'commit', event }));
      const { engine, storeId, epoch } = store;
      this.#looking = setInterval(() => this.#notifyState(), LOOK_MS).unref();
      this.#notify({
        kind: 'opened',
        outcome: { value: { engine, storeId, epoch, ...this.#stateNow() } },
      });
    } catch (error) {
      this.#notify({ kind: 'opened', outcome: { failure: packError(error) } });
    }
  }

  #stateNow(): StoreState {
    const { local, health, pool } = this.#opened;
    return { local, health: health(), pool: pool?.() };
  }

  /**
   * Before what was done is answered, so that whoever hears of it finds the store's state as it is
   * since.
   */
  #notifyState(): void {
    const state = this.#stateNow();
    const text = JSON.stringify(state);
    if (text === this.#state) return;
    this.#state = text;
    this.#notify({ kind: 'state', state });
  }

  async #answer(id: number, work: () => Promise<unknown>): Promise<void> {
    try {
      const value = await work();
      this.#notifyState();
      this.#notify({ kind: 'done', id, outcome: { value } });
    } catch (error) {
      this.#notifyState();
      this.#notify({ kind: 'done', id, outcome: { failure: packError(error) } });
    }
  }

  async #begin({ id, mode, rest }: Ordered<'begin'>): Promise<void> {
    const transaction = new Transaction();
    this.#transactions.set(id, transaction);
    const run = (parts: Reader): Promise<void> => transaction.run(parts);
    const store = this.#opened;
    await this.#answer(id, async () => {
      try {
        // The server's own types have checked what follows the function.
        if (mode === 'transact') await store.transact(run, ...(rest as [AccountScope?, Patience?]));
        else if (mode === 'read') await store.read(run, ...(rest as [AccountScope?]));
        else await store.ask(run);
      } catch (error) {
        transaction.refuse(error);
        throw error;
      }
    });
    this.#transactions.delete(id);
  }

  async #call({ id, at, path, args }: Ordered<'call'>): Promise<void> {
    try {
      // The thread may have waited for the file in vain while the call was on its way.
      const transaction = this.#transactions.get(id);
      if (transaction === undefined) throw new AbandonedError('The transaction has ended.');
      const value = await transaction.call(path, args);
      this.#notify({ kind: 'called', id, at, outcome: { value } });
    } catch (error) {
      this.#notify({ kind: 'called', id, at, outcome: { failure: packError(error) } });
    }
  }

  async #carryOut({ id, route: name, asked, url }: Ordered<'carry-out'>): Promise<void> {
    try {
      const route = STORED.get(name);
      if (route === undefined || this.#served === undefined)
        throw new TypeError(`${name} cannot be carried out here.`);
      const { folder, ...served } = this.#served;
      const deps = {
        ...this.#ports,
        ...served,
        url,
        store: this.#opened,
        backups: () => listBackups(folder),
      };
      const { value, transfer } = packAnswer(
        await carryOut(route, asked, { deps, once: this.#once }),
      );
      this.#notifyState();
      this.#notify({ kind: 'carried-out', id, outcome: { value } }, transfer);
    } catch (error) {
      this.#notifyState();
      this.#notify({ kind: 'carried-out', id, outcome: { failure: packError(error) } });
    }
  }

  async #close(id: number): Promise<void> {
    clearInterval(this.#looking);
    await this.#answer(id, () => this.#opened.close());
    this.#port.close();
  }
}

export function hostStore(port: MessagePort): void {
  new Host(port);
  port.postMessage({ kind: 'ready' } satisfies Notice);
}
