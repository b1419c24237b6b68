import { caseSteps } from '../log/case-steps.ts';
import { auditAdd, auditAfter, auditBy, auditHead, auditPage } from './audit.ts';
import { auditedAccounts, auditedLogs, loggedChanges } from './audit-logs.ts';

export const auditReads = {
  list: auditPage,
  after: auditAfter,
  head: auditHead,
  caseSteps,
  accounts: auditedAccounts,
  logs: auditedLogs,
  logged: loggedChanges,
};
export const auditWrites = { by: auditBy, add: auditAdd };
