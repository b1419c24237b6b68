import { afterAll, beforeAll, describe, expect } from 'vitest';
import { hearStatements } from '../support/heard-statements.ts';
import { namesAccount } from '../support/names-account.ts';
import { accountTests } from './parts/account.ts';
import { auditTests } from './parts/audit.ts';
import { evidenceTagTests } from './parts/evidence-tag.ts';
import { evidenceTests } from './parts/evidence.ts';
import { housekeepingTests } from './parts/housekeeping.ts';
import { linkTests } from './parts/links.ts';
import { listTests } from './parts/lists.ts';
import { logTests } from './parts/log.ts';
import { modelTests } from './parts/model.ts';
import { profileOwnerTests } from './parts/profile-owners.ts';
import { profileTests } from './parts/profiles.ts';
import { proofTests } from './parts/proof.ts';
import { pushTests } from './parts/push.ts';
import { quotaTests } from './parts/quotas.ts';
import { recordTests } from './parts/records.ts';
import { roundTests } from './parts/rounds.ts';
import { runContentTests } from './parts/run-contents.ts';
import { revertTests } from './parts/reverts.ts';
import { suggestionTests } from './parts/suggestions.ts';
import { streamTests } from './parts/streams.ts';
import { runTests } from './parts/runs.ts';
import { verifyAuditTests } from './parts/verify-audit.ts';
import { createWorld, type StoreFactory, type World } from './world.ts';

/** The whole behaviour of the store port, the same for every engine. */
export function registerStoreTests(name: 'SQLite' | 'PostgreSQL', factory: StoreFactory): void {
  describe(`store on ${name}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(factory);
    });
    afterAll(() => world.dispose());
    const listening = hearStatements();
    afterAll(() => {
      listening[Symbol.dispose]();
      expect(listening.heard.size).toBeGreaterThan(200);
      expect([...listening.heard].filter((statement) => !namesAccount(statement))).toEqual([]);
    });
    const get = (): World => world;
    recordTests(get);
    profileTests(get);
    evidenceTests(get);
    proofTests(get);
    revertTests(get);
    logTests(get);
    pushTests(get);
    linkTests(get);
    streamTests(get);
    runTests(get);
    runContentTests(get);
    housekeepingTests(get);
    quotaTests(get);
    accountTests(get);
    auditTests(get);
    verifyAuditTests(factory);
    profileOwnerTests(factory);
    modelTests(get);
    evidenceTagTests(get);
    listTests(get);
    suggestionTests(get, factory);
    roundTests(factory);
  });
}
