import { expect, it } from 'vitest';
import { inTurn } from '../../../src/renderer/features/matrix/LiveRegion.tsx';

it('reads announcements as sentences, each with one full stop between it and the next', () => {
  expect(inTurn(['4 cells selected'])).toBe('4 cells selected');
  expect(inTurn(['4 cells selected', 'Read only.'])).toBe('4 cells selected. Read only.');
  expect(inTurn(['Suggested: 2 cells.', 'Saved'])).toBe('Suggested: 2 cells. Saved');
  expect(inTurn(['Delete it?', 'Nothing to suggest.'])).toBe('Delete it? Nothing to suggest.');
});
