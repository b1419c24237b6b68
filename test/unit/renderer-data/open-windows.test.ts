import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { LocksLike } from '../../../src/renderer/data/replica/leader-election.ts';
import type { ChannelLike } from '../../../src/renderer/data/replica/window-channel.ts';
import { watchWindows } from '../../../src/renderer/data/replica/open-windows.ts';
import { asCase } from '../../support/ids.ts';

const ports = {
  locks: navigator.locks as LocksLike,
  broadcast: (name: string) => new BroadcastChannel(name) as ChannelLike,
  newId: () => randomUUID(),
};

/** A window that has a case open. */
function open(name: string) {
  const caseUid = asCase(name);
  const window = { others: 0, close: () => undefined as void };
  window.close = watchWindows(ports, caseUid, (count) => (window.others = count));
  return window;
}

it('counts the other windows of a case while they are open', async () => {
  const first = open('one');
  const elsewhere = open('another');
  const second = open('one');
  await vi.waitFor(() => expect([first.others, second.others]).toEqual([1, 1]), 60_000);
  const third = open('one');
  await vi.waitFor(
    () => expect([first.others, second.others, third.others]).toEqual([2, 2, 2]),
    60_000,
  );
  second.close();
  await vi.waitFor(() => expect([first.others, third.others]).toEqual([1, 1]), 60_000);
  third.close();
  await vi.waitFor(() => expect(first.others).toBe(0), 60_000);
  expect(elsewhere.others).toBe(0);
  first.close();
  elsewhere.close();
});
