import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import { type Entry, parseEntryName } from '../../../sync/change.ts';
import type { ChangeIndex, ChangeInfo, EntryPosition } from './change-index.ts';

/** Whose word a change is. `keys`: whether the identifiers of keys are shown. */
export function recordedBy(
  { author, authorKind, keyId }: Pick<ChangeInfo, 'author' | 'authorKind' | 'keyId'>,
  keys: boolean,
): RecordedBy {
  const kind = authorKind as RecordedBy['kind'];
  return {
    kind,
    name: author,
    ...(keys && kind === 'agent' && keyId !== null && { key_id: keyId }),
  };
}

/**
 * Whose suggestion an entry accepted, and who accepted it; undefined where it accepts none that was
 * loaded.
 */
export function acceptedBy(
  changes: ChangeIndex,
  place: EntryPosition,
  keys: boolean,
): RecordedBy | undefined {
  const suggested = changes.acceptances.suggestedIn(place);
  return suggested === undefined
    ? undefined
    : {
        ...recordedBy(changes.at(suggested), keys),
        accepted_by: changes.at(place.seq).author,
      };
}

/** The same of an entry by its name, of a change that is loaded. */
export function acceptedByName(
  changes: ChangeIndex,
  name: string,
  keys: boolean,
): RecordedBy | undefined {
  const parts = parseEntryName(name);
  const info = parts && changes.byId(parts.id);
  return parts === undefined || info === undefined
    ? undefined
    : acceptedBy(changes, { seq: info.seq, index: parts.index }, keys);
}

/**
 * Whose word an entry is, and the entry that it restores: what an undo brings back is still the
 * word of whoever first said it, and what was accepted that of its source. `name` is the entry's
 * own.
 */
export async function attributionOf(
  changes: ChangeIndex,
  own: Pick<ChangeInfo, 'author' | 'authorKind' | 'keyId'>,
  { reg, restores, value, from }: Pick<Entry, 'reg' | 'restores' | 'value' | 'from'>,
  name: string,
): Promise<{ recorded_by: RecordedBy; restores: string | null }> {
  const origin = restores === undefined ? null : await changes.originOf(reg, { restores, value });
  const parts = origin === null ? undefined : parseEntryName(origin);
  const accepted = parseEntryName(origin ?? (from === undefined ? '' : name));
  if (accepted !== undefined) {
    await changes.loadIds([accepted.id]);
    await changes.acceptances.load(
      [changes.byId(accepted.id)?.seq].filter((seq) => seq !== undefined),
    );
  }
  return {
    recorded_by:
      acceptedByName(changes, origin ?? name, true) ??
      recordedBy((parts && changes.byId(parts.id)) ?? own, true),
    restores: typeof restores === 'string' ? restores : null,
  };
}

/** The changes of these entries that the log holds, by the entries' names. */
export async function changesOfEntries(
  changes: ChangeIndex,
  names: readonly string[],
): Promise<Map<string, number>> {
  const ids = new Map(
    [...new Set(names)].flatMap((name) => {
      const parts = parseEntryName(name);
      return parts === undefined ? [] : [[name, parts.id] as const];
    }),
  );
  await changes.loadIds(ids.values());
  return new Map(
    [...ids].flatMap(([name, id]) => {
      const info = changes.byId(id);
      return info === undefined ? [] : [[name, info.seq] as const];
    }),
  );
}
