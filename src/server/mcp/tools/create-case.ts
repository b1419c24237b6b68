import { z } from 'zod';
import { LongText, text } from '../../../shared/contract/common.ts';
import { upsertCase } from '../../../shared/contract/v1/cases.ts';
import { upsertProject } from '../../../shared/contract/v1/projects.ts';
import { CaseUid, ProfileUid, ProfileVersion } from '../../../shared/domain/uid.ts';
import { ToolProblem } from '../problems.ts';
import { tool } from '../tool.ts';

export const createCase = tool({
  name: 'create_case',
  title: 'Create a case',
  description:
    'Creates a case in a project, and the project if there is none of this name. Only where the person has asked for a new case; find_cases tells which there are. Its items are added with record_outcomes.',
  input: z.strictObject({
    project: text(200, 1).describe('Name of the project.'),
    case_uid: CaseUid.describe('Identifier of the new case; it cannot be changed later.'),
    title: text(500).optional(),
    description: LongText.optional(),
    profile_uid: ProfileUid.describe('The profile to use, as list_profiles names it.'),
    profile_version: ProfileVersion.optional().describe('The newest if left out.'),
  }),
  output: z.strictObject({
    project_id: z.string(),
    case_uid: z.string(),
    profile_uid: z.string().nullable(),
    profile_version: z.string().nullable(),
    next: z.string(),
  }),
  effect: 'adds',
  needsWrite: true,
  async run(studio, { project, ...input }) {
    const { project_id } = await studio.call(upsertProject, { body: { name: project } });
    const made = await studio
      .call(upsertCase, { body: { project_id, ...input }, headers: { 'if-none-match': '*' } })
      .catch((error: unknown) => {
        if (!(error instanceof ToolProblem) || error.code !== 'precondition_failed') throw error;
        throw new ToolProblem(
          'conflict',
          `conflict: There is a case ${input.case_uid} already, and nothing of it was changed. Read it with read_case, or take another case_uid.`,
        );
      });
    return {
      project_id: made.project_id,
      case_uid: made.case_uid,
      profile_uid: made.profile_uid,
      profile_version: made.profile_version,
      next: 'Add its items with record_outcomes.',
    };
  },
});
