/** Older versions of Node have no `node:sqlite`, or one with a known way to lose data. */
const OLDEST_ELECTRON = 43;

/**
 * Why this runtime cannot be used, in one sentence, or undefined. `allowOld` is a switch for
 * checks.
 */
export function runtimeProblem(
  versions: Readonly<Record<string, string | undefined>>,
  allowOld: boolean,
): string | undefined {
  const { electron = '0' } = versions;
  if (allowOld || Number.parseInt(electron, 10) >= OLDEST_ELECTRON) return undefined;
  return `Evidence Studio needs Electron ${OLDEST_ELECTRON} or newer, and this is ${electron}. Run npm install, then start again.`;
}
