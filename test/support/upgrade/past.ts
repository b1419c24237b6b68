/**
 * The life of a studio and a hosted server: what people and programs did on each, apart and
 * together, with something left to do on both sides.
 */
import assert from 'node:assert/strict';
import { browserAt, invitation, joinTeam, type Visitor } from '../visitor.ts';
import { type Credentials, headOf, inSync, type Party } from './party.ts';

export const PROFILE = 'crispr_edit_evidence';
export const OWN_PROFILE = 'bench_checks';
export const ADA = { email: 'ada@example.org', password: 'seven purple rivers turn' };
export const BOB = { email: 'bob@example.org', password: 'nine slow lanterns drift' };
const EVA = { email: 'eva@example.org', password: 'thirty loud engines sleep' };
const RAWS = ['TRUE', 'FALSE', 'NA', 'FALSE'] as const;

/** A person whom a command made, who has chosen a password. */
async function created(
  server: Party,
  name: string,
  { email, password }: Credentials,
  team: string,
): Promise<Visitor> {
  const said = await server.said(
    'admin',
    'create',
    '--email',
    email,
    '--name',
    name,
    '--team',
    team,
  );
  const [link = ''] = /\/join#[\w-]{43}/.exec(said) ?? [];
  return joinTeam(browserAt(server.url), link, { name, email, password });
}

/** Accounts, members with all roles, one who left; keys in force, limited, ended. */
export async function settleServer(server: Party): Promise<void> {
  server.person = await created(server, 'Ada', ADA, 'Sequencing');
  const visitor = browserAt(server.url);
  for (const [name, role] of [
    ['Bob', 'member'],
    ['Vera', 'viewer'],
    ['Carl', 'member'],
  ] as const)
    await joinTeam(visitor, await invitation(server.person, role, name), {
      name,
      email: `${name.toLowerCase()}@example.org`,
      password: BOB.password,
    });
  const key = (body: object): Promise<any> => server.human('POST', 'keys', body);
  server.key = (await key({ name: 'Pipeline', scopes: ['read', 'write', 'delete'] })).key;
  const { key_id } = await key({ name: 'Revoked', scopes: ['read'] });
  await server.human('DELETE', `keys/${key_id}`);
  const project = await server.human('POST', 'projects', { name: 'Not shared' });
  await key({ name: 'Limited', scopes: ['read', 'write'], projects: [project.project_id] });
  await makeCase(server, project.project_id, 'there-only');
  await leave(server, project.project_id);

  const eva = await created(server, 'Eva', EVA, 'Imaging');
  const other = await server.human('POST', 'projects', { name: 'Imaging' }, eva);
  await server.human('POST', 'cases', { project_id: other.project_id, case_uid: 'shared' }, eva);
}

/** What Carl recorded stays when he is removed. */
async function leave(server: Party, project_id: string): Promise<void> {
  const carl = await server.signIn({ ...BOB, email: 'carl@example.org' });
  await server.human('POST', 'cases', { project_id, case_uid: 'of-carl', title: 'Of Carl' }, carl);
  const { user } = await server.human('GET', 'session', undefined, carl);
  await server.human('DELETE', `members/${user.user_id}`);
}

async function rulesOf(party: Party, profile = PROFILE): Promise<string[]> {
  const { rules } = await party.human('GET', `profiles/${profile}`);
  return rules.map(({ ruleUid }: { ruleUid: string }) => ruleUid);
}

async function makeCase(
  party: Party,
  project_id: string,
  case_uid: string,
  profile_uid = PROFILE,
): Promise<void> {
  await party.human('POST', 'cases', {
    project_id,
    case_uid,
    title: `Case ${case_uid}`,
    description: 'Zürich, 1 µL; “quoted” text',
    case_type: 'sample',
    metadata: { batch: 7, tags: ['a', 'b'] },
    profile_uid,
  });
}

function recorded(rule_uid: string, at: number): object {
  const raw_outcome = RAWS[at % RAWS.length];
  return {
    rule_uid,
    raw_outcome,
    ...(at % 2 === 0 && { source_value: `p. ${at}`, provenance: { z: { page: at }, a: ['b'] } }),
    ...(at % 3 === 0 && { notes: `Seen at ${at}` }),
  };
}

