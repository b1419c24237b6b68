import {
  keyReads,
  keyWrites,
  sessionReads,
  sessionWrites,
  setupWrites,
  signInLimits,
  rateLimitUsage,
  teamReads,
  teamWrites,
  usageReads,
  usageWrites,
  userWrites,
} from './accounts/repository.ts';
import { secretMark, takeSecretMark } from './accounts/secret-mark.ts';
import { auditReads, auditWrites } from './audit/repository.ts';
import { binder, type Bound } from './db/bound.ts';
import {
  beDryRun,
  beforeCommit,
  type ReadContext,
  serve,
  type WriteContext,
} from './db/context.ts';
import { discussionReads, discussionWrites } from './discussion/repository.ts';
import { noticeReads, noticeWrites } from './notices/repository.ts';
import { idempotency } from './db/idempotency.ts';
import {
  caseEvidenceReads,
  evidenceReads,
  evidenceWrites,
  runEvidenceWrites,
} from './evidence/repository.ts';
import { suggestionReads, suggestionWrites } from './layers/repository.ts';
import { logReads } from './log/repository.ts';
import {
  caseReads,
  caseWrites,
  profileReads,
  profileWrites,
  projectReads,
  projectWrites,
  runRecordWrites,
} from './records/repository.ts';
import { syncReads, syncWrites, uplinkReads, uplinkWrites } from './replication/repository.ts';
import { roundReads, roundWrites } from './rounds/repository.ts';
import { runReads, runWrites } from './runs/repository.ts';
import { signOffReads, signOffWrites } from './sign-off/repository.ts';

const reads = {
  projects: projectReads,
  cases: { ...caseReads, ...caseEvidenceReads },
  profiles: profileReads,
  evidence: evidenceReads,
  suggestions: suggestionReads,
  rounds: roundReads,
  discussion: discussionReads,
  runs: runReads,
  signOff: signOffReads,
  notices: noticeReads,
  keys: keyReads,
  secretMark,
  sessions: sessionReads,
  team: teamReads,
  usage: usageReads,
  auditTrail: auditReads,
  uplink: uplinkReads,
  log: { ...logReads, ...syncReads },
};

const writes = {
  ...reads,
  projectWrites,
  caseWrites,
  profileWrites,
  evidenceWrites,
  suggestionWrites,
  roundWrites,
  discussionWrites,
  signOffWrites,
  noticeWrites,
  runWrites: { ...runWrites, ...runEvidenceWrites, ...runRecordWrites },
  keyWrites,
  userWrites,
  sessionWrites,
  teamWrites,
  takeSecretMark,
  setupWrites,
  signInLimits,
  uplinkWrites,
  beforeCommit,
  beDryRun,
  serve,
  audit: auditWrites,
  usageWrites,
  rateLimitUsage,
  idempotency,
  log: { ...reads.log, ...syncWrites },
};

/**
 * What can be read. Every look-up names the account: another account's object is treated like one
 * that does not exist.
 */
export type Reader = Bound<typeof reads>;
/**
 * What can be written. Everything is one transaction, which is on disk when `transact` resolves.
 */
export type Writer = Bound<typeof writes>;

export const createReader = binder<ReadContext, typeof reads>(reads);
export const createWriter = binder<WriteContext, typeof writes>(writes);
