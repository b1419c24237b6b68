import { asStream, asUser } from './ids.ts';
import { randomBytes } from 'node:crypto';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import type { WireChange } from '../../src/shared/contract/sync.ts';
import { type Author, type Entry, seal } from '../../src/sync/change.ts';

let tick = 0;

/** A sealed change by somebody elsewhere, as it travels; `ahead` of this clock by so many ms. */
export function wireChange(
  caseUid: string,
  author: string | Author,
  entries: Entry[],
  why: string | null = null,
  ahead = 0,
): WireChange {
  tick += 1;
  const ms = (Date.now() + tick + ahead).toString(16).padStart(12, '0');
  const { id, text } = seal(
    {
      v: 1,
      case: asStream(caseUid),
      hlc: `${ms}-0000`,
      wall: new Date().toISOString(),
      by:
        typeof author === 'string'
          ? { user: asUser(author), kind: 'human', agent: null, key: null }
          : author,
      at: { replica: 'r_test', app: '0.0.0', schema: 1 },
      txn: `t_${tick}`,
      why,
      nonce: randomBytes(16).toString('hex'),
      entries,
    },
    nodeHasher,
  );
  return { id, change: text };
}

/** Sets one cell as somebody who saw nothing there. */
export function unseenOutcome(
  address: { profile: string; version: string; rule: string; item: string },
  raw_outcome: string,
): Entry {
  return {
    op: 'set',
    parents: [],
    reg: `a/${address.profile}@${address.version}/${address.rule}/${address.item}`,
    value: { raw_outcome },
  };
}
