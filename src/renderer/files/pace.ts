/** Longest stretch of work without giving the window a turn. */
const SLICE_MS = 16;

/**
 * To be called often during long work. Gives the browser a turn when one is due, reports progress,
 * and throws when the work was cancelled.
 */
export type Pace = (done?: number) => Promise<void> | undefined;

/** `onProgress` hears a share of 0 to 1, or nothing where the end is not known. */
export function createPace(
  signal?: AbortSignal,
  onProgress?: (done: number | undefined) => void,
): Pace {
  let last = performance.now();
  return (done) => {
    if (performance.now() - last < SLICE_MS) return undefined;
    return new Promise<void>((resolve, reject) => {
      setTimeout(() => {
        last = performance.now();
        if (signal?.aborted === true)
          reject(signal.reason instanceof Error ? signal.reason : new Cancelled());
        else {
          onProgress?.(done);
          resolve();
        }
      });
    });
  };
}

export class Cancelled extends Error {
  constructor() {
    super('Cancelled.');
    this.name = 'AbortError';
  }
}

export const isCancelled = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AbortError';
