import type { Endpoint } from './endpoint.ts';
import { ancestor, changes, hello, logDigest, missing, push, snapshot, syncCases } from './sync.ts';
import { getBlob, getBlobs, getRunManifest, missingBlobs, missingRuns, putBlob, putBlobs, putRun } from './sync-runs.ts';
import { createKey, createSample, createStudioKey, getCopyKey, getSession, getUsage, letKeySync, revokeKey } from './v1/account.ts';
import { exportAudit, exportCaseAudit, listAudit } from './v1/audit.ts';
import { listCases, listContestedMatrices, listDeletedCases, upsertCase } from './v1/cases.ts';
import { getEvidence, getHistory, listContested, listContestedFields, listWriters, recordEvidence, recordEvidenceBatch, settleField } from './v1/evidence.ts';
import { decideProfileCollision, getCaseDocument, listProfileCollisions, settleCaseDocument } from './v1/profile-documents.ts';
import { createProfile, getProfile, listProfiles } from './v1/profiles.ts';
import { listContestedProjectFields, listProjects, settleProjectField, upsertProject } from './v1/projects.ts';
import { revertChanges } from './v1/reverts.ts';
import { createRun, getRun, listRuns } from './v1/runs.ts';
import { changeMember, changePassword, confirmSession, createAccount, createInvitation, dismissTriedPasswords, endOtherSessions, endSession, listMembers, listSessions, removeMember, renameAccount, switchAccount, withdrawInvitation } from './v1/team.ts';
import { connectUplink, disconnectUplink, getUplink, listUnsent, shareProject, syncUplink, uplinkDiagnostics } from './v1/uplink.ts';

/** Every operation of the API. */
export const API: readonly Endpoint[] = [
  listProjects, upsertProject, listContestedProjectFields, settleProjectField,
  listProfiles, getProfile, createProfile, listProfileCollisions, decideProfileCollision,
  listCases, listDeletedCases, upsertCase, listContestedMatrices, listContestedFields, settleField, getCaseDocument, settleCaseDocument,
  getEvidence, recordEvidence, recordEvidenceBatch, revertChanges, getHistory, listContested, listWriters,
  listRuns, createRun, getRun,
  getUsage, getSession, getCopyKey, createKey, createStudioKey, letKeySync, revokeKey, createSample,
  switchAccount, confirmSession, listMembers, changeMember, removeMember, createInvitation, withdrawInvitation, listSessions, endSession, endOtherSessions, dismissTriedPasswords, changePassword, createAccount, renameAccount,
  listAudit, exportAudit, exportCaseAudit,
  hello, syncCases, push, changes, missing, ancestor, logDigest, snapshot,
  missingBlobs, missingRuns, putBlobs, getBlobs, putBlob, getBlob, putRun, getRunManifest,
  getUplink, connectUplink, disconnectUplink, shareProject, syncUplink, listUnsent, uplinkDiagnostics,
];
