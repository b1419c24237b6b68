import { afterEach, expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import { listMembers } from '../../../src/shared/contract/v1/team.ts';
import { at, Computer, rest } from './support/windows.ts';

let computer: Computer;
afterEach(() => computer.end());

/** What a window may hear once its session has ended, while nothing can be sent. */
const HEARD: Record<string, (layer: DataLayer) => Promise<void>> = {
  'a request is refused': async (layer) => void (await layer.client.call(listMembers)),
  'the stream of events is refused': async () => computer.hint(null),
  'it is brought to the front': async (layer) => layer.requestSync(),
};

it.each(
  Object.keys(HEARD).flatMap((heard) => [
    [heard, false],
    [heard, true],
  ]) as [string, boolean][],
)(
  'a window whose session ended knows it once %s, also while an earlier question is answered: %s',
  async (heard, isAsking) => {
    computer = new Computer();
    const { session, layer } = await computer.open({ hints: true });
    await computer.synced(session);
    computer.upstream.fault = (method) => (method === 'POST' ? 'offline' : null);
    await session.write('x', [at('a', 1)], { raw_outcome: 'NA' });
    await computer.pass(1_000);
    let release = (): void => {};
    if (isAsking) {
      const held = new Promise<void>((resolve) => (release = resolve));
      const { upstream } = computer;
      const send = upstream.fetch;
      let isHeld = false;
      Object.assign(upstream, {
        fetch: async (...asked: Parameters<typeof send>) => {
          const answer = await send(...asked);
          if (!isHeld && asked[0] === '/api/v1/session') {
            isHeld = true;
            await held;
          }
          return answer;
        },
      });
      void layer.session();
      await rest();
      expect(isHeld).toBe(true);
    }
    computer.upstream.fault = (method) =>
      method === 'POST' ? 'offline' : { status: 401, code: 'missing_credentials' };
    await HEARD[heard]!(layer);
    await rest();
    release();
    await computer.pass(1_000);
    expect(JSON.stringify(session.saveStatus)).toContain('You are signed out');
    // And asks no more than it must.
    const before = computer.upstream.requests.length;
    await computer.pass(20_000);
    expect(computer.upstream.requests.length - before).toBeLessThan(20);
  },
);
