import { describe, expect, it } from 'vitest';
import {
  type Checked,
  type Checking,
  type CheckingWorker,
  checkBy,
  checkHere,
  damageIn,
} from '../../../src/renderer/data/replica/checking.ts';
import type { WireChange } from '../../../src/shared/contract/sync.ts';
import { wireChange } from '../../support/sync-change.ts';
import { testHasher } from '../../support/hasher.ts';

const WHOLE = ['a', 'b', 'c'].map((title) =>
  wireChange('case_1', 'somebody', [{ op: 'set', parents: [], reg: 'case/title', value: title }]),
);
const FORGED: WireChange = { id: WHOLE[0]!.id, change: WHOLE[1]!.change };

/** A worker on the other end of a channel; `dies`: it never starts. */
function startWorker({ dies = false } = {}): CheckingWorker & { asked: number } {
  const worker: CheckingWorker & { asked: number } = {
    asked: 0,
    onmessage: null,
    onerror: null,
    postMessage({ number, changes }: Checking) {
      worker.asked += 1;
      setImmediate(() => {
        if (dies) worker.onerror?.(new Event('error') as ErrorEvent);
        else
          worker.onmessage?.(
            new MessageEvent<Checked>('message', {
              data: { number, damage: damageIn(structuredClone(changes), testHasher) },
            }),
          );
      });
    },
  };
  return worker;
}

const here = checkHere(testHasher);

describe.each([
  ['on this thread', () => here],
  ['by a worker', () => checkBy(startWorker, () => Promise.reject(new Error('not by the worker')))],
  [
    'where workers are forbidden',
    () =>
      checkBy(() => {
        throw new TypeError('No workers here.');
      }, here),
  ],
  ['where the worker does not start', () => checkBy(() => startWorker({ dies: true }), here)],
])('a check of what the server sent, %s', (_, create) => {
  it('lets whole changes pass, several checks at once', async () => {
    const check = create();
    await Promise.all([check(WHOLE), check([]), check(WHOLE.slice(1))]);
  });

  it('refuses a change that is not the one it is named', async () => {
    await expect(create()([...WHOLE, FORGED])).rejects.toMatchObject({ code: 'hash_mismatch' });
  });
});

it('asks a worker that does not start no more than once', async () => {
  const worker = startWorker({ dies: true });
  const check = checkBy(() => worker, here);
  await check(WHOLE);
  await check(WHOLE);
  expect(worker.asked).toBe(1);
});
