import type { ReadContext, WriteContext } from '../db/context.ts';

/**
 * Key under which it is stored which secret the keys were made under: a mark of it that does not
 * tell the secret.
 */
const SECRET_MARK = 'secret_mark';

export async function secretMark(ctx: ReadContext): Promise<string | undefined> {
  return (
    await ctx.session.db
      .selectFrom('meta')
      .select('value')
      .where('key', '=', SECRET_MARK)
      .executeTakeFirst()
  )?.value;
}

/** Stores the mark where there is none, or in any case; answers the one that is there now. */
export async function takeSecretMark(
  ctx: WriteContext,
  mark: string,
  replace: boolean,
): Promise<string> {
  const row = ctx.session.db.insertInto('meta').values({ key: SECRET_MARK, value: mark });
  await row
    .onConflict((oc) => (replace ? oc.column('key').doUpdateSet({ value: mark }) : oc.doNothing()))
    .execute();
  return (await secretMark(ctx)) ?? mark;
}
