import type { ProfileUid } from '../../../../shared/contract/ids.ts';
import { z } from 'zod';
import { Arrangement, fitTo } from './arrangement.ts';
import { readStored, writeStored } from '../../../state/stored.ts';
import { t } from '../../../text/t.ts';

const SavedView = z.strictObject({ name: z.string().min(1).max(80), arrangement: Arrangement });
export type SavedView = z.infer<typeof SavedView>;

/** An entry that cannot be read is left out; the others stay. */
const SavedViews = z
  .array(z.unknown())
  .transform((views) => views.flatMap((view) => SavedView.safeParse(view).data ?? []));

const keyOf = (profileUid: ProfileUid): string => `evidence-studio.views.${profileUid}`;

/** The views of a profile on this computer, fitted to the rules of the version at hand. */
export const loadViews = (profileUid: ProfileUid, rules: readonly string[]): SavedView[] =>
  (readStored(keyOf(profileUid), SavedViews) ?? []).map(({ name, arrangement }) => ({
    name,
    arrangement: fitTo(arrangement, rules),
  }));

/** What is wrong with a name for a new or renamed view, in words. */
export function nameProblem(
  name: string,
  views: readonly SavedView[],
  own?: string,
): string | undefined {
  const wanted = name.trim();
  if (wanted === '') return t('Give the view a name.');
  if (wanted.length > 80) return t('At most 80 characters.');
  return views.some((view) => view.name !== own && view.name.toLowerCase() === wanted.toLowerCase())
    ? t('There is a view of this name.')
    : undefined;
}

/** Reads, changes and writes at once: another window may have saved a view meanwhile. */
function change(profileUid: ProfileUid, how: (views: SavedView[]) => SavedView[]): boolean {
  return writeStored(keyOf(profileUid), how(readStored(keyOf(profileUid), SavedViews) ?? []));
}

const byName = (a: SavedView, b: SavedView): number => a.name.localeCompare(b.name);

/** False where this computer could not keep it. A view of the same name is replaced. */
export const saveView = (profileUid: ProfileUid, view: SavedView): boolean =>
  change(profileUid, (views) =>
    [...views.filter(({ name }) => name !== view.name), view].toSorted(byName),
  );

export const renameView = (profileUid: ProfileUid, from: string, to: string): boolean =>
  change(profileUid, (views) =>
    views.map((view) => (view.name === from ? { ...view, name: to } : view)).toSorted(byName),
  );

export const deleteView = (profileUid: ProfileUid, gone: string): boolean =>
  change(profileUid, (views) => views.filter(({ name }) => name !== gone));
