import { describe, expect, it } from 'vitest';
import { placeBeside } from '../../../src/renderer/features/matrix/tour/place.ts';
import { TOUR } from '../../../src/renderer/features/matrix/tour/steps.ts';

const WINDOW = { width: 1000, height: 600 };
const CARD = { width: 300, height: 200 };

describe('the tour', () => {
  it('has five steps, each with words also where keys are turned off', () => {
    expect(TOUR).toHaveLength(5);
    for (const step of TOUR) {
      expect(step.text((action) => action.keys[0] ?? '')).not.toContain('the context menu');
      expect(step.text(() => '').length).toBeGreaterThan(40);
    }
  });

  it('stands below its target, above or to its left where there is no room, inside where the target fills the window', () => {
    expect(placeBeside({ left: 40, top: 50, width: 200, height: 30 }, CARD, WINDOW)).toEqual({
      left: 40,
      top: 90,
    });
    expect(placeBeside({ left: 900, top: 500, width: 80, height: 60 }, CARD, WINDOW)).toEqual({
      left: 690,
      top: 290,
    });
    expect(placeBeside({ left: 700, top: 80, width: 300, height: 500 }, CARD, WINDOW)).toEqual({
      left: 390,
      top: 100,
    });
    expect(placeBeside({ left: 0, top: 100, width: 1000, height: 480 }, CARD, WINDOW)).toEqual({
      left: 680,
      top: 360,
    });
  });

  it('stays in a window that is smaller than it', () => {
    expect(
      placeBeside({ left: 0, top: 0, width: 200, height: 150 }, CARD, { width: 200, height: 150 }),
    ).toEqual({ left: 10, top: 10 });
  });
});
