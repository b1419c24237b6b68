import type { ProfileDocument } from '../../shared/domain/profile.ts';
import { SCHEMA_VERSION } from '../../sync/change.ts';
import { disablePerson, enablePerson, endKeys, listPeople } from './accounts/access.ts';
import { auditAdd, auditAfter, auditBy, auditHead, auditPage, flushAudit } from './audit/audit.ts';
import { auditedAccounts, auditedLogs, loggedChanges } from './audit/audit-logs.ts';
import { expireUploads, firstBlobs, missingBlobs, readBlob, uploadBlobs } from './runs/blobs.ts';
import { caseDocument, settleCaseDocument } from './records/case-document.ts';
import { caseSteps } from './log/case-steps.ts';
import { upsertCase } from './records/case-upsert.ts';
import { listCases, findCase } from './records/cases.ts';
import type { ReadContext, WriteContext } from './db/context.ts';
import { deletedCases } from './records/deleted-cases.ts';
import { StoreOpenError } from './db/errors.ts';
import { evidencePage } from './evidence/evidence-read.ts';
import { recordEvidence } from './evidence/evidence-write.ts';
import {
  contestedFields,
  contestedProjectFields,
  settleContestedField,
  settleContestedProjectField,
} from './records/contested-fields.ts';
import { contestedMatrices, contestedPage } from './evidence/contested.ts';
import { cellHistory } from './evidence/history.ts';
import { expireAnswers, findAnswer, saveAnswer } from './db/idempotency.ts';
import { type Identity, makeIdentity, readIdentity } from './db/identity.ts';
import { judgeAgain } from './replication/judge-again.ts';
import {
  createKey,
  keyById,
  keysById,
  letKeySync,
  listKeys,
  noteKeyUse,
  revokeKey,
} from './accounts/keys.ts';
import { markMoved, openStream } from './log/ledger.ts';
import { listLinks, moveLink } from './replication/links.ts';
import { changesAt, logIds, logPosition } from './replication/log-offer.ts';
import { push, receive } from './replication/log-push.ts';
import { commonAncestor, digestBuckets, missingIds } from './log/log-compare.ts';
import { logLengths, movedMark, movedMarks, positions, readChanges, tail } from './log/log-read.ts';
import {
  invitationByHash,
  createInvitation,
  listInvitations,
  takeInvitation,
  withdrawInvitation,
} from './accounts/invitations.ts';
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
} from './accounts/members.ts';
import {
  clearPassword,
  createPerson,
  holdPassword,
  personByEmail,
  personById,
  setPassword,
} from './accounts/people.ts';
import {
  type Commit,
  EVERY_ACCOUNT,
  type Reader,
  type Store,
  type StorePorts,
  type Writer,
} from './port.ts';
import { adoptDocuments } from './records/adopt-documents.ts';
import { decideCollision, listCollisions } from './records/profile-collisions.ts';
import { listProfiles } from './records/profile-list.ts';
import {
  addShipped,
  borrowDocument,
  createProfile,
  profileByDigest,
  publishProfile,
  resolveProfile,
} from './records/profiles.ts';
import { getProject, listProjects, upsertProject } from './records/projects.ts';
import { adoptFirstRuns } from './runs/run-content.ts';
import { awaitedRuns, contentsOf, describeRun, receiveRun } from './runs/run-receive.ts';
import { hasOwner } from './accounts/owners.ts';
import { checkQuotas } from './db/quotas.ts';
import { revert } from './evidence/reverts.ts';
import {
  checkedTo,
  contentStates,
  isWhole,
  lackingContents,
  nextContent,
  noteWhole,
} from './runs/run-check.ts';
import { createRun } from './evidence/run-create.ts';
import { getRecorders, getRun, listRuns } from './runs/runs.ts';
import { type Engine, type Session, together } from './db/session.ts';
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
} from './accounts/sessions.ts';
import { addSetupToken, isSetUp, markSetUp, nameFirst, trySetupToken } from './accounts/setup.ts';
import { countTry, forgetTries } from './accounts/sign-in-limits.ts';
import { secretMark, takeSecretMark } from './accounts/secret-mark.ts';
import { snapshotChunk } from './replication/snapshot.ts';
import { countTried, expireTried, forgetTried, triedOf } from './accounts/tried-passwords.ts';
import {
  leftUnsent,
  standFor,
  takeBack,
  unsentChanges,
  unsentOfOthers,
} from './replication/unsent.ts';
import {
  acceptUnsendable,
  becomeUser,
  beginAnew,
  formerly,
  keptChanges,
  markUnsendable,
  missingDocuments,
  neededProfiles,
  owedRuns,
  oweRun,
  projectNames,
  readUplink,
  refusedIn,
  sentFor,
  setAside,
  setShared,
  sharedProjects,
  sharedStreams,
  writeUplink,
} from './replication/uplink.ts';
import { hearSpending, tellSpending } from './accounts/spending.ts';
import { addUsage, usageSummary } from './accounts/usage.ts';
import { ensureUser } from './accounts/users.ts';
import { writersOf } from './records/writings.ts';

