import type { StationKind } from './servers.ts';
import type { Outcome } from './simulation.ts';
import type { Site } from './site.ts';

/** Of the whole site, per second. */
export const perSecond = (site: Site, count: number): number =>
  (count * site.part * 1_000) / site.lasts;

/** Share of the time of all stations of a kind that is used, 0 to 1. */
export function usedOf({ lasts }: Site, { stations, used }: Outcome, kind: StationKind): number {
  const places = stations[kind].reduce((sum, station) => sum + station.places, 0);
  return used[kind] / (places * lasts);
}
