import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeWhenStored } from '../../../src/main/windows.ts';
import { FakeWindow } from './fake-electron.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function closing(): { window: FakeWindow; refuse(): boolean } {
  const window = new FakeWindow({});
  closeWhenStored(window);
  window.emit('close');
  return {
    window,
    refuse() {
      let letGo = false;
      window.webContents.emit('will-prevent-unload', { preventDefault: () => (letGo = true) });
      return letGo;
    },
  };
}

describe('a page that asks for a moment while the window closes', () => {
  it('is asked again until it is done', () => {
    const { window, refuse } = closing();
    expect(refuse()).toBe(false);
    expect(window.calls).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(window.calls).toEqual(['close']);
  });

  it('is let go after ten seconds', () => {
    const { refuse } = closing();
    const answers = Array.from({ length: 51 }, () => refuse());
    expect(answers.slice(0, 50)).not.toContain(true);
    expect(answers[50]).toBe(true);
  });

  it('keeps a window open that is only being reloaded', () => {
    const window = new FakeWindow({});
    closeWhenStored(window);
    window.webContents.emit('will-prevent-unload', { preventDefault: () => undefined });
    vi.advanceTimersByTime(1_000);
    expect(window.calls).toEqual([]);
  });
});
