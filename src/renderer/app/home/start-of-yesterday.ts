/** The beginning of yesterday, where the reader is. */
export function startOfYesterday(now: number): string {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 1);
  return day.toISOString();
}
