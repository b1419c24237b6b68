import type { Credential } from '../../../shared/contract/rights.ts';
import { SCHEMA_VERSION } from '../../../sync/change.ts';
import type { ReadContext, StorePorts, WriteContext } from './context.ts';
import type { Identity } from './identity.ts';
import type { StorageEngine, DatabaseSession } from './session.ts';

type StoreNames = Pick<Identity, 'storeId' | 'epoch'>;

/** Makes the contexts of one store's transactions, which share what is parsed once. */
export class Contexts {
  readonly #engine: Pick<StorageEngine, 'kind' | 'packs' | 'lost'>;
  readonly #ports: StorePorts;
  readonly #profileCache: ReadContext['profileCache'] = new Map();
  readonly #ruleCache: WriteContext['ruleCache'] = new Map();
  #lost = 0;
  /** The schema version by which entries are validated. */
  readonly schema: number;

  constructor(engine: Pick<StorageEngine, 'kind' | 'packs' | 'lost'>, ports: StorePorts) {
    this.#engine = engine;
    this.#ports = ports;
    this.schema = ports.schema ?? SCHEMA_VERSION;
  }

  read(
    session: DatabaseSession,
    { storeId, epoch }: StoreNames,
    credential: Credential | undefined,
  ): ReadContext {
    return {
      session,
      ports: this.#ports,
      storeId,
      epoch,
      schema: this.schema,
      profileCache: this.#profileCache,
      credential,
    };
  }

  /** What was read of a transaction that failed afterwards is forgotten. */
  #forgetLost(): void {
    const { lost = 0 } = this.#engine;
    if (lost === this.#lost) return;
    this.#lost = lost;
    this.#ruleCache.clear();
    this.#profileCache.clear();
  }

  write(session: DatabaseSession, names: StoreNames): WriteContext {
    this.#forgetLost();
    const now = this.#ports.clock.now();
    return {
      ...this.read(session, names, undefined),
      ruleCache: this.#engine.kind === 'sqlite' ? this.#ruleCache : new Map(),
      now,
      at: new Date(now).toISOString(),
      packs: this.#engine.packs,
      grown: new Map(),
      changed: new Map(),
      more: new Map(),
      auditOrigin: undefined,
      audited: [],
      beforeCommit: [],
      isDryRun: false,
    };
  }
}
