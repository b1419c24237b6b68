import { caseDocument, settleCaseDocument } from './case-document.ts';
import { upsertCase } from './case-upsert.ts';
import { getCase, listCases } from './cases.ts';
import {
  contestedFields,
  contestedProjectFields,
  settleContestedField,
  settleContestedProjectField,
} from './contested-fields.ts';
import { deletedCases } from './deleted-cases.ts';
import { decideCollision, listCollisions } from './profile-collisions.ts';
import { listProfiles } from './profile-list.ts';
import { borrowDocument, createProfile, publishProfile } from './profiles.ts';
import { getProject, listProjects, upsertProject } from './projects.ts';
import { getProfile } from './profile-read.ts';
import { setCaseState, setProfileState, setProjectState, setRunState } from './states.ts';

export const projectReads = {
  list: listProjects,
  get: getProject,
  contestedFields: contestedProjectFields,
};
export const projectWrites = {
  upsert: upsertProject,
  settle: settleContestedProjectField,
  setState: setProjectState,
};

export const caseReads = {
  list: listCases,
  get: getCase,
  deleted: deletedCases,
  contestedFields,
  document: caseDocument,
};
export const caseWrites = {
  upsert: upsertCase,
  settle: settleContestedField,
  settleDocument: settleCaseDocument,
  setState: setCaseState,
};

export const profileReads = { list: listProfiles, get: getProfile, collisions: listCollisions };
export const profileWrites = {
  create: createProfile,
  publish: publishProfile,
  decide: decideCollision,
  borrow: borrowDocument,
  setState: setProfileState,
};

/** What the log of its case says of a run. */
export const runRecordWrites = { setState: setRunState };
