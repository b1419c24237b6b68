/**
 * All that a server says of what it holds: for two versions of the programs, or two servers, to be
 * compared.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Party } from './party.ts';

/** Where one answer depends on when it was asked. */
const VOLATILE = new Set(['last_used_at', 'last_seen_at', 'exported_at']);

export interface Answers {
  /** By what was asked. */
  asked: Record<string, unknown>;
  /** What `verify-audit --json` printed. */
  chains: unknown;
  /** What `verify stored` printed, by run. */
  stored: Record<string, string>;
}

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !VOLATILE.has(name))
      .map(([name, member]) => [name, steady(member)]),
  );
}

/** With a member of this name under another. */
const renamed = (of: Record<string, unknown>, from: string, to: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(of).map(([name, member]) => [name === from ? to : name, member]),
  );

/** With the bytes of each change by their hash. */
function hashed(page: { changes: { change: string }[] }): unknown {
  return {
    ...page,
    changes: page.changes.map(({ change, ...rest }) => ({
      ...rest,
      sha256: createHash('sha256').update(change).digest('hex'),
    })),
  };
}

/** What a person who may see all of the account is answered. */
export async function answersOf(party: Party): Promise<Answers> {
  const asked: Record<string, unknown> = {};
  const ask = async (address: string, shape: (body: any) => unknown = (body) => body) => {
    const body = await party.human('GET', address);
    asked[address] = steady(shape(body));
    return body;
  };
  const lists = ['projects', 'cases', 'deleted-cases', 'contested', 'profiles', 'runs'];
  const [, cases, deleted, , , runs] = await inTurn(lists, (name) => ask(`${name}?limit=200`));
  await ask('members');
  await ask('profile-collisions');
  await ask('usage', ({ keys }) => keys);
  await ask('uplink', ({ projects, totals, unsent, former, previous, connection, links }) => ({
    // What is there alone is known once the server was reached.
    projects: projects.flatMap(({ there: _, ...one }: any) => (one.here ? [one] : [])),
    // Two members in the words of version 0.1, which the answers that are kept of it have.
    totals: renamed(totals, 'blocked', 'parked'),
    unsent,
    former: former === undefined ? previous : former,
    connection,
    links: links.map(({ stream, kind, title, waiting, quarantined, kept }: any) => ({
      stream,
      kind,
      title,
      waiting,
      quarantined,
      kept,
    })),
  }));

  const { cases: logs } = await ask('sync/cases');
  for (const { case_uid } of logs) {
    const log = `sync/cases/${encodeURIComponent(case_uid)}`;
    await ask(`${log}/changes?after=0&limit=1000`, hashed);
    await ask(`${log}/digest?buckets=16`);
  }
  for (const one of [...cases.data, ...deleted.data]) await askOfCase(one, ask);
  const stored: Record<string, string> = {};
  for (const { run_uid, content_hash } of runs.data) {
    await ask(`runs/${run_uid}`);
    await ask(`sync/runs/${content_hash}?verify=1`);
    stored[run_uid] = await party.said('verify', 'stored', run_uid);
  }
  return { asked, stored, chains: JSON.parse(await party.said('verify-audit', '--json')) };
}

async function askOfCase(
  one: { case_uid: string; profile_uid: string | null },
  ask: (address: string) => Promise<any>,
): Promise<void> {
  const at = `cases/${one.case_uid}`;
  await ask(`${at}/contested-fields`);
  await ask(`${at}/audit`);
  if (one.profile_uid === null) return;
  const profile = `profile_uid=${one.profile_uid}`;
  await ask(`${at}/contested?${profile}&limit=200`);
  const { items } = await ask(`${at}/evidence?${profile}&limit=200`);
  for (const { item_uid, evidence } of items)
    for (const { rule_uid } of evidence)
      await ask(`${at}/history?${profile}&item_uid=${item_uid}&rule_uid=${rule_uid}`);
}

async function inTurn<T, R>(values: readonly T[], each: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const value of values) results.push(await each(value));
  return results;
}

/** What both sides of an exchange answer alike; undefined for all else. */
function inCommon(address: string, body: any): unknown {
  if (address.endsWith('/digest?buckets=16')) return body.buckets;
  if (address.startsWith('sync/runs/')) return body;
  if (address.startsWith('runs/')) return body.content_hash;
  if (address.startsWith('cases/shared/contested?'))
    return body.data?.map(({ item_uid, rule_uid, field, heads }: any) => ({
      place: [item_uid, rule_uid, field].join('/'),
      heads: heads.map(({ entry, value }: any) => JSON.stringify([entry, value])).sort(),
    }));
  if (/^cases\/.*\/evidence\?/.test(address))
    return body.items.map(({ item_uid, label, evidence }: any) => ({
      item_uid,
      label,
      evidence: evidence.map(({ rule_uid, raw_outcome, source_value, notes, contested }: any) =>
        [rule_uid, raw_outcome, source_value, notes, contested].join('|'),
      ),
    }));
  return undefined;
}

/** Throws where the two sides of an exchange differ; answers how much was compared. */
export function sameOnBothSides(studio: Answers, server: Answers): number {
  let compared = 0;
  for (const [address, body] of Object.entries(studio.asked)) {
    const [mine, other] = [inCommon(address, body), server.asked[address]];
    if (mine === undefined || other === undefined) continue;
    assert.deepEqual(inCommon(address, other), mine, address);
    compared += 1;
  }
  for (const said of [...Object.values(studio.stored), ...Object.values(server.stored)]) {
    assert.match(said, /match the content hash/);
    assert.match(said, /recomputed, equal/);
  }
  return compared;
}
