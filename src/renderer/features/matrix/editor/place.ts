import { z } from 'zod';
import type { MatrixSession } from '../../../data/store/port.ts';
import { Arrangement, fitTo } from '../model/arrangement.ts';
import type { EditorStore } from './editor-state.ts';
import { readStored, writeStored } from '../../../state/stored.ts';

/** Where a person was in a matrix: what a reload, a crash or another day comes back to. */
const EditorPlace = z.strictObject({
  matrix: z.string(),
  arrangement: Arrangement,
  /** The cell that had the focus. */
  cell: z.strictObject({ item: z.string(), rule: z.string() }).nullable(),
  scroll: z.strictObject({ top: z.number().min(0), left: z.number().min(0) }),
});
export type EditorPlace = z.infer<typeof EditorPlace>;

const KEY = 'evidence-studio.places';
/** Matrices that are remembered, the last one first. */
const KEPT = 24;
/** Milliseconds of quiet before the place is written. */
const QUIET = 250;

const Places = z
  .array(z.unknown())
  .transform((places) => places.flatMap((place) => EditorPlace.safeParse(place).data ?? []));

const nameOf = ({ caseUid, profile }: MatrixSession): string =>
  `${caseUid} ${profile.profileUid} ${profile.version}`;

export function loadPlace(session: MatrixSession): EditorPlace | undefined {
  const name = nameOf(session);
  const place = readStored(KEY, Places)?.find(({ matrix }) => matrix === name);
  return place === undefined
    ? undefined
    : { ...place, arrangement: fitTo(place.arrangement, session.rules) };
}

/** Writes the place down whenever it has changed; returns how to stop. */
export function rememberPlace(session: MatrixSession, store: EditorStore): () => void {
  const matrix = nameOf(session);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    const { columns, sort, filter, selection, scroll } = store.getState();
    const place: EditorPlace = {
      matrix,
      arrangement: { columns, sort, filter },
      cell: selection?.focus ?? null,
      scroll,
    };
    writeStored(
      KEY,
      [place, ...(readStored(KEY, Places) ?? []).filter((other) => other.matrix !== matrix)].slice(
        0,
        KEPT,
      ),
    );
  };
  const stop = store.subscribe((state, before) => {
    if (
      state.columns === before.columns &&
      state.sort === before.sort &&
      state.filter === before.filter &&
      state.selection === before.selection &&
      state.scroll === before.scroll
    )
      return;
    clearTimeout(timer);
    timer = setTimeout(write, QUIET);
  });
  globalThis.addEventListener?.('pagehide', write);
  return () => {
    write();
    stop();
    globalThis.removeEventListener?.('pagehide', write);
  };
}
