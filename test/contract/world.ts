import { ofOwnAccount } from '../support/own-account.ts';
import { AccountId, type CaseUid, type ProjectId } from '../../src/shared/contract/ids.ts';
import { randomBytes } from 'node:crypto';
import type { ItemInput, OutcomeInput } from '../../src/shared/contract/v1/evidence.ts';
import type { ProfileDocument } from '../../src/shared/domain/profile.ts';
import type { Actor } from '../../src/server/storage/db/actor.ts';
import { type Entry, seal, type SealedChange } from '../../src/sync/change.ts';
import { testHasher } from '../support/hasher.ts';
import { StoreError } from '../../src/server/storage/db/errors.ts';
import type { Page } from '../../src/server/storage/db/cursor.ts';
import type { Precondition } from '../../src/server/storage/db/precondition.ts';
import type { EvidenceWrite } from '../../src/server/storage/evidence/evidence-answers.ts';
import type { StorePorts } from '../../src/server/storage/db/context.ts';
import type { Store } from '../../src/server/storage/store.ts';
import type { Reader, Writer } from '../../src/server/storage/repositories.ts';
import { asCase, asProfile, asKey, asUser, asStream } from '../support/ids.ts';
import { MARK_ACCOUNTS } from '../support/mark-accounts.ts';

/** What an engine offers to the suite. */
export interface StoreFactory {
  open(ports: StorePorts, shippedProfiles: readonly ProfileDocument[]): Promise<OpenedStore>;
}
export interface OpenedStore {
  store: Store;
  /** Runs one statement beside the store, as another process would. */
  sql(statement: string): Promise<void>;
  /** The same with the rights that the server has. */
  ownSql(statement: string): Promise<void>;
  /** Another store on the same tables, as a second server has it. */
  openBeside(): Promise<Store>;
  /** Closes the store and opens what it has stored again. */
  openAgain(): Promise<Store>;
  dispose(): Promise<void>;
}

export const FIRST_PAGE: Page = { limit: 50, cursor: undefined };

export function testPorts(
  start = Date.UTC(2026, 0, 1),
): StorePorts & { advance(ms: number): void } {
  let now = start;
  return {
    clock: { now: () => now },
    random: { bytes: (length) => new Uint8Array(randomBytes(length)) },
    hasher: testHasher,
    version: '1.2.3',
    advance: (ms) => void (now += ms),
  };
}

export function profile(
  profileUid: string,
  version: string,
  rules: readonly string[],
  extra: Partial<ProfileDocument> = {},
): ProfileDocument {
  return {
    name: `Profile ${profileUid}`,
    profileUid: asProfile(profileUid),
    version,
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'For tests.',
    scope: 'Tests.',
    maintainer: 'Nobody',
    rules: rules.map((ruleUid, index) => ({
      ruleOrder: index + 1,
      ruleUid,
      name: ruleUid,
      description: 'd',
      evidenceMeaning: 'e',
      problemMeaning: 'p',
      notAvailableMeaning: 'n',
    })),
    ...extra,
  };
}

/** Columns in another order than their names. */
export const RULES = ['rule_c', 'rule_a', 'rule_b'] as const;
export const SHIPPED = profile('shipped_profile', '1.0', RULES, { visibility: 'community' });

/**
 * One store with a person and an agent of its own account, a stranger's account, a project and a
 * case.
 */
export interface World extends OpenedStore {
  ports: ReturnType<typeof testPorts>;
  human: Actor;
  agent: Actor;
  stranger: Actor;
  account: AccountId;
  projectId: ProjectId;
  newCase(caseUid: string, actor?: Actor, projectId?: ProjectId): Promise<CaseUid>;
  record(
    write: Partial<Omit<EvidenceWrite, 'case_uid' | 'profile_uid'>> & {
      case_uid: string;
      profile_uid?: string;
    },
    actor?: Actor,
    precondition?: Precondition,
  ): ReturnType<Writer['evidenceWrites']['record']>;
  page(caseUid: string, page?: Page): Promise<Awaited<ReturnType<Reader['evidence']['page']>>>;
  cells(caseUid: string): Promise<string[]>;
  /** `store` is another one afterwards, with the same in it. */
  reopen(): Promise<void>;
}

