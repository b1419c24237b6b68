import type { Timers, Why } from '../../sync/loop.ts';
import type { Store } from '../storage/store.ts';
import type { LinkScheduler } from './link-scheduler.ts';
import { isCaseStream } from '../../sync/register.ts';
import type { ProjectId, StreamName } from '../../shared/contract/ids.ts';

const DEBOUNCE_MS = 300;

interface OwnChangesPorts {
  store: Store;
  timers: Timers;
  work: LinkScheduler;
  /** Somebody has written something here. */
  edited(): void;
  request(why: Why): void;
}

/** What is stored here while there is a connection: changes within a short time go together. */
export class OwnChanges {
  readonly #ports: OwnChangesPorts;
  readonly #forget: () => void;
  #changed = new Set<StreamName>();
  /**
   * Streams that grew here and have no link yet; one may belong to a case that was moved into a
   * shared project.
   */
  #unlinked = new Set<StreamName>();
  /** Among what was stored last is an edit. */
  #isFresh = false;
  #cancel: (() => void) | null = null;

  constructor(ports: OwnChangesPorts) {
    this.#ports = ports;
    const { store } = ports;
    this.#forget = store.onCommit(({ account_id, case_uid }) => {
      if (account_id === store.local.account_id) this.#committed(case_uid);
    });
  }

  close(): void {
    this.#forget();
    this.#cancel?.();
  }

  #committed(stream: StreamName): void {
    const { work, timers } = this.#ports;
    this.#changed.add(stream);
    // What a link has just fetched is no edit.
    if (!work.isServed(stream)) {
      this.#isFresh = true;
      this.#ports.edited();
    }
    this.#cancel ??= timers.after(DEBOUNCE_MS, () => {
      this.#cancel = null;
      for (const changed of this.#changed) {
        if (work.links.has(changed)) work.changed(changed);
        else this.#unlinked.add(changed);
      }
      this.#changed = new Set();
      this.#ports.request(this.#isFresh ? 'edit' : 'work');
      this.#isFresh = false;
    });
  }

  /** Whether a stream without a link is to have one. */
  async isToBeLinked(): Promise<boolean> {
    const unlinked = [...this.#unlinked];
    this.#unlinked = new Set();
    if (unlinked.length === 0) return false;
    const { store } = this.#ports;
    const account = store.local.account_id;
    return store.read(async (reader) => {
      const shared = new Set(await reader.uplink.shared(account));
      const isShared = (project?: ProjectId): boolean =>
        project !== undefined && shared.has(project);
      for (const stream of unlinked)
        if (
          isCaseStream(stream)
            ? isShared((await reader.cases.get(account, stream))?.project_id)
            : shared.size > 0
        )
          return true;
      return false;
    });
  }
}
