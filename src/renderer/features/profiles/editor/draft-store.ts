import { parseStored } from '../../../state/stored.ts';
import { isUntouched, ProfileDraft } from './draft.ts';

const PREFIX = 'evidence-studio.profile-draft.';
const keyOf = (id: string): string => PREFIX + id;

/** A stored draft that this version cannot read: kept, and offered as a file. */
export interface Damaged {
  key: string;
  text: string;
}

/**
 * Where drafts are kept: written at once with every change, so neither a reload nor a crash takes
 * more than the last key.
 */
export interface DraftStore {
  list(): { drafts: ProfileDraft[]; damaged: Damaged[] };
  get(id: string): ProfileDraft | undefined;
  /** False where this computer did not take it. */
  put(draft: ProfileDraft): boolean;
  remove(id: string): void;
  removeDamaged(key: string): void;
  /** Forgets drafts made before then in which nobody has written. */
  sweep(before: number): void;
  /** Notified of changes by this window and by others. */
  subscribe(listener: () => void): () => void;
  /** Grows with every change that this window knows of. */
  readonly revision: number;
}

export const parseDraft = (text: string | null): ProfileDraft | undefined =>
  parseStored(text, ProfileDraft);

type DraftStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;
type StorageListener = (event: { key: string | null }) => void;
type Listening = (type: 'storage', listener: StorageListener) => void;

/** Source of the events by which other windows' changes of the storage are known. */
interface StorageEvents {
  addEventListener: Listening;
  removeEventListener: Listening;
}

/** Without storage, as some browsers are set up, there are no drafts and `put` answers false. */
function attempt<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

function readAll(storage: DraftStorage): { drafts: ProfileDraft[]; damaged: Damaged[] } {
  const keys = Array.from(
    { length: storage.length },
    (_, index) => storage.key(index) ?? '',
  ).filter((key) => key.startsWith(PREFIX));
  const drafts: ProfileDraft[] = [];
  const damaged: Damaged[] = [];
  for (const key of keys) {
    const text = storage.getItem(key) ?? '';
    const draft = parseDraft(text);
    if (draft === undefined) damaged.push({ key, text });
    else drafts.push(draft);
  }
  return { drafts, damaged };
}

/** Notifies listeners of changes by this window and, through the storage, by others. */
function createNotifier(events: StorageEvents) {
  const listeners = new Set<() => void>();
  let revision = 0;
  const notify = (): void => {
    revision += 1;
    for (const listener of [...listeners]) listener();
  };
  const onStorage: StorageListener = ({ key }) => {
    if (key === null || key.startsWith(PREFIX)) notify();
  };
  return {
    notify,
    revision: () => revision,
    subscribe: (listener: () => void) => {
      if (listeners.size === 0) events.addEventListener('storage', onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) events.removeEventListener('storage', onStorage);
      };
    },
  };
}

/**
 * `open` is called each time, because a browser with storage switched off throws as soon as it is
 * mentioned.
 */
export function createDraftStore(open: () => DraftStorage, events: StorageEvents): DraftStore {
  const { notify, revision, subscribe } = createNotifier(events);
  /**
   * What this window wrote last: as long as it is what is stored, it need not be parsed with every
   * key.
   */
  let written: { draft: ProfileDraft; text: string } | undefined;
  return {
    list: () =>
      attempt(
        () => {
          const { drafts, damaged } = readAll(open());
          const begun = drafts.filter((draft) => !isUntouched(draft));
          return { drafts: begun.sort((a, b) => b.changedAt - a.changedAt), damaged };
        },
        { drafts: [], damaged: [] },
      ),
    sweep: (before) =>
      attempt(() => {
        for (const draft of readAll(open()).drafts)
          if (isUntouched(draft) && draft.createdAt < before) open().removeItem(keyOf(draft.id));
      }, undefined),
    get: (id) =>
      attempt(() => {
        const text = open().getItem(keyOf(id));
        if (text === null || written?.draft.id !== id || written.text !== text)
          return parseDraft(text);
        return written.draft;
      }, undefined),
    put: (draft) =>
      attempt(() => {
        const text = JSON.stringify(draft);
        open().setItem(keyOf(draft.id), text);
        written = { draft, text };
        notify();
        return true;
      }, false),
    remove(id) {
      attempt(() => open().removeItem(keyOf(id)), undefined);
      notify();
    },
    removeDamaged(key) {
      if (key.startsWith(PREFIX)) attempt(() => open().removeItem(key), undefined);
      notify();
    },
    subscribe,
    get revision() {
      return revision();
    },
  };
}
