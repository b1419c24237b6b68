import type { Advance } from '../model/preferences.ts';
import { tAs } from '../../../text/t.ts';

export const ADVANCES: readonly { value: Advance; label: string }[] = [
  { value: 'off', label: tAs('after entry', 'stay') },
  { value: 'down', label: tAs('after entry', 'down') },
  { value: 'right', label: tAs('after entry', 'right') },
];
