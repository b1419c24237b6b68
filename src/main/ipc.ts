import type { z } from 'zod';
import { type Channel, type Input, IPC, type Output, type Reply } from '../shared/contract/ipc.ts';
import type { ElectronLike, IpcEventLike, WebContentsLike } from './electron-like.ts';
import { isOurPage, ORIGIN } from './origin.ts';

/** A handler for each channel. `sender` is one of our windows. */
export type IpcHandlers = {
  [C in Channel]: (input: Input<C>, sender: WebContentsLike) => Output<C> | Promise<Output<C>>;
};

export interface IpcPorts {
  ipcMain: ElectronLike['ipcMain'];
  isOurWindow(webContentsId: number): boolean;
  onError(channel: string, error: unknown): void;
}

/**
 * Whether a request may be answered: only from the main frame of one of our windows while it shows
 * one of our pages. `frame` is null when it is gone.
 */
function isAllowed(
  { sender, senderFrame }: IpcEventLike,
  isOurWindow: IpcPorts['isOurWindow'],
): boolean {
  return (
    senderFrame !== null &&
    senderFrame === sender.mainFrame &&
    senderFrame.origin === ORIGIN &&
    isOurPage(senderFrame.url) &&
    isOurWindow(sender.id)
  );
}

function handle<I extends z.ZodType, O extends z.ZodType>(
  ports: IpcPorts,
  channel: string,
  input: I,
  output: O,
  fn: (value: z.infer<I>, sender: WebContentsLike) => unknown,
): void {
  ports.ipcMain.handle(channel, async (event, ...args): Promise<Reply<z.infer<O>>> => {
    if (!isAllowed(event, ports.isOurWindow)) return { ok: false, code: 'not_allowed' };
    const parsed = input.safeParse(args[0]);
    if (!parsed.success || args.length !== 1) return { ok: false, code: 'invalid_request' };
    try {
      return { ok: true, value: output.parse(await fn(parsed.data, event.sender)) };
    } catch (error) {
      ports.onError(channel, error);
      return { ok: false, code: 'failed' };
    }
  });
}

/**
 * Answers every channel of the contract. Neither the text nor the stack of an error reaches the
 * page.
 */
export function handleIpc(ports: IpcPorts, handlers: IpcHandlers): void {
  for (const channel of Object.keys(IPC) as Channel[]) {
    const { input, output } = IPC[channel];
    handle(
      ports,
      channel,
      input,
      output,
      handlers[channel] as (value: unknown, sender: WebContentsLike) => unknown,
    );
  }
}