/** A project with a case that has all that may be recorded, and one beside it that is deleted. */
export async function settleStudio(studio: Party): Promise<string> {
  studio.key = (
    await studio.human('POST', 'keys', { name: 'Reader', scopes: ['read', 'write'] })
  ).key;
  const { project_id } = await studio.human('POST', 'projects', {
    name: 'Shared',
    description: 'With the server',
    domain: 'crispr',
  });
  const { name: _, ...shipped } = await studio.human('GET', `profiles/${PROFILE}`);
  await studio.human('POST', 'profiles', {
    ...shipped,
    name: 'Bench checks',
    profileUid: OWN_PROFILE,
    version: '1.0',
    visibility: 'private',
    rules: shipped.rules.slice(0, 2),
  });
  await makeCase(studio, project_id, 'shared');
  await makeCase(studio, project_id, 'own-profile', OWN_PROFILE);
  await makeCase(studio, project_id, 'deleted');
  const { project_id: kept } = await studio.human('POST', 'projects', { name: 'Kept here' });
  await makeCase(studio, kept, 'here-only');
  const rules = await rulesOf(studio);
  for (const [at, item] of ['i0', 'i1', 'i2', 'i3', 'i4', 'i5'].entries())
    await (at % 2 === 0 ? studio.agent : studio.human).call(studio, 'POST', 'evidence', {
      case_uid: 'shared',
      profile_uid: PROFILE,
      items: [
        {
          item_uid: item,
          label: `Item ${item}`,
          item_type: 'guide',
          metadata: { well: at },
          evidence: rules.slice(0, 4).map((rule, column) => recorded(rule, at + column)),
        },
      ],
    });
  await studio.human('POST', 'evidence', {
    case_uid: 'own-profile',
    profile_uid: OWN_PROFILE,
    items: [
      { item_uid: 'a' },
      { item_uid: 'b', evidence: [{ rule_uid: rules[0], raw_outcome: 'NA' }] },
    ],
  });
  await changeCells(studio, rules);
  await deleteAndRestore(studio);
  await studio.human('POST', 'runs', {
    case_uid: 'shared',
    profile_uid: PROFILE,
    run_uid: 'run-studio',
  });
  await studio.human('POST', 'runs', {
    case_uid: 'own-profile',
    profile_uid: OWN_PROFILE,
    run_uid: 'run-own-profile',
  });
  return project_id;
}

async function write(
  party: Party,
  outcomes: object[],
  more: { reason?: string; items?: object[] } = {},
): Promise<any> {
  return party.human('POST', 'cases/shared/evidence', { profile_uid: PROFILE, outcomes, ...more });
}

/** Other outcomes for a reason, a cleared cell, and what a program wrote taken back. */
async function changeCells(studio: Party, [first = '', second = '']: string[]): Promise<void> {
  await write(studio, [{ item_uid: 'i0', rule_uid: first, raw_outcome: 'NA', notes: null }], {
    reason: 'Read again',
  });
  await write(studio, [{ item_uid: 'i1', rule_uid: second, raw_outcome: null }]);
  const { changes } = await studio.agent('POST', 'cases/shared/evidence', {
    profile_uid: PROFILE,
    outcomes: [{ item_uid: 'i2', rule_uid: first, raw_outcome: 'TRUE', source_value: 'wrong' }],
  });
  await studio.human('POST', 'cases/shared/reverts', { changes, reason: 'The wrong plate' });
}

/** Deletes or restores what the register says, as somebody who saw the newest word of it. */
async function setDeleted(
  party: Party,
  stream: string,
  reg: string,
  deleted: boolean,
  why: string | null = null,
): Promise<void> {
  const parents = [await headOf(party, stream, reg)];
  await party.push(stream, [{ op: 'set', reg, parents, value: { deleted } }], why);
}

async function deleteAndRestore(studio: Party): Promise<void> {
  await setDeleted(studio, 'shared', 'item/x/i3', true, 'Twice in the list');
  await setDeleted(studio, 'shared', 'item/x/i4', true);
  await setDeleted(studio, 'shared', 'item/x/i4', false, 'Was right');
  await setDeleted(studio, 'deleted', 'case/x', true, 'Made by mistake');
}