export async function createWorld(factory: StoreFactory): Promise<World> {
  const ports = testPorts();
  const opened = await factory.open(ports, [SHIPPED]);
  const { local } = opened.store;
  const human: Actor = {
    account_id: local.account_id,
    user_id: local.user_id,
    user_name: local.user_name,
    kind: 'human',
    key_id: null,
    key_name: null,
  };
  const agent: Actor = { ...human, kind: 'agent', key_id: asKey('k123456789'), key_name: 'Robot' };
  const stranger: Actor = {
    account_id: AccountId.parse('acc_stranger'),
    user_id: asUser('usr_stranger'),
    user_name: 'Stranger',
    kind: 'human',
    key_id: null,
    key_name: null,
  };
  await opened.sql(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ('acc_stranger', 'Other', '2026-01-01T00:00:00.000Z')`,
  );
  await opened.sql(MARK_ACCOUNTS);
  await opened.sql(
    `INSERT INTO users (user_id, name, created_at) VALUES ('usr_stranger', 'Stranger', '2026-01-01T00:00:00.000Z')`,
  );
  const { record: project } = await opened.store.transact(
    (writer) => writer.projectWrites.upsert(human, { name: 'Project' }, undefined),
    local.account_id,
  );
  const world: World = {
    ...opened,
    store: ofOwnAccount(opened.store),
    openBeside: async () => ofOwnAccount(await opened.openBeside()),
    ports,
    human,
    agent,
    stranger,
    account: local.account_id,
    projectId: project.project_id,
    async newCase(caseUid, actor = human, projectId = project.project_id) {
      await world.store.transact(
        (writer) =>
          writer.caseWrites.upsert(
            actor,
            { project_id: projectId, case_uid: asCase(caseUid) },
            undefined,
          ),
        actor.account_id,
      );
      return asCase(caseUid);
    },
    record: (write, actor = human, precondition) =>
      world.store.transact(
        (writer) =>
          writer.evidenceWrites.record(
            actor,
            {
              profile_version: undefined,
              items: [],
              outcomes: [],
              reason: undefined,
              itemPath: (index) => `/items/${index}`,
              outcomePath: (index) => `/outcomes/${index}`,
              ...write,
              case_uid: asCase(write.case_uid),
              profile_uid: asProfile(write.profile_uid ?? SHIPPED.profileUid),
            },
            precondition,
          ),
        actor.account_id,
      ),
    page: (caseUid, page = FIRST_PAGE) =>
      world.store.read((reader) =>
        reader.evidence.page(
          local.account_id,
          {
            case_uid: asCase(caseUid),
            profile_uid: SHIPPED.profileUid,
            profile_version: undefined,
          },
          page,
        ),
      ),
    async reopen() {
      world.store = ofOwnAccount(await opened.openAgain());
    },
    async cells(caseUid) {
      const value = (await world.page(caseUid)).value();
      return value.items.flatMap((item) =>
        item.evidence.map(
          (cell) =>
            `${cell.item_uid}/${cell.rule_uid}=${cell.raw_outcome}${cell.contested ? '!' : ''}`,
        ),
      );
    },
  };
  return world;
}

export const item = (uid: string, extra: Partial<ItemInput> = {}): ItemInput => ({
  item_uid: uid,
  ...extra,
});
export const outcome = (
  itemUid: string,
  rule: string,
  raw: OutcomeInput['raw_outcome'],
  extra: Partial<OutcomeInput> = {},
): OutcomeInput => ({ item_uid: itemUid, rule_uid: rule, raw_outcome: raw, ...extra });

/** The refusal of a promise that must be refused. */
export async function refusal(promise: Promise<unknown>): Promise<StoreError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

export const cellReg = (itemUid: string, rule: string, kind: 'a' | 'n' = 'a'): string =>
  `${kind}/${SHIPPED.profileUid}@${SHIPPED.version}/${rule}/${itemUid}`;

/** A change as another replica would make it. */
export function foreignChange(
  caseUid: string,
  entries: Entry[],
  extra: {
    hlc?: string;
    user?: string;
    why?: string | null;
    schema?: number;
    kind?: 'human' | 'agent' | 'import';
    agent?: string | null;
    key?: string;
    name?: string;
  } = {},
): SealedChange {
  return seal(
    {
      v: 1,
      case: asStream(caseUid),
      hlc: extra.hlc ?? '019b76daa800-0000',
      wall: '2026-01-01T01:00:00.000+01:00',
      by: {
        user: asUser(extra.user ?? 'usr_elsewhere'),
        kind: extra.kind ?? 'human',
        agent: extra.agent ?? null,
        key: extra.key === undefined ? null : asKey(extra.key),
        ...(extra.name !== undefined && { name: extra.name }),
      },
      at: { replica: 'r_test', app: '9.9.9', schema: extra.schema ?? 1 },
      txn: 't1',
      why: extra.why ?? null,
      nonce: randomBytes(16).toString('hex'),
      entries,
    },
    testHasher,
  );
}

export const set = (reg: string, value: unknown, parents: string[] = []): Entry => ({
  op: 'set',
  parents,
  reg,
  value,
});
export const wire = (change: SealedChange): { id: string; change: string } => ({
  id: change.id,
  change: change.text,
});
