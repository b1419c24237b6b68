import type { Tool } from '../tool.ts';
import { caseTools } from './cases.ts';
import { createCase } from './create-case.ts';
import { nextOpenItems } from './open-items.ts';
import { profileTools } from './profiles.ts';
import { runTools } from './runs.ts';
import { suggestionTools } from './suggestions.ts';

/** Every tool, in the order in which an agent needs them. */
export const TOOLS: readonly Tool[] = [
  ...profileTools,
  ...caseTools,
  createCase,
  nextOpenItems,
  ...suggestionTools,
  ...runTools,
];

export function toolNamed(name: string): Tool {
  const found = TOOLS.find((tool) => tool.name === name);
  if (found === undefined) throw new TypeError(`There is no tool ${name}.`);
  return found;
}