export async function connect(studio: Party, server: Party, projectId: string): Promise<void> {
  const { key } = await server.human('POST', 'studio-keys', { name: 'Bench computer' });
  await studio.human('PUT', 'uplink', { url: server.url, key });
  await studio.human('PUT', `uplink/projects/${projectId}`, { shared: true });
  await inSync(studio, server);
}

/** What is done on the server in the shared project, with the studio looking on. */
export async function workOnServer(server: Party, projectId: string): Promise<void> {
  const rules = await rulesOf(server);
  await makeCase(server, projectId, 'from-server');
  await server.agent('POST', 'evidence', {
    case_uid: 'from-server',
    profile_uid: PROFILE,
    items: [
      {
        item_uid: 's0',
        evidence: [{ rule_uid: rules[0], raw_outcome: 'FALSE', source_value: 'x' }],
      },
    ],
  });
  const bob = await server.signIn(BOB);
  await server.human(
    'POST',
    'cases/shared/evidence',
    {
      profile_uid: PROFILE,
      items: [{ item_uid: 'of-bob' }],
      outcomes: [{ item_uid: 'of-bob', ...recorded(rules[2]!, 1) }],
    },
    bob,
  );
  await server.human(
    'POST',
    'runs',
    { case_uid: 'shared', profile_uid: PROFILE, run_uid: 'run-server' },
    bob,
  );
  // An entry of a version to come.
  await server.push('shared', [{ op: 'set', reg: 'future/field', parents: [], value: { is: 1 } }]);
}

/** One side's part of what both write without seeing each other. */
export async function writeApart(
  party: Party,
  side: 'studio' | 'server',
  round = '',
): Promise<void> {
  const rules = await rulesOf(party);
  const raw_outcome = side === 'studio' ? 'TRUE' : 'FALSE';
  const cell = (item_uid: string, column: number): object => ({
    item_uid,
    rule_uid: rules[column],
    raw_outcome,
    source_value: `${side}${round}`,
    notes: `by the ${side}${round}`,
  });
  await write(party, [cell('i0', 2), cell('i1', 3)], {
    items: [{ item_uid: 'i2', label: `${side}${round}` }],
  });
  const { cases } = { cases: await party.human('GET', 'cases?limit=200') };
  const one = cases.data.find(({ case_uid }: { case_uid: string }) => case_uid === 'shared');
  await party.human('POST', 'cases', {
    project_id: one.project_id,
    case_uid: 'shared',
    title: `Titled by the ${side}${round}`,
  });
  if (round !== '') return;
  if (side === 'server') await write(party, [cell('i5', 1)]);
  else await setDeleted(party, 'shared', 'item/x/i5', true);
}

/** One of the conflicts is settled, and so is the title; the others stay. */
export async function settleSome(server: Party): Promise<void> {
  const { data } = await server.human(
    'GET',
    `cases/shared/contested?profile_uid=${PROFILE}&limit=200`,
  );
  const cell = data.find(
    ({ item_uid, field }: { item_uid: string; field: string }) =>
      item_uid === 'i1' && field === 'outcome',
  );
  const { profile_version } = (await server.human('GET', 'cases?limit=200')).data.find(
    ({ case_uid }: { case_uid: string }) => case_uid === 'shared',
  );
  await server.push(
    'shared',
    [
      {
        op: 'set',
        reg: `a/${PROFILE}@${profile_version}/${cell.rule_uid}/i1`,
        parents: cell.heads.map(({ entry }: { entry: string }) => entry),
        value: { raw_outcome: 'NA', source_value: 'both' },
      },
    ],
    'Both were looked at',
  );
  const { fields } = await server.human('GET', 'cases/shared/contested-fields');
  const title = fields.find(({ field }: { field: string }) => field === 'title');
  assert(title !== undefined, JSON.stringify(fields));
  const heads = title.heads.map(({ entry }: { entry: string }) => entry);
  await server.human('POST', 'cases/shared/contested-fields', {
    field: 'title',
    heads,
    take: heads[0],
    reason: 'The longer one',
  });
}

export async function freezeContested(studio: Party, run_uid: string): Promise<void> {
  await studio.human('POST', 'runs', {
    case_uid: 'shared',
    profile_uid: PROFILE,
    run_uid,
    accept_contested: true,
    reason: 'Before it is settled',
  });
}
