import { namesOf, sameHeads } from './decide.ts';
import { headsOf, type ReviewParts, showWhy } from './review-state.ts';
import { t } from '../../../text/t.ts';

/** Which conflict is looked at, and what has changed of it since. */
export interface Following {
  lookAt(reg: string | null): void;
  step(backwards: boolean): void;
  /** The session has changed. */
  refresh(): void;
  askWriters(): Promise<void>;
}

export function createFollowing(parts: ReviewParts): Following {
  const { editor, store } = parts;
  const { session } = editor;
  const get = store.getState;
  const askWriters = createAskWriters(parts);
  const lookAt = (reg: string | null): void => {
    const heads = reg === null ? [] : headsOf(session, get().list, reg);
    store.setState({ at: reg, heads, choice: null, editing: false, overtaken: false });
    showWhy(parts);
  };
  /** A choice holds only as long as the heads are those it was made between. */
  const refreshHeads = (at: string): void => {
    const { list, heads, choice, editing } = get();
    const now = headsOf(session, list, at);
    if (sameHeads(now, heads)) return;
    const decided = choice !== null || editing;
    store.setState({ heads: now, choice: null, editing: false, overtaken: decided });
    showWhy(parts);
    if (decided) editor.announce(t('Another value was recorded: look again'));
  };
  const refreshBulk = (): void => {
    const { bulk } = get();
    if (bulk === null) return;
    const overtaken = bulk.plan.filter(
      ({ contest, heads }) => !sameHeads(session.headsOf(contest.reg), heads),
    ).length;
    store.setState({ bulk: { ...bulk, overtaken } });
  };
  return {
    lookAt,
    askWriters,
    step: (backwards) => {
      const { list, at } = get();
      const next = list.findIndex(({ reg }) => reg === at) + (backwards ? -1 : 1);
      const to = list[Math.min(Math.max(next, 0), list.length - 1)];
      if (to !== undefined && to.reg !== at) lookAt(to.reg);
    },
    refresh: () => {
      const { list: before, at } = get();
      const list = session.contests();
      store.setState({ list });
      const regs = new Set(list.map(({ reg }) => reg));
      if (at === null) lookAt(list[0]?.reg ?? null);
      else if (regs.has(at)) refreshHeads(at);
      else {
        // The place stays: the next one below, or the last one above.
        const from = before.findIndex(({ reg }) => reg === at);
        const next = [...before.slice(from + 1), ...before.slice(0, from).reverse()].find(
          ({ reg }) => regs.has(reg),
        );
        lookAt(next?.reg ?? list[0]?.reg ?? null);
      }
      refreshBulk();
      void askWriters();
    },
  };
}

/** Who wrote what is listed; one question at a time. */
function createAskWriters({ editor, store }: ReviewParts): () => Promise<void> {
  const { session } = editor;
  let isAsking = false;
  return async () => {
    if (isAsking) return;
    isAsking = true;
    const entries = store
      .getState()
      .list.flatMap(({ reg, kind, item }) =>
        namesOf(
          kind === 'removed'
            ? [...session.headsOf(reg), ...session.editsUnder(item)]
            : session.headsOf(reg),
        ),
      );
    try {
      if (entries.some((entry) => !store.getState().writers.has(entry)))
        store.setState({ writers: await session.writers(entries) });
    } finally {
      isAsking = false;
    }
  };
}
