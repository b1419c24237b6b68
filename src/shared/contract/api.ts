import type { Endpoint } from './endpoint.ts';
import * as sync from './sync.ts';
import * as syncBatch from './sync-batch.ts';
import * as syncRuns from './sync-runs.ts';
import * as account from './v1/account.ts';
import * as activity from './v1/activity.ts';
import * as agentSetup from './v1/agent-setup.ts';
import * as audit from './v1/audit.ts';
import * as cells from './v1/cells.ts';
import * as carrying from './v1/carry-forward.ts';
import * as cases from './v1/cases.ts';
import * as contested from './v1/contested.ts';
import * as discussion from './v1/discussion.ts';
import * as evidence from './v1/evidence.ts';
import * as housekeeping from './v1/housekeeping.ts';
import * as notices from './v1/notices.ts';
import * as pairing from './v1/pairing.ts';
import * as profileDocuments from './v1/profile-documents.ts';
import * as profiles from './v1/profiles.ts';
import * as projects from './v1/projects.ts';
import * as reverts from './v1/reverts.ts';
import * as ratings from './v1/ratings.ts';
import * as rounds from './v1/rounds.ts';
import * as runComparison from './v1/run-comparison.ts';
import * as runs from './v1/runs.ts';
import * as search from './v1/search.ts';
import * as signOff from './v1/sign-off.ts';
import * as suggestions from './v1/suggestions.ts';
import * as toJudge from './v1/to-judge.ts';
import * as team from './v1/team.ts';
import * as uplink from './v1/uplink.ts';

/** Every operation of the API. */
export const API: readonly Endpoint[] = [
  projects.listProjects,
  projects.getProject,
  projects.upsertProject,
  housekeeping.setProjectState,
  projects.listContestedProjectFields,
  projects.settleProjectField,
  profiles.listProfiles,
  profiles.getProfile,
  profiles.createProfile,
  housekeeping.setProfileState,
  profileDocuments.listProfileCollisions,
  profileDocuments.decideProfileCollision,
  cases.listCases,
  cases.getCase,
  cases.listDeletedCases,
  cases.upsertCase,
  housekeeping.setCaseState,
  housekeeping.duplicateCase,
  cases.listContestedMatrices,
  activity.listActivity,
  search.search,
  contested.listContestedFields,
  contested.settleField,
  profileDocuments.getCaseDocument,
  profileDocuments.settleCaseDocument,
  evidence.getEvidence,
  cells.listCells,
  cells.getItem,
  cells.getCell,
  evidence.recordEvidence,
  evidence.recordEvidenceBatch,
  carrying.carryForward,
  reverts.revertChanges,
  suggestions.listSuggestions,
  toJudge.listToJudge,
  suggestions.suggestOutcomes,
  suggestions.decideSuggestions,
  suggestions.setCasePolicy,
  housekeeping.setItemsState,
  evidence.getHistory,
  contested.listContested,
  contested.listWriters,
  signOff.getSignOff,
  signOff.moveCase,
  rounds.listRounds,
  rounds.openRound,
  rounds.getRound,
  rounds.recordInRound,
  rounds.getRoundEvidence,
  rounds.finishRound,
  rounds.exportLayer,
  rounds.importLayer,
  rounds.releaseRound,
  rounds.removeRecorder,
  rounds.getAgreement,
  ratings.listRatings,
  discussion.listThreads,
  discussion.openThread,
  discussion.getThread,
  discussion.addToThread,
  discussion.listAssignments,
  discussion.assignPlaces,
  discussion.listWaiting,
  runs.listRuns,
  runs.createRun,
  housekeeping.setRunState,
  runs.getRun,
  signOff.listSignatures,
  signOff.signRun,
  signOff.getItemProof,
  signOff.exportRunBundle,
  notices.listSubscriptions,
  notices.createSubscription,
  notices.endSubscription,
  runs.getRunRecorders,
  runComparison.compareRuns,
  account.getUsage,
  account.getSession,
  account.getCopyKey,
  account.createKey,
  account.createStudioKey,
  account.letKeySync,
  account.limitKey,
  account.revokeKey,
  account.createSample,
  agentSetup.getAgentSetup,
  pairing.startPairing,
  pairing.listPairingRequests,
  pairing.decidePairing,
  pairing.collectKey,
  team.switchAccount,
  team.confirmSession,
  team.listMembers,
  team.changeMember,
  team.removeMember,
  team.createInvitation,
  team.withdrawInvitation,
  team.listSessions,
  team.endSession,
  team.endOtherSessions,
  team.dismissTriedPasswords,
  team.changePassword,
  team.createAccount,
  team.renameAccount,
  audit.listAudit,
  audit.exportAudit,
  audit.exportCaseAudit,
  audit.listCaseEvents,
  sync.hello,
  sync.syncCases,
  sync.push,
  sync.changes,
  sync.missing,
  sync.ancestor,
  sync.logDigest,
  sync.snapshot,
  syncBatch.batch,
  syncRuns.missingBlobs,
  syncRuns.missingRuns,
  syncRuns.putBlobs,
  syncRuns.getBlobs,
  syncRuns.putBlob,
  syncRuns.getBlob,
  syncRuns.putRun,
  syncRuns.getRunManifest,
  uplink.getUplink,
  uplink.listLinks,
  uplink.connectUplink,
  uplink.disconnectUplink,
  uplink.shareProject,
  uplink.syncUplink,
  uplink.listUnsent,
  uplink.uplinkDiagnostics,
];
