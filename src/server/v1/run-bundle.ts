import * as signOff from '../../shared/contract/v1/sign-off.ts';
import { ELN_TYPE } from '../../shared/domain/run-crate.ts';
import { statementOf } from '../../shared/domain/sign-off.ts';
import { ApiError } from '../context/errors.ts';
import { type Route, serviceRoute } from '../http/route.ts';
import { publicKeyText, serverKeyOf } from '../instance/minisign.ts';
import { knownTime } from '../time-stamps/found.ts';
import { missingRun } from './missing-run.ts';
import { seesKeys } from './shown-keys.ts';

/** A bundle brings the first signatures alone. */
const BROUGHT = { limit: 200, cursor: undefined };

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const runBundleRoutes: readonly Route[] = [
  serviceRoute(signOff.exportRunBundle, async ({ params, role, credential, origin, now, deps }) => {
    const { store, hmacSecret, version } = deps;
    const { account_id } = origin;
    if (account_id === null) throw new ApiError('not_found');
    if (deps.copies.keep === 'unknown')
      throw new ApiError('conflict', {
        message: 'The secret of this server cannot be opened, so it has no key to sign with.',
      });
    const found = await store.read(
      async (reader) => {
        const keys = seesKeys(role);
        const run = await reader.runs.get(account_id, params.runUid, undefined, keys);
        if (run === undefined) throw await missingRun(reader, account_id, params.runUid);
        const { record } = run;
        const hash = record.content_hash;
        const known = await reader.runs.recorders(account_id, params.runUid, hash, keys);
        const { data } = await reader.signOff.signatures(params.runUid, BROUGHT);
        const stamps = await reader.signOff.stamps(params.runUid);
        const own = data
          .map(({ signature }) => signature)
          .filter((one) => statementOf(one)?.content_hash === hash);
        return {
          run: record,
          recorders: known?.recorders ?? null,
          signatures: await Promise.all(
            own.map(async (signature) => {
              const { stamp } = await knownTime(signature, stamps, deps.timeStamps?.trusted ?? '');
              return {
                signature,
                token: stamp === null ? undefined : Buffer.from(stamp.token, 'base64'),
              };
            }),
          ),
        };
      },
      account_id,
      credential,
    );
    // Loaded with the first bundle: what packs it is a large library.
    const { bundleName, writeBundle } = await import('../bundle/write-bundle.ts');
    const key = serverKeyOf(hmacSecret);
    const exported = { at: new Date(now).toISOString(), by: origin.name, version };
    const bytes = await writeBundle({ ...found, exported }, key);
    // A store that takes no writes exports all the same.
    if (store.health().ok)
      await store.transact(async (writer) => {
        writer.audit.by(origin);
        writer.audit.add({
          action: 'run.exported',
          object: params.runUid,
          detail: { content_hash: found.run.content_hash, public_key: publicKeyText(key) },
        });
      }, account_id);
    return {
      status: 200,
      file: { type: ELN_TYPE, name: bundleName(found.run), pieces: once(bytes) },
      counted: { resource: params.runUid },
    };
  }),
];
