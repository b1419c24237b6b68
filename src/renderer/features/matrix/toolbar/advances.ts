import type { Advance } from '../model/preferences.ts';

export const ADVANCES: readonly { value: Advance; label: string }[] = [
  { value: 'off', label: 'Stay' },
  { value: 'down', label: 'Down' },
  { value: 'right', label: 'Right' },
];
