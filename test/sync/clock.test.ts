import { describe, expect, test } from 'vitest';
import { HLC_PATTERN, HLC_ZERO, hlcMs, nextHlc, seeHlc } from '../../src/sync/clock.ts';

const at = (ms: number, counter = 0): string =>
  `${ms.toString(16).padStart(12, '0')}-${counter.toString(16).padStart(4, '0')}`;

describe('hybrid clock', () => {
  test.each([
    ['follows wall time', HLC_ZERO, 1_000, at(1_000)],
    ['counts while time stands', at(1_000), 1_000, at(1_000, 1)],
    ['counts while time runs backwards', at(1_000, 7), 3, at(1_000, 8)],
    ['carries into the milliseconds', at(1_000, 0xffff), 1_000, at(1_001)],
    ['drops fractions', HLC_ZERO, 1_000.9, at(1_000)],
    ['survives a time before 1970', HLC_ZERO, -5, at(0, 1)],
  ])('K1 %s', (_, last, now, expected) => {
    expect(nextHlc(last, now)).toBe(expected);
    expect(nextHlc(last, now) > last).toBe(true);
    expect(nextHlc(last, now)).toMatch(HLC_PATTERN);
  });

  test('K2 a remote value is adopted up to a minute ahead, flagged beyond, ignored behind', () => {
    expect(seeHlc(at(1_000), at(61_000), 1_000)).toEqual({ last: at(61_000), suspect: false });
    expect(seeHlc(at(1_000), at(61_001), 1_000)).toEqual({ last: at(1_000), suspect: true });
    expect(seeHlc(at(1_000), at(999), 1_000)).toEqual({ last: at(1_000), suspect: false });
  });

  const DAY = 86_400_000;
  test.each([
    ['a day back', -DAY],
    ['ten years forward', 3_652 * DAY],
  ])(
    'I13 one clock %s: its values still grow, nobody else follows it far, all go on',
    (_, jump) => {
      const now = 1_767_225_600_000;
      let [odd, other] = [nextHlc(HLC_ZERO, now), nextHlc(HLC_ZERO, now)];
      for (let minute = 1; minute <= 100; minute += 1) {
        const [before, otherBefore] = [odd, other];
        odd = nextHlc(
          seeHlc(odd, other, now + minute * 60_000 + jump).last,
          now + minute * 60_000 + jump,
        );
        const seen = seeHlc(other, odd, now + minute * 60_000);
        other = nextHlc(seen.last, now + minute * 60_000);
        expect(odd > before && other > otherBefore).toBe(true);
        expect(seen.suspect).toBe(jump > 0);
        expect(hlcMs(other)).toBeLessThanOrEqual(now + minute * 60_000 + 60_000);
      }
    },
  );

  test('K1 a counter that is full goes on in the next millisecond, however often', () => {
    let last = at(1_000, 0xfff0);
    for (let step = 0; step < 200_000; step += 1) {
      const next = nextHlc(last, 0);
      if (next <= last || !HLC_PATTERN.test(next)) throw new Error(`${last} ${next}`);
      last = next;
    }
    expect(hlcMs(last)).toBe(1_004);
  });

  test('text order is clock order', () => {
    expect(at(0xffff, 1) < at(0x10000, 0)).toBe(true);
    expect(hlcMs(at(1_767_225_600_000, 5))).toBe(1_767_225_600_000);
  });
});
