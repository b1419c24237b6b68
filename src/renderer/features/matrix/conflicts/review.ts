import { itemName, ruleName } from '../model/names.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Alternative, Contest, Writer } from '../../../data/store/port.ts';
import { plural } from '../../../state/format.ts';
import type { Editor } from '../editor/editor.ts';
import { tell } from '../editor/editor-state.ts';
import { NO_FILTER } from '../model/filter.ts';
import { isSelected, rectsOf, single } from '../model/selection.ts';
import {
  type BulkRule,
  type Decision,
  namesOf,
  planBulk,
  sameHeads,
  sumsOf,
  toSettlings,
} from './decide.ts';
import { Reasons } from './reasons.ts';

export const BULK_SCOPES = ['all', 'rule', 'selection'] as const;
export type BulkScope = (typeof BULK_SCOPES)[number];

export interface Bulk {
  rule: BulkRule;
  author: string | null;
  scope: BulkScope;
  /** The decisions as they were previewed: only what the person saw is settled. */
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
  writers: ReadonlyMap<string, Writer>;
  busy: boolean;
}

/** The list of everything contested: one register at a time, or many by a rule. */
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
  settle(): Promise<void>;
  showInMatrix(): void;
  /** Makes the preview anew; null leaves it. */
  plan(change: Partial<Pick<Bulk, 'rule' | 'author' | 'scope'>> | null): void;
  settleAll(): Promise<void>;
  /** Set by the dialog while it is on screen. */
  dialog: { focusWhy(): void; focusList(): void } | undefined;
}

/** What becomes of an item that was written in by somebody who had not seen its removal. */
export const [RESTORE, KEEP] = ['restore', 'keep'] as const;

