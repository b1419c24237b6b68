import type {
  CaseUid,
  KeyId,
  ProfileUid,
  ProjectId,
  RunUid,
  StreamName,
  UserId,
} from '../../src/shared/contract/ids.ts';

// Ids for tests, which write them as plain text. They are not checked, since tests also give
// storage what the contract would refuse.

export const asCase = (uid: string): CaseUid => uid as CaseUid;
export const asProject = (id: string): ProjectId => id as ProjectId;
export const asRun = (uid: string): RunUid => uid as RunUid;
export const asProfile = (uid: string): ProfileUid => uid as ProfileUid;
export const asKey = (id: string): KeyId => id as KeyId;
export const asUser = (id: string): UserId => id as UserId;
export const asStream = (name: string): StreamName => name as StreamName;
