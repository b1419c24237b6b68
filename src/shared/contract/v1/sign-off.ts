import { z } from 'zod';
import { ELN_TYPE } from '../../domain/run-crate.ts';
import { ContentHash } from '../../domain/run-record.ts';
import { ApprovedRun, CaseStage, SignatureMeaning, SignatureTime } from '../../domain/sign-off.ts';
import { Sender } from '../../domain/sender.ts';
import { SignedItemProof } from '../../domain/signed-proof.ts';
import { CaseUid, ItemUid, RunUid } from '../../domain/uid.ts';
import { DryRun, list, None, paging, text, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

/** How a move, a signature or a change came here. `sent_by`: who brought it, where somebody did. */
const Came = z.strictObject({
  at: Timestamp,
  received_at: Timestamp,
  sent_by: Sender.nullable(),
});

/** A move of a case to another stage. `run` is the run that an approval is of. */
const ShownMove = Came.extend({
  stage: CaseStage,
  by: z.string(),
  reason: z.string(),
  run: ApprovedRun.optional(),
});
export type ShownMove = z.infer<typeof ShownMove>;

/**
 * In which stage a case is, and how it came there, newest first. `unaware`: how many moves do not
 * count beside the displayed one. `later`: changes of the record that are in no approved run, since
 * they were written under an approval by their author's clock, or came here after it (`after_by`).
 * At most 100 are listed.
 */
export const SignOff = z.strictObject({
  case_uid: known.caseUid,
  stage: CaseStage,
  next: z.array(CaseStage),
  moves: z.array(ShownMove),
  unaware: z.int().min(0),
  later: z.array(
    Came.extend({
      change: z.string(),
      by: z.string(),
      after_by: z.enum(['clock', 'receipt']),
    }),
  ),
});
export type SignOff = z.infer<typeof SignOff>;

const caseParams = z.strictObject({ caseUid: CaseUid });

export const getSignOff = endpoint({
  id: 'getSignOff',
  summary: 'In which stage a case is: in progress, in review, approved or amended',
  tag: 'Sign-off',
  method: 'GET',
  path: '/api/v1/cases/{caseUid}/sign-off',
  access: 'read',
  params: caseParams,
  query: None,
  response: SignOff,
  success: [200],
  errors: ['not_found'],
});

export const moveCase = endpoint({
  id: 'moveCase',
  summary: 'Move a case to another stage, with a reason; owners approve it and open it again',
  tag: 'Sign-off',
  method: 'POST',
  path: '/api/v1/cases/{caseUid}/stage',
  access: 'session',
  params: caseParams,
  query: DryRun,
  body: z.strictObject({
    stage: CaseStage,
    reason: text(2_000, 1),
    run_uid: RunUid.describe(
      'The run of this case that is approved; with `approved` alone.',
    ).optional(),
  }),
  bodyLimit: BODY_LIMIT,
  response: SignOff,
  success: [200],
  errors: ['not_found', 'conflict', 'insufficient_scope'],
});

/**
 * A signature with what is found when it is checked. `signature`: whether it is over the statement,
 * by the key beside it. `content`: whether the statement is about this run, its content hash and
 * its items. `key`: `this_server` where the key is the one that this server keeps for the signer;
 * of `another` it is not known whose it is, and `signer` and `confirmed_by` are what the statement
 * says. `time_stamp`: that of an authority, and `time_problem`: why there is none.
 */
export const CheckedSignature = z.strictObject({
  run_uid: known.runUid,
  content_hash: ContentHash,
  meaning: SignatureMeaning,
  signer: z.strictObject({ user_id: known.userId, name: z.string() }),
  signed_at: Timestamp,
  received_at: Timestamp,
  sent_by: Sender.nullable(),
  confirmed_by: z.enum(['password', 'computer_account']),
  checks: z.strictObject({
    signature: z.enum(['valid', 'invalid']),
    content: z.enum(['matches', 'differs', 'not_here']),
    key: z.enum(['this_server', 'another']),
    time: SignatureTime,
  }),
  time_stamp: z
    .strictObject({
      at: Timestamp,
      authority: z.string(),
      policy: z.string(),
      token: z.string(),
    })
    .nullable(),
  time_problem: z.string().nullable(),
  statement: z.string(),
  minisig: z.string(),
  public_key: z.string(),
});
export type CheckedSignature = z.infer<typeof CheckedSignature>;

const runParams = z.strictObject({ runUid: RunUid });

export const listSignatures = endpoint({
  id: 'listSignatures',
  summary: 'The signatures on a run, each checked, in the order in which they came here',
  tag: 'Sign-off',
  method: 'GET',
  path: '/api/v1/runs/{runUid}/signatures',
  access: 'read',
  params: runParams,
  query: z.strictObject(paging),
  response: list(CheckedSignature),
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});

export const signRun = endpoint({
  id: 'signRun',
  summary: 'Sign a run: a person, with a meaning, and the password for this one signature',
  tag: 'Sign-off',
  method: 'POST',
  path: '/api/v1/runs/{runUid}/signatures',
  access: 'session',
  params: runParams,
  query: None,
  body: z.strictObject({
    content_hash: ContentHash.describe('Of the run as it was shown.'),
    meaning: SignatureMeaning,
    password: z
      .string()
      .max(1_000)
      .describe('Of the person; left out where nobody has one, on one’s own computer.')
      .optional(),
  }),
  bodyLimit: BODY_LIMIT,
  response: CheckedSignature,
  success: [201],
  errors: ['not_found', 'not_here_yet', 'conflict', 'wrong_password', 'rate_limited'],
});

/**
 * The file holds the run as JSON, its result as CSV, a report, the first 200 signatures on it, and
 * `ro-crate-metadata.json` with who did what, signed by this server.
 */
export const exportRunBundle = endpoint({
  id: 'exportRunBundle',
  summary: 'A run as a signed `.eln` file, to be kept and verified without this server',
  tag: 'Sign-off',
  method: 'GET',
  path: '/api/v1/runs/{runUid}/bundle',
  access: 'read',
  params: runParams,
  query: None,
  response: z.undefined(),
  file: ELN_TYPE,
  success: [200],
  errors: ['not_found', 'not_here_yet', 'conflict'],
});

/** At most the first 200 signatures on the run are looked at. */
export const getItemProof = endpoint({
  id: 'getItemProof',
  summary:
    'Proof that one item belongs to a run, without the others, and the signatures that cover it',
  tag: 'Sign-off',
  method: 'GET',
  path: '/api/v1/runs/{runUid}/proof',
  access: 'read',
  params: runParams,
  query: z.strictObject({ item_uid: ItemUid }),
  response: SignedItemProof,
  success: [200],
  errors: ['not_found', 'not_here_yet'],
});
