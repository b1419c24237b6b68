import type { Op } from './operation.ts';
import { FAULTS, type Fault } from './traffic.ts';

/** Operation, who, where, fault (or a number), values. */
type Kept = readonly [Op['t'], number, number?, (Fault | number)?, number?];

/**
 * Sequences that random search finds late, each with the bug that it brings to light: it must fail
 * with the bug and hold without. Servers: 0 S, 1 H0, 2 H1. Links: 0 H0, 1 H1, 2 R0, 3 R1, 4 R2.
 * Authors: 1 H0, 2 H1, 3 R0, 4 R1, 5 R2.
 */
const KEPT: Readonly<Record<string, readonly Kept[]>> = {
  // Two answers that were under way at once: the later one finds a row that has moved on.
  'no-link-cas': [
    ['write', 2, 2, 1, 4],
    ['write', 1, 2, 1, 363_995],
    ['pull', 0, 1, 'delay-response'],
    ['push', 1, 2],
    ['push', 0],
    ['deliver', 0],
  ],
  // After a restore with the same epoch what came from there must go back there.
  'stale-origin': [
    ['backup', 0],
    ['write', 2, 1, 1, 550_665],
    ['push', 1, 1, 'delay-response'],
    ['pull', 0, 0, 'delay-response'],
    ['deliver', 0, 1],
    ['restore', 0],
  ],
  // A late answer reaches a hub that was restored from a backup: what it wrote since would count as
  // sent.
  'no-generation': [
    ['backup', 1],
    ['write', 1, 0, 1],
    ['push', 0],
    ['write', 1, 0, 1],
    ['push', 0, 0, 'delay-response'],
    ['restore', 1],
    ['deliver', 0],
    ['write', 1, 0, 1],
  ],
  // `missing` says "here", then the server is restored to a moment before.
  'missing-moves-without-witness': [
    ['backup', 2],
    ['write', 1, 0, 1],
    ['push', 0],
    ['backup', 0],
    ['write', 1, 1, 1],
    ['push', 0],
    ['pull', 1, 2],
    ['restore', 0],
    ['pull', 0],
    ['pull', 0],
    ['pull', 1],
    ['pull', 1],
    ['push', 1, 2],
    ['push', 1, 2],
    ['push', 0, 0, 'delay-response'],
    ['restore', 0],
    ['restore', 2],
    ['deliver', 0],
  ],
  // A contested cell, and a set that names both of its heads.
  'two-parent-set-applies': [
    ['write', 1, 0, 1],
    ['write', 2, 0, 1],
    ['push', 0],
    ['push', 1],
    ['pull', 0, 1],
    ['pull', 0, 1],
    ['crooked', 1, 0, 0, 2],
  ],
  'restore-keeps-status': [
    ['upgrade', 3],
    ['upgrade', 3],
    ['delete', 1, 5, 43, 524_404],
    ['push', 0, 4],
    ['upgrade', 0],
    ['backup', 0],
    ['upgrade', 0],
    ['restore-bump', 0],
  ],
  'point-covers-too-much': [
    ['pull', 0, 1],
    ['write', 1, 2, 1, 355_251],
    ['backup', 0],
    ['push', 0, 2, 'delay-request'],
    ['deliver', 0, 1],
    ['pull', 0, 0, 'delay-response'],
    ['deliver', 0, 1],
    ['restore', 0],
  ],
  'snapshot-without-witness': [
    ['backup', 1],
    ['write', 3, 24, 119, 455_426],
    ['push', 2, 17],
    ['restore-bump', 1],
  ],
  // An unsent change that the snapshot holds already, and that somebody has superseded.
  'overlaid-but-held': [
    ['write', 1, 19, 90, 547_431],
    ['delete', 3, 22, 151, 542_134],
    ['push', 2, 12],
    ['resolve', 1, 23, 97, 836_663],
    ['write', 3, 20, 71, 871_353],
    ['backup', 1],
    ['restore-bump', 1],
  ],
  // An edit of a cell that only the snapshot's second chunk holds, while the log is still to bring
  // it.
  'snapshot-skips-what-came-between': [
    ['pull', 3, 0, 'delay-response'],
    ['write', 2, 1, 1],
    ['deliver', 0],
    ['write', 4, 1, 1],
  ],
  // A server that is down for a while fails on everything; nothing of what was sent is to blame.
  'fault-of-everything-is-blamed': [
    ['down', 20, 29, 35, 894_400],
    ['write', 16, 18, 156, 66_235],
    ['push', 18, 9, 59, 88_101],
    ['crooked', 26, 13, 73, 558_982],
    ['push', 18, 22, 28, 957_254],
    ['push', 26, 23, 77, 993_190],
    ['pull', 14, 24, 79, 375_809],
    ['pull', 10, 10, 37, 847_102],
    ['push', 23, 15, 70, 352_986],
    ['push', 23, 24, 28, 689_303],
    ['push', 23, 24, 28, 689_303],
  ],
};

/** Both hubs have had their first contact before. */
const CONTACT: readonly Kept[] = [
  ['pull', 0],
  ['pull', 1],
];

export const keptOps = (name: string): Op[] =>
  [...CONTACT, ...(KEPT[name] ?? [])].map(([t, a, b = 0, c = 0, d = 0]): Op => ({
    t,
    a,
    b,
    c: typeof c === 'string' ? FAULTS.indexOf(c) : c,
    d,
  }));
export const KEPT_NAMES = Object.keys(KEPT);