const CLOSED: ReviewState = {
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

function createReview(editor: Editor): Review {
  const { session } = editor;
  const store = createStore<ReviewState>(() => CLOSED);
  const get = store.getState;
  let stop: (() => void) | undefined;
  let asking = false;

  const askWriters = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    const entries = get().list.flatMap(({ reg, kind, item }) =>
      namesOf(
        kind === 'removed'
          ? [...session.headsOf(reg), ...session.editsUnder(item)]
          : session.headsOf(reg),
      ),
    );
    try {
      if (entries.some((entry) => !get().writers.has(entry)))
        store.setState({ writers: await session.writers(entries) });
    } finally {
      asking = false;
    }
  };
  const reasons = new Reasons();
  /** What a reason is about: one conflict, or what a rule decides. */
  const subject = (): readonly [subject: string, entries: readonly string[]] => {
    const { at, heads, bulk } = get();
    return bulk === null
      ? [at ?? '', namesOf(heads)]
      : [
          `by ${bulk.rule}, ${bulk.author ?? 'anybody'}, of ${bulk.scope}`,
          bulk.plan.map(({ contest }) => contest.reg),
        ];
  };
  const showWhy = (): void =>
    store.setState({ why: reasons.of(...subject()), lastWhy: reasons.last });
  const lookAt = (reg: string | null): void => {
    store.setState({
      at: reg,
      heads: reg === null ? [] : headsAt(reg),
      choice: null,
      editing: false,
      overtaken: false,
    });
    showWhy();
  };
  /**
   * News: the place stays where it is, and a choice only as long as the heads are those it was made
   * between.
   */
  const follow = (): void => {
    const { list: before, at, heads, choice, editing, bulk } = get();
    const list = session.contests();
    store.setState({ list });
    const regs = new Set(list.map(({ reg }) => reg));
    if (at !== null && !regs.has(at)) {
      const from = before.findIndex(({ reg }) => reg === at);
      const next = [...before.slice(from + 1), ...before.slice(0, from).reverse()].find(({ reg }) =>
        regs.has(reg),
      );
      lookAt(next?.reg ?? list[0]?.reg ?? null);
    } else if (at === null) lookAt(list[0]?.reg ?? null);
    else {
      const now = headsAt(at);
      if (!sameHeads(now, heads)) {
        const decided = choice !== null || editing;
        store.setState({ heads: now, choice: null, editing: false, overtaken: decided });
        showWhy();
        if (decided) editor.announce('Another value was recorded: look again');
      }
    }
    if (bulk !== null)
      store.setState({
        bulk: {
          ...bulk,
          overtaken: bulk.plan.filter(
            ({ contest, heads: shown }) => !sameHeads(session.headsOf(contest.reg), shown),
          ).length,
        },
      });
    void askWriters();
  };
  const inScope = (scope: BulkScope): Contest[] => {
    const { list, at } = get();
    if (scope === 'all') return list.filter(({ kind }) => kind !== 'removed');
    const { selection, view } = editor.store.getState();
    const rule = list.find(({ reg }) => reg === at)?.rule;
    const rects = rectsOf(selection, view);
    return list.filter((contest) =>
      scope === 'rule'
        ? contest.rule !== null && contest.rule === rule
        : contest.rule !== null &&
          isSelected(rects, view.rowOf(contest.item), view.columnOf(contest.rule)),
    );
  };
  const isRemoved = (): boolean =>
    get().list.some(({ reg, kind }) => reg === get().at && kind === 'removed');
  const headsAt = (reg: string): readonly Alternative[] => {
    const contest = get().list.find((one) => one.reg === reg);
    return contest?.kind === 'removed' ? session.editsUnder(contest.item) : session.headsOf(reg);
  };
  /** One of the two that can become of a removed item. */
  const decideRemoved = async (item: string, act: string, why: string): Promise<boolean> => {
    store.setState({ busy: true });
    const isRestore = act === RESTORE;
    const name = itemName(session, item);
    const done = await editor.apply({
      label: `${isRestore ? 'Restore' : 'Keep removed'} ${name}`,
      why,
      items: [isRestore ? { do: 'add', item_uid: item } : { do: 'keep-removed', item_uid: item }],
    });
    store.setState({ busy: false });
    if (done !== undefined)
      tell(editor.store, isRestore ? `${name} restored, at the end` : `${name} stays removed`);
    return done !== undefined;
  };
  const settle = async (
    settlings: Parameters<Editor['settle']>[0],
    why: string,
    label: string,
  ): Promise<boolean> => {
    store.setState({ busy: true });
    const done = await editor.settle(settlings, why, label);
    store.setState({ busy: false });
    return done;
  };

  const review: Review = {
    store,
    dialog: undefined,
    open: (at) => {
      const list = session.contests();
      store.setState({ ...CLOSED, open: true, list });
      const { selection } = editor.store.getState();
      const here = list.find(
        ({ item, rule }) => item === selection?.focus.item && rule === selection.focus.rule,
      );
      lookAt(at ?? here?.reg ?? list[0]?.reg ?? null);
      stop ??= session.subscribe(follow);
      void askWriters();
    },
    close: () => {
      stop?.();
      stop = undefined;
      store.setState({ open: false, bulk: null });
    },
    setWhy: (why) => {
      reasons.type(...subject(), why);
      store.setState({ why });
    },
    go: lookAt,
    step: (backwards) => {
      const { list, at } = get();
      const to =
        list[
          Math.min(
            Math.max(list.findIndex(({ reg }) => reg === at) + (backwards ? -1 : 1), 0),
            list.length - 1,
          )
        ];
      if (to !== undefined && to.reg !== at) lookAt(to.reg);
    },
    choose: (number) => {
      const { bulk, heads } = get();
      const act = [RESTORE, KEEP][number - 1];
      if (isRemoved()) {
        if (bulk === null && act !== undefined)
          store.setState({ choice: { entry: act, value: null }, overtaken: false });
        return;
      }
      const head = heads[number - 1];
      if (bulk === null && head !== undefined)
        store.setState({
          choice: { entry: head.entry, value: head.value },
          editing: false,
          overtaken: false,
        });
    },
    edit: (value) => {
      const { bulk, heads, choice } = get();
      const from = choice ?? heads[0];
      if (
        bulk !== null ||
        isRemoved() ||
        from === undefined ||
        (heads[0]?.field !== 'outcome' && heads[0]?.field !== 'notes')
      )
        return;
      store.setState({
        editing: true,
        choice: { entry: null, value: value === undefined ? from.value : value },
        overtaken: false,
      });
    },
    settle: async () => {
      const { at, heads, choice, list, busy } = get();
      const why = get().why.trim();
      const contest = list.find(({ reg }) => reg === at);
      if (busy || contest === undefined || choice === null) return;
      if (why === '') {
        review.dialog?.focusWhy();
        return;
      }
      const done =
        contest.kind === 'removed'
          ? await decideRemoved(contest.item, choice.entry ?? '', why)
          : await settle(
              [{ reg: contest.reg, heads: namesOf(heads), value: choice.value }],
              why,
              `Resolve ${itemName(session, contest.item)}${contest.rule === null ? '' : `, ${ruleName(session, contest.rule)}`}`,
            );
      if (done) reasons.recorded(contest.reg, why);
      showWhy();
      review.dialog?.focusList();
    },
    showInMatrix: () => {
      const { at, list } = get();
      const contest = list.find(({ reg }) => reg === at);
      if (contest === undefined) return;
      review.close();
      if (editor.store.getState().view.rowOf(contest.item) < 0) editor.setFilter(NO_FILTER);
      const { view, selection } = editor.store.getState();
      if (view.rowOf(contest.item) >= 0)
        editor.select(
          single({
            item: contest.item,
            rule: contest.rule ?? selection?.focus.rule ?? view.ruleAt(0),
          }),
        );
    },
    plan: (change) => {
      if (change === null) {
        store.setState({ bulk: null });
        showWhy();
        return;
      }
      const { bulk, writers } = get();
      const { rule, author, scope } = {
        rule: 'problem' as const,
        author: null,
        scope: 'all' as const,
        ...bulk,
        ...change,
      };
      store.setState({
        choice: null,
        editing: false,
        bulk: {
          rule,
          author,
          scope,
          overtaken: 0,
          plan: planBulk(session, inScope(scope), rule, writers, author),
        },
      });
      showWhy();
    },
    settleAll: async () => {
      const { bulk, busy } = get();
      const why = get().why.trim();
      if (busy || bulk === null) return;
      if (why === '') {
        review.dialog?.focusWhy();
        return;
      }
      const [about] = subject();
      const done = await settle(
        toSettlings(bulk.plan),
        why,
        `Resolve ${plural(sumsOf(bulk.plan).settled, 'cell')} by a rule`,
      );
      if (done) reasons.recorded(about, why);
      review.plan(done ? null : {});
      review.dialog?.focusList();
    },
  };
  return review;
}

const reviews = new WeakMap<Editor, Review>();

export function reviewOf(editor: Editor): Review {
  let review = reviews.get(editor);
  if (review === undefined) reviews.set(editor, (review = createReview(editor)));
  return review;
}
