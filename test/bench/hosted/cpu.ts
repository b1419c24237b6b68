import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

function statOf(pid: string | number): { parent: number; own: number; ended: number } | undefined {
  try {
    // After the name, which may hold anything: state, parent, …; times are fields 14 to 17.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    return {
      parent: fields[1]!,
      own: (fields[11]! + fields[12]!) / TICKS_A_SECOND,
      ended: (fields[13]! + fields[14]!) / TICKS_A_SECOND,
    };
  } catch {
    return undefined;
  }
}

/** Seconds of processor time of a process and of its children, those that have ended too. */
export function cpuSeconds(pid: number): number {
  const own = statOf(pid);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.parent === pid);
  return (
    (own?.own ?? 0) +
    (own?.ended ?? 0) +
    children.reduce((sum, child) => sum + (child?.own ?? 0), 0)
  );
}
