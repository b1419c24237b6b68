import { useEffect, useState, useSyncExternalStore } from 'react';
import { useQuery } from './query.ts';
import { useServices } from './services.tsx';
import { type LinkStatus, listLinks } from '../../shared/contract/v1/uplink.ts';
import { type Beyond, beyondOf, isLeftOut } from './hosted-sync.ts';
import type { Home } from '../../shared/contract/v1/account.ts';
import { type SyncStatus, syncStatusOf, type WindowWork } from './sync-status.ts';
import type { UplinkState } from './uplink.ts';

const TICK_MS = 5_000;

/** The current time, updated every few seconds while something is pending: its age is shown. */
export function useNow(
  clock: { now(): number } | undefined,
  isTicking: boolean,
): number | undefined {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!isTicking || clock === undefined) return undefined;
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, [clock, isTicking]);
  return clock?.now();
}

export function useHome(): Home {
  return useQuery('session', (library) => library.session()).data?.home ?? 'local';
}

/** `savedAt` changes with each save; then the status is asked for again. */
export function useUplink(savedAt: number | null = null): UplinkState {
  const { uplink } = useServices();
  useEffect(() => {
    if (
      savedAt !== null &&
      uplink.state.status !== undefined &&
      uplink.state.status.connection !== null &&
      uplink.state.at < savedAt
    )
      void uplink.refresh();
  }, [uplink, savedAt]);
  return useSyncExternalStore(uplink.subscribe, () => uplink.state);
}

/** The second way of all that is shared, or of one stream. Asked again after each save. */
export function useBeyond(savedAt: number | null, stream?: string): Beyond | null {
  const { status, at } = useUplink(savedAt);
  return beyondOf(status, at, stream, useLeftOut({ status, at }, stream));
}

/** The link of a stream that the status leaves out; asked for with each status. */
function useLeftOut(
  { status, at }: Pick<UplinkState, 'status' | 'at'>,
  stream: string | undefined,
): LinkStatus | undefined {
  const { call, queries } = useServices();
  const asked =
    status !== undefined && stream !== undefined && isLeftOut(status, stream) ? stream : undefined;
  const key = `link/${asked ?? ''}`;
  useEffect(() => queries.invalidate(key), [queries, key, at]);
  return useQuery(key, async () => ({
    data:
      asked === undefined
        ? undefined
        : (await call(listLinks, { query: { stream: asked } })).data[0],
    stale: false,
    at,
  })).data;
}

/** This window's work over all cases. */
export function useTotals(): WindowWork {
  const { overview } = useServices();
  return useSyncExternalStore(
    (listener) => overview.subscribe(listener),
    () => overview.totals,
  );
}

/** When anything of this window was last saved. */
export function useSavedAt(): number | null {
  const { overview } = useServices();
  return useSyncExternalStore(
    (listener) => overview.subscribe(listener),
    () => overview.totals.savedAt,
  );
}

export function useSyncStatusOfAll(): SyncStatus {
  const { clock } = useServices();
  const work = useTotals();
  const home = useHome();
  const beyond = useBeyond(work.savedAt);
  const now = useNow(clock, work.waiting + work.blocked + (beyond?.waiting ?? 0) > 0);
  return syncStatusOf(work, { home, beyond, now });
}
