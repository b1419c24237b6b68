import type { Advance } from '../model/preferences.ts';

export const ADVANCES: readonly { value: Advance; label: string }[] = [
  { value: 'off', label: 'stay' },
  { value: 'down', label: 'down' },
  { value: 'right', label: 'right' },
];
