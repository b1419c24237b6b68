import type { AccountId } from '../../../shared/contract/ids.ts';
import { type RunRecord, verifying } from '../../../shared/domain/run.ts';
import type { WriteContext } from '../db/context.ts';
import { inSteps } from '../db/event-loop.ts';
import { isWhole, noteWhole } from './run-check.ts';
import { storeContent } from './run-content.ts';

/**
 * Cuts an account's runs of the first format into chunks. A run that no longer has its hash stays
 * where it is, and is damaged until its content has come from another server.
 */
export async function adoptFirstRuns(ctx: WriteContext, account: AccountId): Promise<void> {
  const { db } = ctx.session;
  // A start waits for no other store: what is kept outside is moved there later.
  const inside: WriteContext = { ...ctx, ports: { ...ctx.ports, outside: undefined } };
  for (const { run_uid, content_hash } of await db
    .selectFrom('first_runs')
    .select(['run_uid', 'content_hash'])
    .where('account', '=', ctx.session.numberOf(account))
    .execute()) {
    const { json } = await db
      .selectFrom('first_runs')
      .select('json')
      .where('account', '=', ctx.session.numberOf(account))
      .where('run_uid', '=', run_uid)
      .executeTakeFirstOrThrow();
    const record = readRecord(json);
    const found = record && (await inSteps(verifying(record, ctx.ports.hasher)));
    if (record === undefined || found?.content_hash.computed !== content_hash) {
      if (!(await isWhole(inside, account, content_hash).catch(() => true)))
        await noteWhole(inside, account, content_hash, false);
      continue;
    }
    await storeContent(
      inside,
      account,
      { ...record.frozen, settings: record.settings, method: record.method, result: record.result },
      content_hash,
      found.recomputed.ok,
    );
    await db
      .deleteFrom('first_runs')
      .where('account', '=', ctx.session.numberOf(account))
      .where('run_uid', '=', run_uid)
      .execute();
  }
}

function readRecord(json: string): RunRecord | undefined {
  try {
    return JSON.parse(json) as RunRecord;
  } catch {
    return undefined;
  }
}
