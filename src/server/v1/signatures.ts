import * as signOff from '../../shared/contract/v1/sign-off.ts';
import type { CheckedSignature } from '../../shared/contract/v1/sign-off.ts';
import { itemsRoot, proveItem } from '../../shared/domain/run-proof.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import {
  type RunSignature,
  type SignatureMeaning,
  type SignedStatement,
  STATEMENT_FORMAT,
  statementOf,
} from '../../shared/domain/sign-off.ts';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import { checkPassword } from './password-again.ts';
import { toPage } from '../http/page.ts';
import { ApiError } from '../context/errors.ts';
import { type HandlerDeps, type Route, readRoute, serviceRoute } from '../http/route.ts';
import { isSignedBy, publicKeyText, signFile, signingKeyOf } from '../instance/minisign.ts';
import { type FoundTime, knownTime, STATED } from '../time-stamps/found.ts';
import type { Actor } from '../storage/db/actor.ts';
import type { BroughtSignature } from '../storage/sign-off/signatures.ts';
import { missingRun } from './missing-run.ts';
import { sentByShownTo } from './shown-keys.ts';

type Checker = Pick<HandlerDeps, 'hmacSecret' | 'hasher' | 'timeStamps'>;

/** What a stored run is, as far as a statement names it; undefined where it is not here. */
interface SignedContent {
  case_uid: string;
  items_root: string;
}
const contentOf = (record: RunRecord, { hasher }: Checker): SignedContent => ({
  case_uid: record.case_uid,
  items_root: itemsRoot(record, hasher),
});

/** What is found of a signature, given the run that is stored under its content hash. */
function checked(
  { hmacSecret }: Checker,
  { signature, received_at, sent_by }: BroughtSignature,
  statement: SignedStatement,
  { stored, found }: { stored: SignedContent | undefined; found: FoundTime },
): CheckedSignature {
  const { case_uid, run_uid, content_hash, meaning, signer, signed_at, confirmed_by, items_root } =
    statement;
  const bytes = Buffer.from(signature.statement);
  const own = publicKeyText(signingKeyOf(hmacSecret, signer.user_id));
  const isOfRun = stored?.case_uid === case_uid && stored.items_root === items_root;
  return {
    run_uid,
    content_hash,
    meaning,
    signer,
    signed_at,
    received_at,
    sent_by,
    confirmed_by,
    checks: {
      signature: isSignedBy(signature.public_key, bytes, signature.signature) ? 'valid' : 'invalid',
      content: stored === undefined ? 'not_here' : isOfRun ? 'matches' : 'differs',
      key: signature.public_key === own ? 'this_server' : 'another',
      time: found.time,
    },
    time_stamp: found.stamp,
    time_problem: found.problem,
    statement: signature.statement,
    minisig: signature.signature,
    public_key: signature.public_key,
  };
}

/** Signs what a person states of a run. */
function signed(
  { hmacSecret, hasher }: Checker,
  actor: Actor,
  run: RunRecord,
  said: Pick<SignedStatement, 'meaning' | 'signed_at' | 'confirmed_by'>,
): RunSignature {
  const { user_id, user_name: name } = actor;
  const statement = canonicalJson({
    format: STATEMENT_FORMAT,
    case_uid: run.case_uid,
    run_uid: run.run_uid,
    content_hash: run.content_hash as SignedStatement['content_hash'],
    items_root: itemsRoot(run, hasher),
    signer: { user_id, name },
    ...said,
  } satisfies SignedStatement);
  const key = signingKeyOf(hmacSecret, user_id);
  const comment = `${commentOf(said.meaning, name, said.signed_at)} run:${run.run_uid}`;
  return {
    statement,
    signature: signFile(key, Buffer.from(statement), comment),
    public_key: publicKeyText(key),
  };
}

const commentOf = (meaning: SignatureMeaning, name: string, time: string): string =>
  `meaning:${meaning} person:${name} time:${time}`;

