import { readFileSync, writeFileSync } from 'node:fs';

function bytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return (
    Number(
      new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
    ) * 1_024
  );
}

/** Resident bytes of a process, and the most since `forgetPeak`. */
export const resident = (pid: number): number => bytesOf(pid, 'VmRSS');
export const peak = (pid: number): number => bytesOf(pid, 'VmHWM');
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
