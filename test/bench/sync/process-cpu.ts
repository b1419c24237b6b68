import { readdirSync, readFileSync } from 'node:fs';

const statOf = (pid: string): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/**
 * CPU seconds of a process with all its threads, its children and what those had that have ended.
 */
export function cpuOfAll(pid: number): number {
  let ticks = 0;
  for (const one of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = statOf(one);
      const isChild = fields[1] === String(pid);
      if (isChild || one === String(pid))
        ticks +=
          Number(fields[11]) +
          Number(fields[12]) +
          (isChild ? 0 : Number(fields[13]) + Number(fields[14]));
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks / 100;
}
