import type { AccountId } from '../../../shared/contract/ids.ts';
import type { Change } from '../../../sync/change.ts';
import { PROFILE_STREAM } from '../../../sync/register.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { WriteContext } from '../db/context.ts';
import { unpack } from '../db/packed.ts';
import { addAnnounced } from './profile-view.ts';

/**
 * Stores the documents of an account that an earlier version kept in the log alone, since another
 * one was in use under their version.
 */
export async function adoptDocuments(ctx: WriteContext, account: AccountId): Promise<void> {
  const { db } = ctx.session;
  const number = ctx.session.numberOf(account);
  const rows = await db
    .selectFrom('extra_heads')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'extra_heads.account')
        .onRef('streams.stream_pk', '=', 'extra_heads.stream_pk'),
    )
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.account', '=', 'extra_heads.account')
        .onRef('changes.stream_pk', '=', 'extra_heads.stream_pk')
        .onRef('changes.seq', '=', 'extra_heads.seq'),
    )
    .select([
      'streams.stream_pk',
      'extra_heads.reg',
      'extra_heads.idx',
      'changes.text',
      'changes.packed',
    ])
    .where('streams.account', '=', number)
    .where('streams.name', '=', PROFILE_STREAM)
    .where('extra_heads.reg', 'like', 'profile/%')
    .orderBy('changes.seq')
    .execute();
  for (const { stream_pk, reg, idx, text, packed } of rows) {
    const entry = (JSON.parse(unpack(text, packed)) as Change).entries[idx];
    if (entry !== undefined)
      await addAnnounced(ctx, account, (entry.value as { document: ProfileDocument }).document);
    await db
      .deleteFrom('extra_heads')
      .where('account', '=', number)
      .where('stream_pk', '=', stream_pk)
      .where('reg', '=', reg)
      .execute();
  }
}
