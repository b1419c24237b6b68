import * as syncRuns from '../../shared/contract/sync-runs.ts';
import { BATCH_LIMITS } from '../../shared/contract/sync-batch.ts';
import * as sync from '../../shared/contract/sync.ts';
import type { StreamName } from '../../shared/contract/ids.ts';
import { layerOf } from '../../sync/register.ts';
import type { CountedUse } from '../context/call.ts';
import { SCHEMA_VERSION } from '../../sync/change.ts';
import { hlcMs } from '../../sync/clock.ts';
import { ApiError } from '../context/errors.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { StoreError } from '../storage/db/errors.ts';
import { movedSince, TOKEN_LENGTH } from './recent-moves.ts';
import { seesKeys } from './shown-keys.ts';

const DEFAULT_LIMIT = 1_000;

const DEFAULT_BUCKETS = 256;

/** Usage names the log of a request, which others read: but no layer, of which nobody may hear. */
const countedOf = (name: StreamName): CountedUse =>
  layerOf(name) === undefined ? { resource: name } : {};

export const syncRoutes: readonly Route[] = [
  readRoute(sync.ancestor, async ({ actor, params, body, reader, deps }) => {
    const { seq, chain } = await reader.log.ancestor(actor.account_id, params.caseUid, body.points);
    return {
      status: 200,
      value: { epoch: deps.store.epoch, seq, chain },
      counted: countedOf(params.caseUid),
    };
  }),

  readRoute(
    sync.syncCases,
    async ({ actor, effectiveRole, relays, query, reader, deps, isFresh }) => {
      const { epoch } = deps.store;
      const { account_id } = actor;
      const token = await reader.log.changeToken(account_id);
      const sealed = await reader.log.sealedToken(account_id);
      // 132 bits of the token are enough to tell two apart, and an idle studio sends them every
      // minute.
      const tagOf = (of: string): string =>
        `"${epoch}-${of.slice(0, TOKEN_LENGTH)}-${effectiveRole}${relays ? '-studio' : ''}${sealed === '' ? '' : `-${sealed}`}"`;
      const etag = tagOf(token);
      if (isFresh(etag)) return { status: 200, etag, json: '' };
      const { since } = query;
      const from = since?.slice(epoch.length + 2).slice(0, TOKEN_LENGTH);
      const named = movedSince(deps.store, account_id, {
        from: from !== undefined && tagOf(from) === since ? from : undefined,
        to: token,
      });
      const { whole, ...found } = await reader.log.positions(account_id, query.after, named);
      return {
        status: 200,
        etag,
        value: {
          epoch,
          role: effectiveRole,
          studio: relays,
          ...(!whole && since !== undefined && { since }),
          ...found,
        },
      };
    },
  ),

  readRoute(sync.changes, async ({ actor, params, query, witness, reader }) => {
    const limit =
      query.limit === undefined
        ? DEFAULT_LIMIT
        : Math.min(Number(query.limit), sync.SYNC_LIMITS.changes);
    const page = await reader.log.changes(
      actor.account_id,
      params.caseUid,
      Number(query.after),
      limit,
      witness,
    );
    const { epoch, count, sum } = page.position;
    const { from, to, chain, more } = page;
    return {
      status: 200,
      value: {
        epoch,
        from,
        to,
        n: page.changes.length,
        changes: page.changes,
        chain,
        more,
        count,
        sum,
      },
      counted: countedOf(params.caseUid),
    };
  }),

  readRoute(sync.logDigest, async ({ actor, params, query, reader, deps }) => {
    const { seq, buckets } = await reader.log.digest(
      actor.account_id,
      params.caseUid,
      query.buckets === undefined ? DEFAULT_BUCKETS : Number(query.buckets),
    );
    return {
      status: 200,
      value: { epoch: deps.store.epoch, seq, buckets },
      counted: countedOf(params.caseUid),
    };
  }),

  readRoute(syncRuns.getRunManifest, async ({ actor, role, params, query, reader }) => {
    const { run_uid, verify } = query;
    const found = await reader.runs.describe(actor.account_id, params.contentHash, {
      run_uid,
      verify: verify !== undefined,
    });
    if (found === undefined) throw new ApiError('not_found');
    if (run_uid === undefined || verify !== undefined) return { status: 200, value: found };
    const recorders = await reader.runs
      .recorders(actor.account_id, run_uid, params.contentHash, seesKeys(role))
      .catch((error: unknown) => {
        // A run is not kept back because of what is beside its content.
        if (error instanceof StoreError && error.code === 'integrity_error') return undefined;
        throw error;
      });
    return {
      status: 200,
      value: { ...found, ...(recorders?.recorders && { recorders: recorders.recorders }) },
    };
  }),

  readRoute(sync.hello, async ({ deps, now, actor, effectiveRole, relays }) => ({
    status: 200,
    value: {
      protocol: { min: sync.PROTOCOL, max: sync.PROTOCOL },
      store: deps.store.storeId,
      epoch: deps.store.epoch,
      time: new Date(now).toISOString(),
      limits: { ...sync.SYNC_LIMITS, parts: BATCH_LIMITS.parts },
      features: [...sync.FEATURES],
      version: deps.version,
      schema: SCHEMA_VERSION,
      user: { user_id: actor.user_id, name: actor.user_name, role: effectiveRole },
      studio: relays,
    },
  })),

  readRoute(sync.missing, async ({ actor, params, body, witness, reader }) => {
    const found = await reader.log.missing(actor.account_id, params.caseUid, body.ids, witness);
    return {
      status: 200,
      value: { missing: found.missing, ...found.position },
      counted: countedOf(params.caseUid),
    };
  }),

  writeRoute(
    sync.push,
    async ({ now, actor, params, body, witness, writer }) => {
      const { results, position, oldest } = await writer.log.push(
        actor,
        params.caseUid,
        body.changes,
        witness,
      );
      return {
        status: 200,
        value: { results, ...position },
        counted: {
          ...countedOf(params.caseUid),
          ...(oldest !== null && {
            pushed: {
              changes: results.filter(({ status }) => status !== 'duplicate').length,
              oldestMs: now - hlcMs(oldest),
            },
          }),
        },
      };
    },
    { isSealed: true },
  ),

  readRoute(sync.snapshot, async ({ actor, role, params, query, witness, reader, deps }) => {
    const { profile_uid, profile_version, after } = query;
    const { n, text } = await reader.log.snapshot(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version, after },
      witness,
      seesKeys(role),
    );
    return {
      status: 200,
      value: { n, sha256: deps.hasher.sha256Hex(text), chunk: text },
      counted: countedOf(params.caseUid),
    };
  }),
];
