/**
 * Entries processed before the browser gets a turn to draw, and the overhead of a change in the
 * same unit: together a part of a frame, unless one change has more.
 */
const TURN = 500;
const CHANGE = 10;

/**
 * Resolves in a later turn of the thread: after input and drawing that wait by then, where the
 * browser tells turns apart by their priority.
 */
export function yieldToBrowser(): Promise<void> {
  if ('scheduler' in globalThis)
    return scheduler.postTask(() => undefined, { priority: 'background' });
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}

/**
 * Returns a function to be called after each change that was processed; now and then it waits so
 * that the browser can draw.
 */
export function yieldNowAndThen(): (entries: number) => Promise<void> {
  let done = 0;
  return async (entries) => {
    done += entries + CHANGE;
    if (done < TURN) return;
    done = 0;
    await yieldToBrowser();
  };
}
