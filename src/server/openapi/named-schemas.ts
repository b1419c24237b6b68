import { z } from 'zod';
import * as syncBatch from '../../shared/contract/sync-batch.ts';
import * as syncRuns from '../../shared/contract/sync-runs.ts';
import * as sync from '../../shared/contract/sync.ts';
import * as account from '../../shared/contract/v1/account.ts';
import * as activity from '../../shared/contract/v1/activity.ts';
import * as agentSetup from '../../shared/contract/v1/agent-setup.ts';
import * as audit from '../../shared/contract/v1/audit.ts';
import * as cases from '../../shared/contract/v1/cases.ts';
import * as cells from '../../shared/contract/v1/cells.ts';
import * as contested from '../../shared/contract/v1/contested.ts';
import * as discussion from '../../shared/contract/v1/discussion.ts';
import * as evidence from '../../shared/contract/v1/evidence.ts';
import * as housekeeping from '../../shared/contract/v1/housekeeping.ts';
import * as pairing from '../../shared/contract/v1/pairing.ts';
import * as profileDocuments from '../../shared/contract/v1/profile-documents.ts';
import * as profiles from '../../shared/contract/v1/profiles.ts';
import * as projects from '../../shared/contract/v1/projects.ts';
import * as reverts from '../../shared/contract/v1/reverts.ts';
import * as ratings from '../../shared/contract/v1/ratings.ts';
import * as rounds from '../../shared/contract/v1/rounds.ts';
import * as runComparison from '../../shared/contract/v1/run-comparison.ts';
import * as runs from '../../shared/contract/v1/runs.ts';
import * as search from '../../shared/contract/v1/search.ts';
import * as suggestions from '../../shared/contract/v1/suggestions.ts';
import * as team from '../../shared/contract/v1/team.ts';
import * as uplink from '../../shared/contract/v1/uplink.ts';
import * as profile from '../../shared/domain/profile.ts';
import * as result from '../../shared/domain/result.ts';
import * as round from '../../shared/domain/round.ts';
import * as runRecord from '../../shared/domain/run-record.ts';
import * as runRecorders from '../../shared/domain/run-recorders.ts';
import * as sender from '../../shared/domain/sender.ts';
import * as thread from '../../shared/domain/thread.ts';

/** Where one name stands for two schemas, the first of these modules gives it. */
const MODULES: readonly Record<string, unknown>[] = [
  projects,
  profiles,
  profileDocuments,
  cases,
  evidence,
  cells,
  contested,
  suggestions,
  ratings,
  rounds,
  discussion,
  reverts,
  housekeeping,
  activity,
  search,
  runs,
  runComparison,
  audit,
  account,
  agentSetup,
  pairing,
  team,
  uplink,
  sync,
  syncBatch,
  syncRuns,
  profile,
  result,
  round,
  runRecord,
  runRecorders,
  sender,
  thread,
];

/**
 * Every object that the contract exports, by the name under which it does: the document names them
 * so, and with it the types of clients that are made from it.
 */
export function namedSchemas(): Record<string, z.ZodType> {
  const named: Record<string, z.ZodType> = {};
  for (const module of MODULES)
    for (const [name, value] of Object.entries(module))
      if (value instanceof z.ZodObject && /^[A-Z]/.test(name)) named[name] ??= value;
  return named;
}
