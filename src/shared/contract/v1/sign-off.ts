import { z } from 'zod';
import { ApprovedRun, CaseStage } from '../../domain/sign-off.ts';
import { CaseUid, RunUid } from '../../domain/uid.ts';
import { DryRun, None, text, Timestamp } from '../common.ts';
import { BODY_LIMIT, endpoint } from '../endpoint.ts';
import { known } from '../ids.ts';

/** A move of a case to another stage. `run` is the run that an approval is of. */
const ShownMove = z.strictObject({
  stage: CaseStage,
  by: z.string(),
  at: Timestamp,
  reason: z.string(),
  run: ApprovedRun.optional(),
});
export type ShownMove = z.infer<typeof ShownMove>;

/**
 * In which stage a case is, and how it came there, newest first. `unaware`: how many moves were made
 * by people who did not know of the one that is displayed. `later`: what was recorded under an approval by somebody
 * who did not know of it; it belongs to no approved run. At most 100 changes are listed.
 */
export const SignOff = z.strictObject({
  case_uid: known.caseUid,
  stage: CaseStage,
  next: z.array(CaseStage),
  moves: z.array(ShownMove),
  unaware: z.int().min(0),
  later: z.array(z.strictObject({ change: z.string(), by: z.string(), at: Timestamp })),
});
export type SignOff = z.infer<typeof SignOff>;

const caseParams = z.strictObject({ caseUid: CaseUid });

export const getSignOff = endpoint({
  id: 'getSignOff',
  summary: 'In which stage a case is: in progress, in review, approved or amended',
  tag: 'Cases',
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
  tag: 'Cases',
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