export function createReader(ctx: ReadContext): Reader {
  return {
    projects: {
      list: (account, page) => listProjects(ctx, account, page),
      get: (account, id) => getProject(ctx, account, id),
      contestedFields: (account, id) => contestedProjectFields(ctx, account, id),
    },
    cases: {
      list: (account, filter, page) => listCases(ctx, account, filter, page),
      deleted: (account, filter, page) => deletedCases(ctx, account, filter, page),
      contested: (account, filter, page) => contestedMatrices(ctx, account, filter, page),
      contestedFields: (account, uid) => contestedFields(ctx, account, uid),
      document: (account, uid, profile, version) =>
        caseDocument(ctx, account, uid, profile, version),
      get: async (account, uid) => (await findCase(ctx, account, uid))?.record,
    },
    profiles: {
      list: (account, page) => listProfiles(ctx, account, page),
      collisions: (account) => listCollisions(ctx, account),
      async get(account, uid, version, digest) {
        const found =
          digest === undefined
            ? await resolveProfile(ctx, account, uid, version)
            : await profileByDigest(ctx, account, uid, version, digest);
        return found && { text: found.text, document: found.document, entry: found.entry };
      },
    },
    evidence: {
      page: (account, query, page, keys) => evidencePage(ctx, account, query, page, keys),
      history: (account, query, page) => cellHistory(ctx, account, query, page),
      contested: (account, query, page) => contestedPage(ctx, account, query, page),
      writers: (account, uid, entries) => writersOf(ctx, account, uid, entries),
    },
    runs: {
      list: (account, filter, page) => listRuns(ctx, account, filter, page),
      get: (account, uid, hash, keys) => getRun(ctx, account, uid, hash, keys),
      recorders: (account, uid, hash, keys) => getRecorders(ctx, account, uid, hash, keys),
      contents: (account, uid) => contentsOf(ctx, account, uid),
      describe: (account, hash, options) => describeRun(ctx, account, hash, options),
      awaited: (account, filter) => awaitedRuns(ctx, account, filter),
      blob: (account, name) => readBlob(ctx, account, name),
      blobs: (account, names, bytes) => firstBlobs(ctx, account, names, bytes),
      missingBlobs: (account, names) => missingBlobs(ctx, account, names),
      lacking: (account, hashes) => lackingContents(ctx, account, hashes),
      states: (account, caseUid) => contentStates(ctx, account, caseUid),
      nextContent: (after) => nextContent(ctx, after),
      isWhole: (account, hash) => isWhole(ctx, account, hash),
    },
    keys: {
      list: (account, userId) => listKeys(ctx, account, userId),
      byId: (keyId) => keyById(ctx, keyId),
      byIds: (keyIds) => keysById(ctx, keyIds),
    },
    secretMark: () => secretMark(ctx),
    sessions: {
      byHash: (hash) => sessionByHash(ctx, hash),
      byHashes: (hashes) => sessionsByHash(ctx, hashes),
    },
    team: {
      members: (account) => listMembers(ctx, account),
      member: (account, userId) => findMember(ctx, account, userId),
      accountsOf: (userId) => accountsOf(ctx, userId),
      invitations: (account) => listInvitations(ctx, account),
      invitation: (hash) => invitationByHash(ctx, hash),
      hasOwner: (account) => hasOwner(ctx, account),
      people: () => listPeople(ctx),
      person: (userId) => personById(ctx, userId),
      personByEmail: (email) => personByEmail(ctx, email),
      sessions: (userId) => listSessions(ctx, userId),
      triedPasswords: (userId) => triedOf(ctx, userId),
      isSetUp: () => isSetUp(ctx),
    },
    usage: { summary: (account, userId) => usageSummary(ctx, account, userId) },
    auditTrail: {
      list: (account, page) => auditPage(ctx, account, page),
      after: (account, seq, limit) => auditAfter(ctx, account, seq, limit),
      head: (account) => auditHead(ctx, account),
      caseSteps: (account, caseUid, after, to) => caseSteps(ctx, account, caseUid, after, to),
      accounts: () => auditedAccounts(ctx),
      logs: (account) => auditedLogs(ctx, account),
      logged: (account, log, after, to, limit) =>
        loggedChanges(ctx, account, log, after, to, limit),
    },
    uplink: {
      read: () => readUplink(ctx),
      sentFor: (uplink) => sentFor(ctx, uplink),
      formerly: () => formerly(ctx),
      ofOthers: (account, users) => unsentOfOthers(ctx, account, users),
      left: () => leftUnsent(ctx),
      unsent: (account, after) => unsentChanges(ctx, account, after),
      projects: (account) => projectNames(ctx, account),
      shared: (account) => sharedProjects(ctx, account),
      streams: (account, shared) => sharedStreams(ctx, account, shared),
      refused: (account, stream) => refusedIn(ctx, account, stream),
      aside: (account) => setAside(ctx, account),
      kept: (account, streams, limit) => keptChanges(ctx, account, streams, limit),
      owed: (account) => owedRuns(ctx, account),
      profiles: (account, shared) => neededProfiles(ctx, account, shared),
      missingDocuments: (account, shared) => missingDocuments(ctx, account, shared),
    },
    log: {
      moved: (account) => movedMark(ctx, account),
      marks: (accounts) => movedMarks(ctx, accounts),
      lengths: (account) => logLengths(ctx, account),
      positions: (account, after) => positions(ctx, account, after),
      missing: (account, stream, ids, witness) => missingIds(ctx, account, stream, ids, witness),
      ancestor: (account, stream, points) => commonAncestor(ctx, account, stream, points),
      digest: (account, stream, buckets) => digestBuckets(ctx, account, stream, buckets),
      changes: (account, stream, after, limit, witness) =>
        readChanges(ctx, account, stream, after, limit, witness),
      tail: (account, stream, after, options) => tail(ctx, account, stream, after, options),
      links: (account) => listLinks(ctx, account),
      position: (account, stream) => logPosition(ctx, account, stream),
      ids: (account, stream, after, to, options) =>
        logIds(ctx, account, stream, after, to, options),
      at: (account, stream, seqs) => changesAt(ctx, account, stream, seqs),
      snapshot: (account, query, witness, keys) =>
        snapshotChunk(ctx, account, query, witness, keys),
    },
  };
}

