import { expect, it } from 'vitest';
import { createRerun } from '../../../src/renderer/state/rerun.ts';

/** A task that ends when it is let, and how often it has begun. */
function held() {
  const open: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => open.push(resolve));
  const release = async (): Promise<void> => {
    open.at(-1)?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { task, release, begun: () => open.length };
}

it('requests during a run are answered by one more run after it', async () => {
  const { task, release, begun } = held();
  const rerun = createRerun(task);
  for (let requests = 0; requests < 5; requests += 1) rerun.request();
  expect(begun()).toBe(1);
  await release();
  expect(begun()).toBe(2);
  await release();
  expect(begun()).toBe(2);
  rerun.request();
  expect(begun()).toBe(3);
});

it('once stopped the run under way learns of it, and none follows', async () => {
  const { task, release, begun } = held();
  let signal: AbortSignal | undefined;
  const rerun = createRerun((given) => {
    signal = given;
    return task();
  });
  rerun.request();
  rerun.request();
  rerun.stop();
  expect(signal?.aborted).toBe(true);
  await release();
  rerun.request();
  expect(begun()).toBe(1);
});
