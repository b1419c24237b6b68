import { disablePerson, enablePerson, endKeys, listPeople } from './access.ts';
import {
  createInvitation,
  invitationByHash,
  listInvitations,
  takeInvitation,
  withdrawInvitation,
} from './invitations.ts';
import { limitKey } from './key-limits.ts';
import {
  createKey,
  keyById,
  keysById,
  keysInForce,
  letKeySync,
  listKeys,
  noteKeyUse,
  revokeKey,
} from './keys.ts';
import {
  accountsOf,
  addMember,
  changeRole,
  createAccount,
  findMember,
  listMembers,
  lockAccount,
  removeMember,
  renameAccount,
} from './members.ts';
import { allAccounts } from '../db/identity.ts';
import { hasOwner } from './owners.ts';
import {
  clearPassword,
  createPerson,
  holdPassword,
  personByEmail,
  personById,
  setPassword,
} from './people.ts';
import {
  addLink,
  confirmSession,
  createSession,
  endSessions,
  listSessions,
  noteSessionUse,
  removeSession,
  sessionByHash,
  sessionsByHash,
  switchSession,
  takeLink,
} from './sessions.ts';
import { addSetupToken, isSetUp, markSetUp, nameFirst, trySetupToken } from './setup.ts';
import { countTry, forgetTries } from './sign-in-limits.ts';
import { receiveUsage, publishUsage } from './rate-limit-usage.ts';
import { countTried, expireTried, forgetTried, triedOf } from './tried-passwords.ts';
import { addUsage, usageSummary } from './usage.ts';
import { ensureUser } from './users.ts';

export const keyReads = { list: listKeys, byId: keyById, byIds: keysById, inForce: keysInForce };
export const keyWrites = {
  create: createKey,
  letSync: letKeySync,
  limit: limitKey,
  revoke: revokeKey,
  used: noteKeyUse,
};

export const sessionReads = { byHash: sessionByHash, byHashes: sessionsByHash };
export const sessionWrites = {
  create: createSession,
  remove: removeSession,
  addLink,
  takeLink,
  end: endSessions,
  confirm: confirmSession,
  switch: switchSession,
  used: noteSessionUse,
};

export const teamReads = {
  all: allAccounts,
  members: listMembers,
  member: findMember,
  accountsOf,
  invitations: listInvitations,
  invitation: invitationByHash,
  hasOwner,
  people: listPeople,
  person: personById,
  personByEmail,
  sessions: listSessions,
  triedPasswords: triedOf,
  isSetUp,
};
export const teamWrites = {
  lock: lockAccount,
  changeRole,
  remove: removeMember,
  add: addMember,
  createAccount,
  rename: renameAccount,
  invite: createInvitation,
  withdraw: withdrawInvitation,
  take: takeInvitation,
  createPerson,
  holdPassword,
  setPassword,
  clearPassword,
  disable: disablePerson,
  enable: enablePerson,
  endKeys,
};

export const userWrites = { ensure: ensureUser };
export const setupWrites = {
  addToken: addSetupToken,
  tryToken: trySetupToken,
  mark: markSetUp,
  nameFirst,
};
export const signInLimits = {
  count: countTry,
  forget: forgetTries,
  countTried,
  forgetTried,
  expireTried,
};

export const usageReads = { summary: usageSummary };
export const usageWrites = { add: addUsage };
/** What instances on one database tell each other about the allowances that they have spent. */
export const rateLimitUsage = { publish: publishUsage, receive: receiveUsage };
