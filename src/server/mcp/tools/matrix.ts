import { z } from 'zod';
import { ProfileUid, ProfileVersion, CaseUid } from '../../../shared/domain/uid.ts';
import { getCase } from '../../../shared/contract/v1/cases.ts';
import { ToolProblem } from '../problems.ts';
import type { StudioCalls } from '../studio.ts';

/** The matrix that a tool is about: the profile in use in the case, if no other is named. */
export const matrixInput = {
  case_uid: CaseUid.describe('The case, as find_cases names it.'),
  profile_uid: ProfileUid.optional().describe(
    'The profile; the one in use in the case if left out.',
  ),
  profile_version: ProfileVersion.optional().describe('Its version; the one in use if left out.'),
};

export interface MatrixOfTool {
  case_uid: string;
  profile_uid?: string | undefined;
  profile_version?: string | undefined;
}
export interface MatrixName {
  profile_uid: string;
  profile_version?: string;
}

export const matrixOutput = {
  case_uid: z.string(),
  profile_uid: z.string(),
};

/** Which profile is meant: named by the caller, else the one in use. */
export async function matrixOf(
  studio: StudioCalls,
  { case_uid, profile_uid, profile_version }: MatrixOfTool,
): Promise<MatrixName> {
  if (profile_uid !== undefined)
    return { profile_uid, ...(profile_version !== undefined && { profile_version }) };
  const found = await studio.call(getCase, { params: { caseUid: case_uid } });
  if (found.profile_uid === null)
    throw new ToolProblem(
      'no_profile',
      'No profile is in use in this case yet. Choose one with list_profiles together with the person, and name it as profile_uid.',
    );
  return {
    profile_uid: found.profile_uid,
    ...(found.profile_version !== null && { profile_version: found.profile_version }),
  };
}
