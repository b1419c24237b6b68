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
  /** Hears of changes by this window and by others. */
  subscribe(listener: () => void): () => void;
  /** Grows with every change that this window knows of. */
  readonly revision: number;
}

export const parseDraft = (text: string | null): ProfileDraft | undefined =>
  parseStored(text, ProfileDraft);

type Listening = (type: 'storage', listener: (event: { key: string | null }) => void) => void;

/**
 * `open` is called each time, because a browser with storage switched off throws as soon as it is
 * mentioned.
 */
export function createDraftStore(
  open: () => Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>,
  hear: { addEventListener: Listening; removeEventListener: Listening },
): DraftStore {
  const listeners = new Set<() => void>();
  let revision = 0;
  /**
   * What this window wrote last: as long as it is what is stored, it need not be parsed with every
   * key.
   */
  let written: { draft: ProfileDraft; text: string } | undefined;
  const tell = (): void => {
    revision += 1;
    for (const listener of [...listeners]) listener();
  };
  const onStorage = ({ key }: { key: string | null }): void => {
    if (key === null || key.startsWith(PREFIX)) tell();
  };
  /**
   * Storage may be switched off in a browser: then there are no drafts, and `put` says that none
   * was kept.
   */
  const attempt = <T>(act: () => T, otherwise: T): T => {
    try {
      return act();
    } catch {
      return otherwise;
    }
  };
  const readAll = (): { drafts: ProfileDraft[]; damaged: Damaged[] } => {
    const storage = open();
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
  };
  return {
    list: () =>
      attempt(
        () => {
          const { drafts, damaged } = readAll();
          return {
            drafts: drafts
              .filter((draft) => !isUntouched(draft))
              .sort((a, b) => b.changedAt - a.changedAt),
            damaged,
          };
        },
        { drafts: [], damaged: [] },
      ),
    sweep: (before) =>
      attempt(() => {
        for (const draft of readAll().drafts)
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
        tell();
        return true;
      }, false),
    remove(id) {
      attempt(() => open().removeItem(keyOf(id)), undefined);
      tell();
    },
    removeDamaged(key) {
      if (key.startsWith(PREFIX)) attempt(() => open().removeItem(key), undefined);
      tell();
    },
    subscribe(listener) {
      if (listeners.size === 0) hear.addEventListener('storage', onStorage);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) hear.removeEventListener('storage', onStorage);
      };
    },
    get revision() {
      return revision;
    },
  };
}