/** A proof brings the first signatures alone. */
const PROVEN = { limit: 200, cursor: undefined };

export const signatureRoutes: readonly Route[] = [
  readRoute(signOff.listSignatures, async ({ actor, role, params, query, reader, deps }) => {
    const { account_id } = actor;
    const newest = await reader.runs.get(account_id, params.runUid);
    if (newest === undefined) throw await missingRun(reader, account_id, params.runUid);
    const page = await reader.signOff.signatures(params.runUid, toPage(query));
    // The root over a large run takes a while: once for each content.
    const contents = new Map<string, SignedContent | undefined>();
    const stamps = await reader.signOff.stamps(params.runUid);
    const data: CheckedSignature[] = [];
    for (const one of page.data) {
      const statement = statementOf(one.signature);
      if (statement === undefined) continue;
      const hash = statement.content_hash;
      if (!contents.has(hash)) {
        const run =
          hash === newest.record.content_hash
            ? newest
            : await reader.runs.get(account_id, params.runUid, hash);
        contents.set(hash, run && contentOf(run.record, deps));
      }
      const found = await knownTime(one.signature, stamps, deps.timeStamps?.trusted ?? '');
      const stored = contents.get(hash);
      data.push(sentByShownTo(role, checked(deps, one, statement, { stored, found })));
    }
    return {
      status: 200,
      value: { data, next_cursor: page.next_cursor },
      counted: { resource: params.runUid },
    };
  }),

  readRoute(signOff.getItemProof, async ({ actor, params, query, reader, deps }) => {
    const found = await reader.runs.get(actor.account_id, params.runUid);
    if (found === undefined) throw await missingRun(reader, actor.account_id, params.runUid);
    const proof = proveItem(found.record, query.item_uid, deps.hasher);
    if (proof === undefined) throw new ApiError('not_found');
    const { run_uid, content_hash } = found.record;
    const { data } = await reader.signOff.signatures(params.runUid, PROVEN);
    const signatures = data
      .map(({ signature }) => signature)
      .filter((one) => statementOf(one)?.content_hash === content_hash);
    return {
      status: 200,
      value: { ...proof, run_uid, content_hash, signatures },
      counted: { resource: run_uid },
    };
  }),

  serviceRoute(signOff.signRun, async (call) => {
    const { actor, params, body, deps, now, transact } = call;
    if (deps.copies.keep === 'unknown')
      throw new ApiError('conflict', {
        message: 'The secret of this server cannot be opened, so nobody has a key to sign with.',
      });
    const hasPassword = await checkPassword(call, body.password ?? '');
    const run = await transact(async (writer) => {
      const found = await writer.runs.get(actor.account_id, params.runUid, body.content_hash);
      if (found === undefined) throw await missingRun(writer, actor.account_id, params.runUid);
      return found.record;
    }, actor.account_id);
    const signature = signed(deps, actor, run, {
      meaning: body.meaning,
      signed_at: new Date(now).toISOString(),
      confirmed_by: hasPassword ? 'password' : 'computer_account',
    });
    const isStamped = deps.timeStamps?.authority !== undefined;
    await transact(async (writer) => {
      await writer.signOffWrites.sign(actor, params.runUid, signature, { isStamped });
      writer.audit.add({
        action: 'run.signed',
        object: params.runUid,
        detail: {
          content_hash: run.content_hash,
          meaning: body.meaning,
          public_key: signature.public_key,
          confirmed_by: hasPassword ? 'password' : 'computer_account',
        },
      });
    }, actor.account_id);
    const statement = statementOf(signature);
    if (statement === undefined) throw new Error('A signature of our own cannot be read.');
    const brought = { signature, received_at: statement.signed_at, sent_by: null };
    const found = { ...STATED, time: isStamped ? ('waiting' as const) : STATED.time };
    const value = checked(deps, brought, statement, { stored: contentOf(run, deps), found });
    return { status: 201, value, counted: { resource: params.runUid } };
  }),
];
