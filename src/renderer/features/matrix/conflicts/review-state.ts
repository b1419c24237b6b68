import type { StoreApi } from 'zustand/vanilla';
import type { Alternative, Contest, MatrixSession, EntryAuthor } from '../../../data/store/port.ts';
import type { Editor } from '../editor/editor.ts';
import { type BulkRule, type Decision, namesOf } from './decide.ts';
import type { Reasons } from './reasons.ts';

export const BULK_SCOPES = ['all', 'rule', 'selection'] as const;
export type BulkScope = (typeof BULK_SCOPES)[number];

export interface Bulk {
  rule: BulkRule;
  author: string | null;
  scope: BulkScope;
  /** The decisions as they were previewed: only what the person saw is resolved. */
  plan: readonly Decision[];
  /** Registers of it that have other heads since. */
  overtaken: number;
}

export interface ReviewState {
  open: boolean;
  list: readonly Contest[];
  /** The register that is looked at, and its heads as they are shown. */
  at: string | null;
  heads: readonly Alternative[];
  /**
   * What is to hold: one of the heads, or a value of its own (`entry` null). Of a removed item:
   * `RESTORE` or `KEEP`.
   */
  choice: { entry: string | null; value: unknown } | null;
  editing: boolean;
  /** The heads of this register are others than those that a choice was made between. */
  overtaken: boolean;
  /** The reason typed for what is looked at, or for the rule that is previewed. */
  why: string;
  /** The reason recorded last. */
  lastWhy: string;
  bulk: Bulk | null;
  writers: ReadonlyMap<string, EntryAuthor>;
  busy: boolean;
}

/** Where the keys go in a dialog of cells that are decided one after another. */
export interface ReviewFocus {
  focusWhy(): void;
  /**
   * As a decision begins. What it returns leads to the list once that is stored, unless the person
   * has gone to another field meanwhile.
   */
  listFocus(): () => void;
}

/** The list of all conflicts: one register at a time, or many by a rule. */
export interface Review {
  readonly store: StoreApi<ReviewState>;
  open(at?: string): void;
  close(): void;
  go(reg: string): void;
  step(backwards: boolean): void;
  /** The head with this number, from 1. */
  choose(number: number): void;
  edit(value?: unknown): void;
  setWhy(why: string): void;
  resolve(): Promise<void>;
  showInMatrix(): void;
  /** Makes the preview again; null leaves it. */
  plan(change: Partial<Pick<Bulk, 'rule' | 'author' | 'scope'>> | null): void;
  resolveAll(): Promise<void>;
  /** Set by the dialog while it is on screen. */
  dialog: ReviewFocus | undefined;
}

/** What becomes of an item that was written in by someone who had not seen its removal. */
export const [RESTORE, KEEP] = ['restore', 'keep'] as const;

export const CLOSED: ReviewState = {
  open: false,
  list: [],
  at: null,
  heads: [],
  choice: null,
  editing: false,
  overtaken: false,
  why: '',
  lastWhy: '',
  bulk: null,
  writers: new Map(),
  busy: false,
};

/** What the parts of a review share. */
export interface ReviewParts {
  editor: Editor;
  store: StoreApi<ReviewState>;
  reasons: Reasons;
  /** How often the person has gone to a conflict. */
  visits: number;
  /** The dialog, while it is on screen. */
  dialog(): ReviewFocus | undefined;
}

/** The conflict that is looked at. */
export const conflictAt = ({ list, at }: ReviewState): Contest | undefined =>
  list.find(({ reg }) => reg === at);

export const isRemoved = (state: ReviewState): boolean => conflictAt(state)?.kind === 'removed';

/** What stands against each other in a register; of a removed item what was written under it. */
export const headsOf = (
  session: MatrixSession,
  list: readonly Contest[],
  reg: string,
): readonly Alternative[] => {
  const contest = list.find((one) => one.reg === reg);
  return contest?.kind === 'removed' ? session.editsUnder(contest.item) : session.headsOf(reg);
};

/** What a reason is about: one conflict, or what a rule decides. */
export const subjectOf = ({
  at,
  heads,
  bulk,
}: ReviewState): readonly [subject: string, entries: readonly string[]] =>
  bulk === null
    ? [at ?? '', namesOf(heads)]
    : [
        `by ${bulk.rule}, ${bulk.author ?? 'anybody'}, of ${bulk.scope}`,
        bulk.plan.map(({ contest }) => contest.reg),
      ];

export const showWhy = ({ store, reasons }: ReviewParts): void =>
  store.setState({ why: reasons.of(...subjectOf(store.getState())), lastWhy: reasons.last });

/** The trimmed reason; undefined, with the cursor in its field, where there is none. */
export function reasonGiven({ store, dialog }: ReviewParts): string | undefined {
  const why = store.getState().why.trim();
  if (why !== '') return why;
  dialog()?.focusWhy();
  return undefined;
}

/**
 * Leads to the list once what begins here is stored, unless the person has gone to another conflict
 * or field meanwhile.
 */
export function toListAfter(parts: ReviewParts): () => void {
  const { visits } = parts;
  const toList = parts.dialog()?.listFocus();
  return () => {
    if (parts.visits === visits) toList?.();
  };
}

/** Nothing else can be started until it is stored. */
export async function whileBusy<T>({ store }: ReviewParts, act: () => Promise<T>): Promise<T> {
  store.setState({ busy: true });
  const done = await act();
  store.setState({ busy: false });
  return done;
}
