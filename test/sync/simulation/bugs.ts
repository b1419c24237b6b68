import type { Bug } from './campaign.ts';
import { ENTRIES } from './bugs/entries.ts';
import { FAULTS } from './bugs/faults.ts';
import { LINKS } from './bugs/links.ts';
import { READINGS } from './bugs/readings.ts';
import { RECOVERY } from './bugs/recovery.ts';

export const BUGS: Readonly<Record<string, Bug>> = {
  ...LINKS,
  ...ENTRIES,
  ...READINGS,
  ...RECOVERY,
  ...FAULTS,
};
