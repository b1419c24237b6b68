/** Milliseconds that this thread worked, whatever else the computer did meanwhile. */
export function cpuTime(work: () => void): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
