import { threadId } from '../../../../src/shared/domain/thread.ts';
import type { Bug } from '../campaign.ts';
import { A } from '../cast.ts';
import { asBy, core } from './plant.ts';

/** Bugs of threads: whose an entry is, in which order it stands, what it makes of the state. */
export const IN_DISCUSSION: Record<string, Bug> = {
  'a-program-closes': asBy(/^thread\//, ({ by, entries }) =>
    entries.some(({ value }) => (value as { does?: string }).does === 'close') ? A : by,
  ),
  'anybody-opens-for-anybody': core((real) => ({
    appliedRegister: (change, index, schema) => {
      const entry = change.entries[index];
      const { does, opened_by } = (entry?.value ?? {}) as { does?: string; opened_by?: string };
      return does === 'open' && opened_by?.startsWith('usr_') === true
        ? real.appliedRegister({ ...change, by: { ...A, user: opened_by as never } }, index, schema)
        : real.appliedRegister(change, index, schema);
    },
  })),
  'a-thread-by-name-alone': core((real) => ({
    threadOf: (id, said, hasher) => {
      const all = [...said];
      const first = all.find(({ value }) => value.does === 'open')?.value;
      return first?.does === 'open' && threadId(first, hasher) !== id
        ? real.threadOf(id, all, {
            ...hasher,
            sha256Base64url: () => id.slice('thr_'.length).padEnd(43, 'x'),
          })
        : real.threadOf(id, all, hasher);
    },
  })),
  'in-order-of-arrival': core((real) => ({
    threadOf: (id, said, hasher) => {
      const thread = real.threadOf(id, said, hasher);
      const names = [...said].map(({ name }) => name);
      return (
        thread && {
          ...thread,
          entries: thread.entries.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name)),
        }
      );
    },
  })),
  'only-the-last-word-stays': core((real) => ({
    threadOf: (id, said, hasher) => {
      const thread = real.threadOf(id, said, hasher);
      return (
        thread && {
          ...thread,
          entries: thread.entries.filter((_, at, all) => at === 0 || at === all.length - 1),
        }
      );
    },
  })),
  'an-answer-opens-what-is-closed': core((real) => ({
    threadOf: (id, said, hasher) => {
      const thread = real.threadOf(id, said, hasher);
      return thread?.state === 'closed' && thread.entries.at(-1)?.value.does === 'answer'
        ? { ...thread, state: 'answered' }
        : thread;
    },
  })),
};
