import type { AccountId } from '../../../shared/contract/ids.ts';
import type { WriteContext, Quotas } from './context.ts';
import { StoreError } from './errors.ts';

type QuotaKind = keyof Quotas;
const WORDS: Readonly<Record<QuotaKind, string>> = {
  cases: 'cases',
  runs: 'frozen runs',
  changes: 'recorded changes',
};
/** Notes that the account holds more records of a kind than before. */
export function noteMore(ctx: WriteContext, account: AccountId, kind: QuotaKind): void {
  const kinds = ctx.more.get(account) ?? new Set();
  ctx.more.set(account, kinds.add(kind));
}

async function holds(
  { session }: WriteContext,
  account: AccountId,
  kind: QuotaKind,
): Promise<number> {
  const { db } = session;
  switch (kind) {
    case 'cases':
      return (
        await db
          .selectFrom('cases')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .where('account', '=', session.numberOf(account))
          .executeTakeFirstOrThrow()
      ).n;
    case 'runs':
      return (
        await db
          .selectFrom('runs')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .where('account', '=', session.numberOf(account))
          .executeTakeFirstOrThrow()
      ).n;
    case 'changes':
      return (
        await db
          .selectFrom('streams')
          .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('seq'), eb.lit(0)).as('n'))
          .where('account', '=', session.numberOf(account))
          .executeTakeFirstOrThrow()
      ).n;
  }
}

/**
 * Checks the quotas near the end of a transaction. The account's row is locked from here on, so
 * that two writers cannot both take the last place.
 */
export async function checkQuotas(ctx: WriteContext): Promise<void> {
  const { quotas } = ctx.ports;
  if (quotas === undefined) return;
  for (const [account, kinds] of [...ctx.more].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const limited = [...kinds].filter((kind) => quotas[kind] !== undefined);
    if (limited.length === 0) continue;
    await ctx.session.db
      .selectFrom('accounts')
      .select('account_id')
      .where('account_id', '=', account)
      .modifyEnd(ctx.session.lock)
      .execute();
    for (const kind of limited) {
      const quota = quotas[kind]!;
      if ((await holds(ctx, account, kind)) > quota)
        throw new StoreError(
          'quota_exceeded',
          `This account may hold ${quota} ${WORDS[kind]}, and this would be more. Nothing was stored.`,
        );
    }
  }
}
