import {
  DamagedChangeError,
  type SealedChange,
  type Change,
  unseal,
} from '../../../sync/change.ts';
import { StoreError } from '../db/errors.ts';
import type { WriteContext } from '../db/context.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import type { ValidatedChange } from '../log/log-view.ts';
import type { Register } from '../../../sync/register.ts';
import { appliedRegister } from '../../../sync/status.ts';
import { isOwn } from '../../../shared/contract/rights.ts';
import { permitRounds } from '../rounds/round-access.ts';
import { permitSignOff } from '../sign-off/permit.ts';
import { permit, reach, NO_LOG } from '../db/permit.ts';
import type { Stream } from '../log/change-log.ts';
import type { StoredCase } from '../records/cases.ts';
import type { WireChange } from '../../../shared/contract/sync.ts';
import { known } from '../../../shared/contract/ids.ts';

function refuse(error: unknown, index: number): never {
  if (!(error instanceof DamagedChangeError)) throw error;
  const code = error.code === 'hash_mismatch' ? 'hash_mismatch' : 'validation_failed';
  throw new StoreError(code, 'A change is damaged; nothing was stored.', [
    {
      path: `/changes/${index}`,
      code: error.code,
      message: 'The change cannot be read as what its id names.',
    },
  ]);
}

/** Decides for each entry by itself whether this version can apply it (S1). */
export async function validateEntries(
  { schema }: WriteContext,
  sealed: SealedChange,
  work: WorkCounter,
): Promise<ValidatedChange> {
  const registers: (Register | undefined)[] = [];
  const quarantined: number[] = [];
  for (let entry = 0; entry < sealed.change.entries.length; entry += 1) {
    const register = appliedRegister(sealed.change, entry, schema);
    registers.push(register);
    if (register === undefined) quarantined.push(entry);
    if (work.due()) await yieldToEventLoop();
  }
  return { ...sealed, registers, quarantined };
}

/**
 * The other ids of this store's own person: before connecting to a hosted server, and on other
 * ones. Such work may still wait in a window.
 */
async function otherSelves({ session, credential }: WriteContext): Promise<ReadonlySet<string>> {
  if (credential === undefined || credential.authMethod === 'key') return new Set();
  const rows = await session.db
    .selectFrom('meta')
    .select(['key', 'value'])
    .where(({ eb, or }) => or([eb('key', '=', 'local_user'), eb('key', 'like', 'person:%')]))
    .execute();
  if (!rows.some(({ key, value }) => key === 'local_user' && value === credential.actor.user_id))
    return new Set();
  return new Set(
    rows.flatMap(({ key }) => (key.startsWith('person:') ? [key.slice('person:'.length)] : [])),
  );
}

/**
 * Registers by which something is removed or comes back. A later version applies what this one
 * quarantines, so that the address alone decides.
 */
const EXISTENCE = /^(?:item|case|project)\/x(?:\/|$)/;
/** Registers that persons alone write (YD1, YS7, Z3, Z6). */
const DECISION = /^(?:d|policy|stage|signature)\//;

/**
 * L7: the credentials decide whose a change may be and whether it may remove. One that they do not
 * allow refuses the whole request.
 */
async function permitChange(
  ctx: WriteContext,
  { by, entries }: Change,
  index: number,
): Promise<void> {
  if (ctx.credential === undefined) return;
  const path = `/changes/${index}`;
  const sameAs = isOwn(ctx.credential, by) ? undefined : await otherSelves(ctx);
  permit(ctx, { do: 'bring', by, ...(sameAs && { sameAs }) }, [
    {
      path,
      code: 'other_author',
      message: 'The change states another author than these credentials are of.',
    },
  ]);
  // Whatever it is worth beside other values: a project outside is not to be named.
  for (const { reg, value } of entries)
    if (reg === 'case/project_id' && typeof value === 'string')
      reach(ctx, known.projectId.parse(value), NO_LOG);
  const decides = entries.findIndex(({ reg }) => DECISION.test(reg));
  if (decides >= 0)
    permit(ctx, { do: 'decide' }, [
      { path, code: 'decides', message: `Entry ${decides} decides what only people decide.` },
    ]);
  const place = entries.findIndex(({ reg }) => EXISTENCE.test(reg));
  if (place >= 0)
    permit(ctx, { do: 'remove' }, [
      { path, code: 'removes', message: `Entry ${place} removes something, or brings it back.` },
    ]);
}

/**
 * Parses and validates the changes that are new here. One damaged change refuses the whole request.
 */
export async function validate(
  ctx: WriteContext,
  { stream, found }: { stream: Stream; found: StoredCase | undefined },
  changes: readonly WireChange[],
  authors: Authors,
): Promise<Map<string, ValidatedChange>> {
  const fresh = new Map<string, ValidatedChange>();
  const work = new WorkCounter();
  for (const [index, { id, change: text }] of changes.entries()) {
    if (stream.changes.byId(id) !== undefined || fresh.has(id)) {
      // The log holds this id already; the bytes sent under it must still be the same.
      if (`c1_${ctx.ports.hasher.sha256Base64url(text)}` !== id)
        refuse(new DamagedChangeError('hash_mismatch'), index);
      continue;
    }
    let change: Change;
    try {
      ({ change } = unseal(id, text, ctx.ports.hasher));
    } catch (error) {
      refuse(error, index);
    }
    if (change.case !== stream.name)
      throw new StoreError(
        'validation_failed',
        'A change belongs to another case; nothing was stored.',
        [
          {
            path: `/changes/${index}`,
            code: 'other_case',
            message: 'The change names another case than the path.',
          },
        ],
      );
    if (authors === 'own') {
      await permitChange(ctx, change, index);
      await permitRounds(ctx, stream.account, change, index);
      await permitSignOff(ctx, found, change, index);
    }
    if (work.due(change.entries.length)) await yieldToEventLoop();
    fresh.set(id, await validateEntries(ctx, { id, text, change }, work));
  }
  return fresh;
}

/**
 * Whose changes may be pushed: the caller's, as far as their credentials reach, or anybody's, where
 * the server brings its own content.
 */
export type Authors = 'own' | 'any';