export function createWriter(ctx: WriteContext): Writer {
  const reader = createReader(ctx);
  return {
    ...reader,
    projectWrites: {
      upsert: (actor, input, precondition) => upsertProject(ctx, actor, input, precondition),
      settle: (actor, projectId, settling) =>
        settleContestedProjectField(ctx, actor, projectId, settling),
    },
    caseWrites: {
      upsert: (actor, input, precondition) => upsertCase(ctx, actor, input, precondition),
      settle: (actor, caseUid, settling) => settleContestedField(ctx, actor, caseUid, settling),
      settleDocument: (actor, caseUid, settling) =>
        settleCaseDocument(ctx, actor, caseUid, settling),
    },
    profileWrites: {
      create: (actor, document, text, mayPublish) =>
        createProfile(ctx, actor, document, text, mayPublish),
      publish: (account, uid, version) => publishProfile(ctx, account, uid, version),
      decide: (actor, decision) => decideCollision(ctx, actor, decision),
      borrow: (account, document) => borrowDocument(ctx, account, document),
    },
    evidenceWrites: {
      record: (actor, write, precondition) => recordEvidence(ctx, actor, write, precondition),
      revert: (actor, uid, input) => revert(ctx, actor, uid, input),
    },
    runWrites: {
      create: (actor, input, precondition) => createRun(ctx, actor, input, precondition),
      putBlobs: (account, blobs) => uploadBlobs(ctx, account, new Map(blobs)),
      expireUploads: () => expireUploads(ctx),
      noteWhole: (account, hash, whole) => noteWhole(ctx, account, hash, whole),
      checkedTo: (next) => checkedTo(ctx, next),
      receive: (account, hash, manifest, run, actor, recorders) =>
        receiveRun(ctx, account, hash, manifest, run, actor, recorders),
    },
    keyWrites: {
      create: (key) => createKey(ctx, key),
      letSync: (account, keyId) => letKeySync(ctx, account, keyId),
      revoke: (account, keyId) => revokeKey(ctx, account, keyId),
      used: (keyId, at) => noteKeyUse(ctx, keyId, at),
    },
    userWrites: { ensure: (account, name, role) => ensureUser(ctx, account, name, role) },
    sessionWrites: {
      create: (hash, session) => createSession(ctx, hash, session),
      remove: (hash) => removeSession(ctx, hash),
      addLink: (hash, link) => addLink(ctx, hash, link),
      takeLink: (hash) => takeLink(ctx, hash),
      end: (userId, which) => endSessions(ctx, userId, which),
      confirm: (hash) => confirmSession(ctx, hash),
      switch: (hash, account) => switchSession(ctx, hash, account),
      used: (hash, person, at) => noteSessionUse(ctx, hash, person, at),
    },
    teamWrites: {
      lock: (account) => lockAccount(ctx, account),
      changeRole: (account, userId, role) => changeRole(ctx, account, userId, role),
      remove: (account, userId) => removeMember(ctx, account, userId),
      add: (account, userId, role) => addMember(ctx, account, userId, role),
      createAccount: (name, owner) => createAccount(ctx, name, owner),
      rename: (account, name) => renameAccount(ctx, account, name),
      invite: (hash, invitation) => createInvitation(ctx, hash, invitation),
      withdraw: (account, invitationId) => withdrawInvitation(ctx, account, invitationId),
      take: (hash) => takeInvitation(ctx, hash),
      createPerson: (person) => createPerson(ctx, person),
      holdPassword: (userId) => holdPassword(ctx, userId),
      setPassword: (userId, phc) => setPassword(ctx, userId, phc),
      clearPassword: (userId) => clearPassword(ctx, userId),
      disable: (userId) => disablePerson(ctx, userId),
      enable: (userId) => enablePerson(ctx, userId),
      endKeys: (userId) => endKeys(ctx, userId),
    },
    takeSecretMark: (mark, replace) => takeSecretMark(ctx, mark, replace),
    setupWrites: {
      addToken: (hash, expires_at) => addSetupToken(ctx, hash, expires_at),
      tryToken: (hash) => trySetupToken(ctx, hash),
      mark: () => markSetUp(ctx),
      nameFirst: (names) => nameFirst(ctx, names),
    },
    signInLimits: {
      count: (subject, points, within) => countTry(ctx, subject, points, within),
      forget: (before) => forgetTries(ctx, before),
      countTried: (tried) => countTried(ctx, tried),
      forgetTried: (userId) => forgetTried(ctx, userId),
      expireTried: (before) => expireTried(ctx, before),
    },
    uplinkWrites: {
      write: (uplink) => writeUplink(ctx, uplink),
      share: (account, projectId, shared) => setShared(ctx, account, projectId, shared),
      become: (user) => becomeUser(ctx, user),
      standFor: (users) => standFor(ctx, users),
      takeBack: (account, users) => takeBack(ctx, account, users),
      beginAnew: (account) => beginAnew(ctx, account),
      refuse: (account, stream, seq, code, aside) =>
        markUnsendable(ctx, account, stream, seq, code, aside),
      accept: (account, stream, seq) => acceptUnsendable(ctx, account, stream, seq),
      owe: (account, runUid, code) => oweRun(ctx, account, runUid, code),
    },
    lastly: (check) => void ctx.lastly.push(check),
    serve: (credential) => void (ctx.credential = credential),
    audit: { by: (origin) => auditBy(ctx, origin), add: (entry) => auditAdd(ctx, entry) },
    spending: {
      tell: (instance, turn, spent) => tellSpending(ctx, instance, turn, spent),
      hear: (instance, seen) => hearSpending(ctx, instance, seen),
    },
    usageWrites: { add: (events) => addUsage(ctx, events) },
    idempotency: {
      find: (account, key) => findAnswer(ctx, account, key),
      save: (account, key, answer) => saveAnswer(ctx, account, key, answer),
      expire: () => expireAnswers(ctx),
    },
    log: {
      ...reader.log,
      push: (actor, stream, changes, witness, authors) =>
        push(ctx, actor, stream, changes, witness, authors),
      receive: (account, stream, page) => receive(ctx, account, stream, page),
      moveLink: async (account, stream, from, to) =>
        moveLink(ctx, (await openStream(ctx, account, stream)).pk, from, to),
    },
  };
}

