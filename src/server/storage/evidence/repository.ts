import { activitySince } from './activity.ts';
import { carryForward } from './carry-forward.ts';
import { listCells } from './cell-list.ts';
import { casesWithProgress } from './case-progress.ts';
import { contestedPage } from './contested.ts';
import { duplicateCase } from './duplicate-case.ts';
import { evidencePage } from './evidence-page.ts';
import { recordEvidence } from './evidence-write.ts';
import { cellHistory } from './history.ts';
import { setItemsState } from './item-states.ts';
import { searchAll } from './search.ts';
import { revert } from './reverts.ts';
import { createRun } from './run-create.ts';
import { writersOf } from '../records/authorship.ts';
import { contestedMatrices } from './contested-matrices.ts';

export const evidenceReads = {
  page: evidencePage,
  cells: listCells,
  history: cellHistory,
  contested: contestedPage,
  writers: writersOf,
};
export const evidenceWrites = {
  record: recordEvidence,
  revert,
  duplicate: duplicateCase,
  carryForward,
  setItemsState,
};

/** What of cases and runs is read from or made of their evidence. */
export const caseEvidenceReads = {
  contested: contestedMatrices,
  listWithProgress: casesWithProgress,
  activity: activitySince,
  search: searchAll,
};
export const runEvidenceWrites = { create: createRun };
