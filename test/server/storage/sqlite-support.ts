import { ofOwnAccount } from '../../support/own-account.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStore } from '../../../src/server/storage/open.ts';
import type { Actor } from '../../../src/server/storage/db/actor.ts';
import { SHIPPED, testPorts } from '../../contract/world.ts';
import type { Store } from '../../../src/server/storage/store.ts';
import { asCase } from '../../support/ids.ts';
import type { ProjectId } from '../../../src/shared/contract/ids.ts';

/** A folder that goes with the test. */
export function temporaryFolder(): Disposable & { path: string; file: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-sqlite-'));
  return {
    path: folder,
    file: path.join(folder, 'data', 'evidence.sqlite'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const open = async (file: string): Promise<Store> =>
  ofOwnAccount(await openStore({ kind: 'sqlite', file, shippedProfiles: [SHIPPED] }, testPorts()));

export function owner({ local }: Store): Actor {
  return {
    account_id: local.account_id,
    user_id: local.user_id,
    user_name: local.user_name,
    kind: 'human',
    key_id: null,
    key_name: null,
  };
}

export async function addProject(store: Store, name: string): Promise<ProjectId> {
  return (
    await store.transact((writer) => writer.projectWrites.upsert(owner(store), { name }, undefined))
  ).record.project_id;
}

/** A case with `items` rows, each with a few hundred bytes of its own. */
export async function fillCase(store: Store, items: number, caseUid = 'filled'): Promise<void> {
  const project_id = await addProject(store, 'Filled');
  const actor = owner(store);
  await store.transact(async (writer) => {
    await writer.caseWrites.upsert(actor, { project_id, case_uid: asCase(caseUid) }, undefined);
    await writer.evidenceWrites.record(
      actor,
      {
        case_uid: asCase(caseUid),
        profile_uid: SHIPPED.profileUid,
        profile_version: undefined,
        reason: undefined,
        items: Array.from({ length: items }, (_, index) => ({
          item_uid: `i${index}`,
          metadata: { filler: `${index}`.repeat(60) },
        })),
        outcomes: Array.from({ length: items }, (_, index) => ({
          item_uid: `i${index}`,
          rule_uid: 'rule_a',
          raw_outcome: 'TRUE' as const,
          notes: `note ${index}`,
        })),
        itemPath: String,
        outcomePath: String,
      },
      undefined,
    );
  });
}

export const readPage = (store: Store, limit = 50) =>
  store.read((reader) =>
    reader.evidence.page(
      store.local.account_id,
      { case_uid: asCase('filled'), profile_uid: SHIPPED.profileUid, profile_version: undefined },
      { limit, cursor: undefined },
    ),
  );
