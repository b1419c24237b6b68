/**
 * A hosted server's PostgreSQL with teams in it: accounts, users, keys, and a case for each key.
 */
import {
  AccountId,
  type ProjectId,
  type UserId,
  type CaseUid,
} from '../../../src/shared/contract/ids.ts';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { SHIPPED_PROFILES } from '../../../src/server/instance/shipped-profiles.ts';
import { openStore } from '../../../src/server/storage/open.ts';
import type { Actor } from '../../../src/server/storage/db/actor.ts';
import { makePlainDatabase } from '../../support/plain-database.ts';
import { type RunningPostgres, startPostgres } from '../../support/postgres.ts';
import { serve, type Served } from '../../support/served.ts';
import { freePort } from '../sync/wire.ts';
import { asCase, asProfile } from '../../support/ids.ts';
import { MARK_ACCOUNTS } from '../../support/mark-accounts.ts';

export const PROFILE = 'general_claim_evidence';
export const RULES = SHIPPED_PROFILES.find(({ profileUid }) => profileUid === PROFILE)!.rules.map(
  ({ ruleUid }) => ruleUid,
);
export const ITEMS = 20;
export const PUBLIC_URL = 'https://bench.example';
export const itemOf = (n: number): string => `item_${String(n).padStart(3, '0')}`;

export interface Desk {
  key: string;
  user: UserId;
  account: AccountId;
  project: ProjectId;
  caseUid: CaseUid;
}
export interface HostedWorld extends AsyncDisposable {
  postgres: RunningPostgres;
  /** For the application's plain role; and for a superuser. */
  url: string;
  owner: string;
  desks: Desk[];
  storeId: string;
  env: NodeJS.ProcessEnv;
}

/** Each key of a team has a case of its own, or all of them one. */
export async function seedTeams(
  folder: string,
  { teams, keys, oneCase }: { teams: number; keys: number; oneCase: boolean },
): Promise<HostedWorld> {
  const postgres = await startPostgres({ durable: true });
  const database = await makePlainDatabase(postgres.url);
  const owner = new URL(database.url);
  owner.username = new URL(postgres.url).username;
  const secret = randomBytes(32);
  const secretFile = path.join(folder, 'secret');
  writeFileSync(secretFile, secret.toString('base64url'));
  const ports = {
    clock: { now: () => Date.now() },
    random: { bytes: (length: number) => new Uint8Array(randomBytes(length)) },
    hasher: nodeHasher,
    version: 'bench',
  };
  const store = await openStore(
    { kind: 'postgres', url: database.url, shippedProfiles: SHIPPED_PROFILES },
    ports,
  );
  const desks: Desk[] = [];
  for (let team = 0; team < teams; team += 1) {
    const account = AccountId.parse(`acc_${String(team).padStart(4, '0')}`);
    await database.sql(
      `INSERT INTO accounts (account_id, name, created_at) VALUES ($1, $1, '2026-01-01T00:00:00.000Z')`,
      [account],
    );
    await database.sql(MARK_ACCOUNTS);
    await store.transact(async (writer) => {
      let project: ProjectId | undefined;
      for (let n = 0; n < keys; n += 1) {
        const { user_id } = await writer.userWrites.ensure(
          account,
          `Person ${team} ${n}`,
          n === 0 ? 'owner' : 'member',
        );
        const actor: Actor = {
          account_id: account,
          user_id,
          user_name: `Person ${team} ${n}`,
          kind: 'human',
          key_id: null,
          key_name: null,
        };
        const { key, key_id, prefix } = mintKey(ports.random);
        await writer.keyWrites.create({
          key_id,
          prefix,
          account_id: account,
          user_id,
          name: 'bench',
          scopes: ['sync'],
          expires_at: null,
          mac: keyMac(key, secret),
        });
        project ??= (await writer.projectWrites.upsert(actor, { name: 'Bench' }, undefined)).record
          .project_id;
        const caseUid = asCase(oneCase ? 'case-0' : `case-${n}`);
        if (n === 0 || !oneCase) {
          await writer.caseWrites.upsert(
            actor,
            { project_id: project, case_uid: caseUid },
            undefined,
          );
          const items = Array.from({ length: ITEMS }, (_, row) => ({ item_uid: itemOf(row) }));
          // A case that is shared is filled by the desktops.
          const outcomes = oneCase
            ? []
            : items.flatMap(({ item_uid }) =>
                RULES.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome: 'NA' as const })),
              );
          await writer.evidenceWrites.record(
            actor,
            {
              case_uid: caseUid,
              profile_uid: asProfile(PROFILE),
              profile_version: undefined,
              items,
              outcomes,
              reason: undefined,
              itemPath: String,
              outcomePath: String,
            },
            undefined,
          );
        }
        desks.push({ key, user: user_id, account, project, caseUid });
      }
    }, account);
  }
  await store.close();
  await database.sql('ANALYZE');
  return {
    postgres,
    url: database.url,
    owner: owner.href,
    desks,
    storeId: store.storeId,
    env: {
      DATABASE_URL: database.url,
      EVIDENCE_STUDIO_SECRET_FILE: secretFile,
      EVIDENCE_STUDIO_PUBLIC_URL: PUBLIC_URL,
      LOG_LEVEL: 'error',
    },
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
}

/** A hosted server prints the address that its users know; it listens here. */
export async function startInstance(
  { env }: Pick<HostedWorld, 'env'>,
  folder: string,
): Promise<Served> {
  const port = await freePort();
  const server = await serve(folder, ['--port', String(port)], env);
  return { ...server, url: `http://127.0.0.1:${port}` };
}
