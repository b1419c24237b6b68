/** What can happen in a world; the more often a kind is listed, the more often it is drawn. */
export const KINDS = [
  'write',
  'write',
  'write',
  'resolve',
  'resolve',
  'freeze',
  'push',
  'push',
  'push',
  'push',
  'pull',
  'pull',
  'pull',
  'pull',
  'deliver',
  'deliver',
  'clock',
  'backup',
  'restore',
  'restore-bump',
  'evict',
  'revoke',
  'unrevoke',
  'upgrade',
  'upgrade',
  'delete',
  'crooked',
  'prepare',
  'commit',
  'restart',
  'poison',
  'stumble',
  'down',
  'up',
] as const;
/** One operation: what, and numbers that say who, where, how and with which values. */
export interface Op {
  t: (typeof KINDS)[number];
  a: number;
  b: number;
  c: number;
  d: number;
}