/** The store on an engine whose schema is up to date. */
export async function createStore(
  engine: Engine,
  ports: StorePorts,
  shippedProfiles: readonly ProfileDocument[],
): Promise<Store> {
  const profileCache: ReadContext['profileCache'] = new Map();
  const ruleCache: WriteContext['ruleCache'] = new Map();
  const { schema = SCHEMA_VERSION } = ports;
  const listeners = new Set<Parameters<Store['onCommit']>[0]>();
  const writeContext = (
    session: Session,
    { storeId, epoch }: Pick<Identity, 'storeId' | 'epoch'>,
  ): WriteContext => {
    const now = ports.clock.now();
    return {
      session,
      ports,
      storeId,
      epoch,
      schema,
      profileCache,
      ruleCache: engine.kind === 'sqlite' ? ruleCache : new Map(),
      now,
      at: new Date(now).toISOString(),
      packs: engine.packs,
      grown: new Map(),
      moved: new Map(),
      more: new Map(),
      auditOrigin: undefined,
      audited: [],
      lastly: [],
      credential: undefined,
    };
  };

  const start = async (): Promise<Identity> => {
    const found = await engine.read(readIdentity, EVERY_ACCOUNT);
    if (engine.readOnlyReason() !== null) {
      if (found === undefined)
        throw new StoreOpenError('not_a_database', 'The database holds no store.');
      return found;
    }
    return engine.write(async (session) => {
      const identity = (await readIdentity(session)) ?? (await makeIdentity(session, ports));
      const ctx = writeContext(session, identity);
      await addShipped(ctx, shippedProfiles);
      await adoptFirstRuns(ctx);
      await adoptDocuments(ctx);
      return identity;
    }, EVERY_ACCOUNT);
  };
  const { storeId, epoch, local: first } = await start();
  if (engine.readOnlyReason() === null)
    await judgeAgain(schema, (fn) =>
      engine.write((session) => fn(writeContext(session, { storeId, epoch })), EVERY_ACCOUNT),
    );
  let local = first;

  return {
    engine: engine.kind,
    unguarded: engine.unguarded ?? false,
    storeId,
    epoch,
    get local() {
      return local;
    },
    ask: (fn) =>
      engine.ask((session) =>
        fn(
          createReader({
            session,
            ports,
            storeId,
            epoch,
            schema,
            profileCache,
            credential: undefined,
          }),
        ),
      ),
    read: (fn, account, credential) =>
      engine.read(
        (session) =>
          fn(createReader({ session, ports, storeId, epoch, schema, profileCache, credential })),
        account,
      ),
    async transact(fn, account) {
      let ctx: WriteContext | undefined;
      let marks: Map<string, Commit['mark']> | undefined;
      const result = await engine.write(
        async (session) => {
          ctx = writeContext(session, { storeId, epoch });
          const value = await fn(createWriter(ctx));
          await together(...ctx.lastly.map((check) => check()), checkQuotas(ctx));
          await flushAudit(ctx);
          return value;
        },
        account,
        async () => void (marks = await markMoved(ctx!)),
      );
      if (ctx?.person !== undefined) local = { ...local, ...ctx.person };
      for (const event of ctx?.grown.values() ?? [])
        for (const listener of listeners)
          listener({ ...event, mark: marks!.get(event.account_id)! });
      return result;
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health() {
      const reason = engine.readOnlyReason();
      return { ok: reason === null, read_only: reason };
    },
    answers: async () => (await engine.answers?.()) ?? true,
    pool: engine.pool?.bind(engine),
    backup: (file) => engine.backup(file),
    close: () => engine.close(),
  };
}
