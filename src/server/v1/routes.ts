import type { Route } from '../route.ts';
import { createKeyRoute } from './account/create-key.ts';
import { createSampleRoute } from './account/create-sample.ts';
import { createStudioKeyRoute } from './account/create-studio-key.ts';
import { getCopyKeyRoute } from './account/get-copy-key.ts';
import { getSessionRoute } from './account/get-session.ts';
import { getUsageRoute } from './account/get-usage.ts';
import { letKeySyncRoute } from './account/let-key-sync.ts';
import { revokeKeyRoute } from './account/revoke-key.ts';
import { exportCaseAuditRoute } from './audit/export-case.ts';
import { exportAuditRoute } from './audit/export.ts';
import { listAuditRoute } from './audit/list.ts';
import { listContestedMatricesRoute } from './cases/contested.ts';
import { listDeletedCasesRoute } from './cases/deleted.ts';
import { listContestedFieldsRoute } from './cases/contested-fields.ts';
import { getCaseDocumentRoute } from './cases/get-document.ts';
import { settleCaseDocumentRoute } from './cases/settle-document.ts';
import { listCasesRoute } from './cases/list.ts';
import { settleFieldRoute } from './cases/settle-field.ts';
import { upsertCaseRoute } from './cases/upsert.ts';
import { listContestedRoute } from './evidence/contested.ts';
import { getEvidenceRoute } from './evidence/get.ts';
import { getHistoryRoute } from './evidence/history.ts';
import { recordEvidenceBatchRoute } from './evidence/record-batch.ts';
import { recordEvidenceRoute } from './evidence/record.ts';
import { revertChangesRoute } from './evidence/reverts.ts';
import { listWritersRoute } from './evidence/writers.ts';
import { decideProfileCollisionRoute } from './profile-collisions/decide.ts';
import { listProfileCollisionsRoute } from './profile-collisions/list.ts';
import { createProfileRoute } from './profiles/create.ts';
import { getProfileRoute } from './profiles/get.ts';
import { listProfilesRoute } from './profiles/list.ts';
import { listContestedProjectFieldsRoute } from './projects/contested-fields.ts';
import { listProjectsRoute } from './projects/list.ts';
import { settleProjectFieldRoute } from './projects/settle-field.ts';
import { upsertProjectRoute } from './projects/upsert.ts';
import { createRunRoute } from './runs/create.ts';
import { getRunRoute } from './runs/get.ts';
import { listRunsRoute } from './runs/list.ts';
import { ancestorRoute } from './sync/ancestor.ts';
import { syncCasesRoute } from './sync/cases.ts';
import { changesRoute } from './sync/changes.ts';
import { digestRoute } from './sync/digest.ts';
import { getBlobRoute } from './sync/get-blob.ts';
import { getBlobsRoute } from './sync/get-blobs.ts';
import { getRunManifestRoute } from './sync/get-run.ts';
import { helloRoute } from './sync/hello.ts';
import { missingBlobsRoute } from './sync/missing-blobs.ts';
import { missingRunsRoute } from './sync/missing-runs.ts';
import { missingRoute } from './sync/missing.ts';
import { pushRoute } from './sync/push.ts';
import { putBlobRoute } from './sync/put-blob.ts';
import { putBlobsRoute } from './sync/put-blobs.ts';
import { putRunRoute } from './sync/put-run.ts';
import { snapshotRoute } from './sync/snapshot.ts';
import { changeMemberRoute } from './team/change-member.ts';
import { changePasswordRoute } from './team/change-password.ts';
import { confirmSessionRoute } from './team/confirm-session.ts';
import { createAccountRoute } from './team/create-account.ts';
import { createInvitationRoute } from './team/create-invitation.ts';
import { dismissTriedPasswordsRoute } from './team/dismiss-tried-passwords.ts';
import { endOtherSessionsRoute } from './team/end-other-sessions.ts';
import { endSessionRoute } from './team/end-session.ts';
import { listMembersRoute } from './team/list-members.ts';
import { listSessionsRoute } from './team/list-sessions.ts';
import { removeMemberRoute } from './team/remove-member.ts';
import { renameAccountRoute } from './team/rename-account.ts';
import { switchAccountRoute } from './team/switch-account.ts';
import { withdrawInvitationRoute } from './team/withdraw-invitation.ts';
import { connectUplinkRoute } from './uplink/connect.ts';
import { uplinkDiagnosticsRoute } from './uplink/diagnostics.ts';
import { disconnectUplinkRoute } from './uplink/disconnect.ts';
import { getUplinkRoute } from './uplink/get.ts';
import { shareProjectRoute } from './uplink/share-project.ts';
import { syncUplinkRoute } from './uplink/sync.ts';
import { listUnsentRoute } from './uplink/unsent.ts';

export const ROUTES: readonly Route[] = [
  listProjectsRoute,
  upsertProjectRoute,
  listContestedProjectFieldsRoute,
  settleProjectFieldRoute,
  listProfilesRoute,
  getProfileRoute,
  createProfileRoute,
  listProfileCollisionsRoute,
  decideProfileCollisionRoute,
  listCasesRoute,
  listDeletedCasesRoute,
  upsertCaseRoute,
  listContestedMatricesRoute,
  listContestedFieldsRoute,
  settleFieldRoute,
  getCaseDocumentRoute,
  settleCaseDocumentRoute,
  getEvidenceRoute,
  recordEvidenceRoute,
  recordEvidenceBatchRoute,
  revertChangesRoute,
  getHistoryRoute,
  listContestedRoute,
  listWritersRoute,
  listRunsRoute,
  createRunRoute,
  getRunRoute,
  getUsageRoute,
  getSessionRoute,
  getCopyKeyRoute,
  createKeyRoute,
  createStudioKeyRoute,
  letKeySyncRoute,
  revokeKeyRoute,
  createSampleRoute,
  switchAccountRoute,
  confirmSessionRoute,
  listMembersRoute,
  changeMemberRoute,
  removeMemberRoute,
  createInvitationRoute,
  withdrawInvitationRoute,
  listSessionsRoute,
  endSessionRoute,
  endOtherSessionsRoute,
  dismissTriedPasswordsRoute,
  changePasswordRoute,
  createAccountRoute,
  renameAccountRoute,
  listAuditRoute,
  exportAuditRoute,
  exportCaseAuditRoute,
  helloRoute,
  syncCasesRoute,
  pushRoute,
  changesRoute,
  missingRoute,
  ancestorRoute,
  digestRoute,
  snapshotRoute,
  missingBlobsRoute,
  missingRunsRoute,
  putBlobsRoute,
  getBlobsRoute,
  putBlobRoute,
  getBlobRoute,
  putRunRoute,
  getRunManifestRoute,
  getUplinkRoute,
  connectUplinkRoute,
  disconnectUplinkRoute,
  shareProjectRoute,
  syncUplinkRoute,
  listUnsentRoute,
  uplinkDiagnosticsRoute,
];
