import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { handleIpc, type IpcHandlers } from '../../../src/main/ipc.ts';
import type { IpcEventLike } from '../../../src/main/electron-like.ts';
import { type Channel, IPC } from '../../../src/shared/contract/ipc.ts';
import { createFakeElectron, FakeContents } from './fake-electron.ts';

const VALID: { [C in Channel]: unknown } = {
  'desktop:status': {},
  'desktop:open-external': { link: 'api-docs' },
  'desktop:save-pdf': {},
  'desktop:examine': {},
  'desktop:updates': { act: 'status' },
  'desktop:edit-text': { command: 'undo' },
};
const CHANNELS = Object.keys(IPC) as Channel[];

function setUp() {
  const { electron, ipc } = createFakeElectron();
  const ours = new FakeContents();
  const handlers = {
    'desktop:status': vi.fn(() => ({ version: '1', api_url: null, notices: [] })),
    'desktop:open-external': vi.fn(() => ({ opened: true })),
    'desktop:save-pdf': vi.fn(() => ({ saved: true })),
    'desktop:examine': vi.fn(() => ({
      made_at: '2026-01-01T00:00:00.000Z',
      version: '1',
      runtime: 'Node 24',
      system: 'linux x64',
      sqlite: '3',
      ok: true,
      findings: [],
    })),
    'desktop:updates': vi.fn(() => ({
      by: 'none' as const,
      on: false,
      puts_back: false,
      place: null,
      looked_at: null,
      progress: { kind: 'idle' as const },
    })),
    'desktop:edit-text': vi.fn(() => ({})),
  } satisfies IpcHandlers;
  const errors: unknown[] = [];
  handleIpc(
    {
      ipcMain: electron.ipcMain,
      isOurWindow: (id) => id === ours.id,
      onError: (_channel, error) => errors.push(error),
    },
    handlers,
  );
  const from = (
    sender: FakeContents,
    senderFrame: IpcEventLike['senderFrame'] = sender.mainFrame,
  ): IpcEventLike => ({ sender, senderFrame });
  const call = (channel: Channel, event: IpcEventLike, ...args: unknown[]) =>
    ipc.get(channel)?.(event, ...args);
  return { ours, handlers, errors, from, call, ipc };
}

describe('E7 IPC', () => {
  it('E7 exactly the channels of the contract are answered', () => {
    expect([...setUp().ipc.keys()].toSorted()).toEqual(CHANNELS.toSorted());
  });

  for (const channel of CHANNELS) {
    it(`E7 ${channel}: answers its own page`, async () => {
      const { ours, from, call, handlers } = setUp();
      expect(await call(channel, from(ours), VALID[channel])).toMatchObject({ ok: true });
      expect(handlers[channel]).toHaveBeenCalledTimes(1);
    });

    it(`E7 ${channel}: a frame that is gone, a subframe, another origin, another window are refused`, async () => {
      const { ours, from, call, handlers } = setUp();
      const subframe = { origin: 'app://studio', url: 'app://studio/studio' };
      const stranger = new FakeContents();
      const elsewhere = new FakeContents();
      const refused: IpcEventLike[] = [from(ours, null), from(ours, subframe), from(stranger)];
      for (const [origin, url] of [
        ['https://evil', 'https://evil/'],
        ['app://studio.evil', 'app://studio.evil/studio'],
        ['null', 'app://studio/studio'],
        ['app://studio', 'about:blank'],
        ['app://studio', 'app://studio/api/v1/runs'],
      ] as const) {
        elsewhere.mainFrame = { origin, url };
        const own = setUp();
        own.ours.mainFrame = { origin, url };
        expect(await own.call(channel, own.from(own.ours), VALID[channel])).toEqual({
          ok: false,
          code: 'not_allowed',
        });
        expect(own.handlers[channel]).not.toHaveBeenCalled();
      }
      for (const event of refused)
        expect(await call(channel, event, VALID[channel])).toEqual({
          ok: false,
          code: 'not_allowed',
        });
      expect(handlers[channel]).not.toHaveBeenCalled();
    });

    it(`E7 ${channel}: 200 payloads of any shape never reach the function unless they fit the schema`, async () => {
      const { ours, from, call, handlers } = setUp();
      await fc.assert(
        fc.asyncProperty(fc.anything(), async (payload) => {
          handlers[channel].mockClear();
          const fits = IPC[channel].input.safeParse(payload).success;
          const reply = await call(channel, from(ours), payload);
          expect(reply).toMatchObject(fits ? { ok: true } : { ok: false, code: 'invalid_request' });
          expect(handlers[channel]).toHaveBeenCalledTimes(fits ? 1 : 0);
        }),
        { numRuns: 200 },
      );
    });

    it(`E7 ${channel}: more or fewer arguments than one are refused`, async () => {
      const { ours, from, call } = setUp();
      expect(await call(channel, from(ours))).toEqual({ ok: false, code: 'invalid_request' });
      expect(await call(channel, from(ours), VALID[channel], 1)).toEqual({
        ok: false,
        code: 'invalid_request',
      });
    });
  }

  it('E7 an error leaves as a code, without text, place or stack', async () => {
    const { ours, from, call, handlers, errors } = setUp();
    handlers['desktop:status'].mockImplementation(() => {
      throw new Error('/home/person/secret');
    });
    expect(await call('desktop:status', from(ours), {})).toEqual({ ok: false, code: 'failed' });
    expect(errors).toHaveLength(1);
  });

  it('E7 an answer that does not fit its schema does not leave', async () => {
    const { ours, from, call, handlers } = setUp();
    handlers['desktop:status'].mockImplementation(
      () => ({ version: '1', api_url: null, notices: [], hmacSecret: 'x' }) as never,
    );
    expect(await call('desktop:status', from(ours), {})).toEqual({ ok: false, code: 'failed' });
  });
});
