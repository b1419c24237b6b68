import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { parseEntryName } from '../../../sync/change.ts';
import type { DisplayedEntry } from '../../../sync/layers/suggestions.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import { formatRegister, parseRegister } from '../../../sync/register.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { pipelined } from '../db/session.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { refuse } from '../evidence/draft-items.ts';
import type { CaseView } from '../records/case-view.ts';
import { loadHeads } from './suggestion-list.ts';
import { type ShownCells, shownCells } from './shown-cells.ts';
import type { SourceCell, SuggestionRow } from './suggestion-map.ts';

/** A suggestion that a request names, and what the tables show of its register. */
export interface Named {
  entry: DisplayedEntry<Suggestion | null>;
  cell: SourceCell;
  row: SuggestionRow;
}

const cellOf = ({ source, profile, version, rule, item }: SourceCell): SourceCell => ({
  source,
  profile,
  version,
  rule,
  item,
});

/** The suggestions of these names; what is none, or is named twice, is refused. */
async function findNamed(
  { changes }: CaseView['stream'],
  { document, rules }: StoredProfile,
  names: readonly string[],
  pathOf: (index: number) => string,
): Promise<Omit<Named, 'row'>[]> {
  const columns = new Set<string>(rules);
  const details: ErrorDetail[] = [];
  const found: Omit<Named, 'row'>[] = [];
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const place = parseEntryName(name);
    const seq = place && changes.byId(place.id)?.seq;
    const content = seq === undefined ? undefined : await changes.contentOf(seq);
    const entry = place && content?.entries[place.index];
    const isApplied = place !== undefined && content?.quarantined.includes(place.index) === false;
    const register = isApplied && entry !== undefined ? parseRegister(entry.reg) : undefined;
    if (
      entry === undefined ||
      register?.kind !== 'suggestion' ||
      register.profile !== document.profileUid ||
      register.version !== document.version ||
      !columns.has(register.rule)
    )
      refuse(details, pathOf(index), 'unknown_suggestion', 'The matrix has no such suggestion.');
    else if (seen.has(name))
      refuse(details, pathOf(index), 'duplicate_suggestion', 'It is in this request already.');
    else
      found.push({
        entry: { name, value: entry.value as Suggestion | null },
        cell: cellOf(register),
      });
    seen.add(name);
  }
  if (details.length > 0)
    throw new StoreError(
      'validation_failed',
      'Some suggestions are unknown; nothing was decided.',
      details,
    );
  return found;
}

/**
 * The suggestions of these names, and what the record shows in their cells. Throws
 * validation_failed where one is no suggestion for this matrix, or is named twice.
 */
export async function readNamed(
  ctx: WriteContext,
  view: CaseView,
  profile: StoredProfile,
  matrix: { casePk: number; profile_uid: string; profile_version: string },
  names: readonly string[],
  pathOf: (index: number) => string,
): Promise<{ named: Named[]; shown: ShownCells }> {
  const { changes } = view.stream;
  const ids = names.flatMap((name) => parseEntryName(name)?.id ?? []);
  await changes.loadIds(ids);
  await changes.loadContents(ids.flatMap((id) => changes.byId(id)?.seq ?? []));
  const found = await findNamed(view.stream, profile, names, pathOf);
  const cells = found.map(({ cell }) => cell);
  const [shown] = await pipelined(
    shownCells(ctx, matrix, cells),
    view.layers.suggestions.load(cells),
    view.items.load(cells.map(({ item }) => item)),
    view.heads.load(cells.map((cell) => formatRegister({ kind: 'decision', ...cell }))),
  );
  const named = found.flatMap((one): Named[] => {
    const row = view.layers.suggestions.get(one.cell);
    return row === undefined ? [] : [{ ...one, row }];
  });
  await loadHeads(
    changes,
    named.map(({ row }) => row),
    shown,
  );
  return { named, shown };
}
