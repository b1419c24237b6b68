/** Entries worked on before the screen has its turn, and what a change costs beside them: together less than a frame or two. */
const TURN = 2_000;
const CHANGE = 10;

export const giveWay = (): Promise<void> =>
  new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });

/** To be told of each change that was worked on; gives way now and then. */
export function breather(): (entries: number) => Promise<void> {
  let done = 0;
  return async (entries) => {
    done += entries + CHANGE;
    if (done < TURN) return;
    done = 0;
    await giveWay();
  };
}
