import type { z } from 'zod';
import { listUnsent } from '../../../shared/contract/v1/uplink.ts';
import type { Services } from '../../state/services.tsx';
import { saveFile } from '../../ui/save-file.ts';

type UnsentOnServer = z.output<typeof listUnsent.response>['changes'][number];

/**
 * Saves what no hosted server has acknowledged, with its exact bytes; returns how many changes that
 * are.
 */
export async function exportUnsent(call: Services['call'], now: number): Promise<number> {
  const changes: UnsentOnServer[] = [];
  let after: string | null = null;
  do {
    const page: z.output<typeof listUnsent.response> = await call(listUnsent, {
      query: after === null ? {} : { after },
    });
    changes.push(...page.changes);
    after = page.next;
  } while (after !== null);
  const at = new Date(now).toISOString();
  saveFile(
    `unsent-${at.slice(0, 16).replaceAll(/[:T]/g, '-')}.json`,
    'application/json',
    JSON.stringify(
      {
        format: 'evidence-studio/unsent-changes',
        version: 1,
        exported_at: at,
        changes: changes.map(({ change_id: id, ...rest }) => ({ id, ...rest })),
      },
      null,
      2,
    ),
  );
  return changes.length;
}
