import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { SyncOverview } from '../../data/sync/sync-overview.ts';
import { saveFile } from '../../ui/save-file.ts';

export const exportName = (caseUid: CaseUid, now: number): string =>
  `unsent-${caseUid.replaceAll(/[^A-Za-z0-9._-]/g, '_')}-${new Date(now).toISOString().slice(0, 16).replaceAll(/[:T]/g, '-')}.json`;

export async function saveExport(
  overview: SyncOverview,
  ids: readonly string[],
  name: string,
): Promise<void> {
  saveFile(name, 'application/json', await overview.exportOf(ids));
}
