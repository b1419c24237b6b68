import { StoreOpenError } from '../errors.ts';
import type { AskSql } from './connection.ts';
import { FROM, isLarge, readStage, TO } from './stage.ts';

/**
 * The version of the schema that a starting server finds. A database that is prepared has all that
 * servers of the new version need, though those of before work on it, too.
 */
export async function versionFound(
  ask: AskSql,
  noted: number,
  newest: number,
): Promise<{ version: number; isShared: boolean }> {
  const stage = await readStage(ask);
  if (stage === undefined) return { version: noted, isShared: false };
  if (stage === 'preparing')
    throw new StoreOpenError(
      'upgrade_under_way',
      'The database is being prepared for this version. Start it when `evidence-studio database ' +
        'status` says that it is ready; servers of the version before may work.',
    );
  if (newest > TO)
    throw new StoreOpenError(
      'upgrade_under_way',
      'The upgrade to the version before this one is not finished: run `evidence-studio database finish` first.',
    );
  return { version: Math.max(TO, noted), isShared: stage === 'ready' };
}

/** Refuses to copy many rows in one transaction, in which everybody would wait. */
export async function refuseLarge(ask: AskSql, step: number): Promise<void> {
  if (step !== FROM || !(await isLarge(ask))) return;
  throw new StoreOpenError(
    'upgrade_needed',
    'The database is large. Run `evidence-studio database prepare` first: servers of the version ' +
      'before may work meanwhile.',
  );
}
