/**
 * Runs a task at every request. Requests during a run are answered by one more run after it, so
 * that continuous changes cannot delay an answer for ever.
 */
export function createRerun(task: (signal: AbortSignal) => Promise<void>): {
  request: () => void;
  stop: () => void;
} {
  const control = new AbortController();
  let isRequested = false;
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      while (isRequested && !control.signal.aborted) {
        isRequested = false;
        await task(control.signal);
      }
    } finally {
      isRunning = false;
    }
  };
  return {
    request: () => {
      isRequested = true;
      if (!isRunning) void run();
    },
    stop: () => control.abort(),
  };
}
