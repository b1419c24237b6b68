import { makeKey, serve } from '../support/served.ts';
import type { Json } from '../support/json.ts';
import { benchProfile, PROFILE_UID } from './evidence.ts';
import type { Figure } from './figure.ts';
import { temporary, thousands } from './measure.ts';

const [ITEMS, RULES, A_REQUEST, CHANGED] = [2_000, 20, 500, 50];
const STATES = ['FALSE', 'TRUE', 'NA'] as const;
const CASE = '/api/v1/cases/bench';
const OF_PROFILE = `profile_uid=${PROFILE_UID}`;

interface Bytes {
  bytes: number;
  body: Json;
}

/** A client that counts what it is answered. */
const counting =
  (url: string, key: string) =>
  async (method: string, path: string, body?: unknown, prefer?: string): Promise<Bytes> => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(prefer !== undefined && { prefer }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.slice(0, 500));
    return { bytes: Buffer.byteLength(text), body: JSON.parse(text) };
  };
type Ask = ReturnType<typeof counting>;

const evidence = (row: number, shift: number) =>
  Array.from({ length: RULES }, (_, column) => ({
    rule_uid: `rule_number_${column + 1}`,
    raw_outcome: STATES[(row + column + shift) % 3],
    source_value: `page ${row}, table ${column}: 12.5 ng/mL`,
    notes: `Read by the agent from row ${row}, column ${column}.`,
  }));

/** 2,000 items under 20 rules, all but the last item recorded. */
async function fill(ask: Ask): Promise<void> {
  const profile = benchProfile() as { rules: unknown[] };
  await ask('POST', '/api/v1/profiles', { ...profile, rules: profile.rules.slice(0, RULES) });
  const { body } = await ask('POST', '/api/v1/projects', { name: 'Benchmark' });
  await ask('POST', '/api/v1/cases', { project_id: body.project_id, case_uid: 'bench' });
  for (let first = 0; first < ITEMS; first += A_REQUEST)
    await ask('POST', '/api/v1/evidence', {
      case_uid: 'bench',
      profile_uid: PROFILE_UID,
      items: Array.from({ length: A_REQUEST }, (_, at) => ({
        item_uid: `item_${first + at}`,
        label: `Sample ${first + at} of the benchmark`,
        ...(first + at < ITEMS - 1 && { evidence: evidence(first + at, 0) }),
      })),
    });
}

async function wholeEvidence(ask: Ask): Promise<number> {
  let sum = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { bytes, body } = await ask('GET', `${CASE}/evidence?${OF_PROFILE}&limit=200${more}`);
    sum += bytes;
    cursor = body.next_cursor;
  }
  return sum;
}

/** The way from the whole case to one item: what is open, the item, what its rules mean. */
async function nextOpenItem(ask: Ask): Promise<number> {
  const open = await ask('GET', `${CASE}/to-judge?${OF_PROFILE}&limit=${RULES}`);
  const { item_uid } = open.body.cells[0];
  const item = await ask('GET', `${CASE}/items/${item_uid}?${OF_PROFILE}`);
  const profile = await ask('GET', `/api/v1/profiles/${PROFILE_UID}`);
  return open.bytes + item.bytes + profile.bytes;
}

async function measure(ask: Ask): Promise<Figure[]> {
  const open = await nextOpenItem(ask);
  const whole = await wholeEvidence(ask);
  const run = { case_uid: 'bench', profile_uid: PROFILE_UID };
  const first = await ask('POST', '/api/v1/runs', run, 'return=minimal');
  const outcomes = Array.from({ length: CHANGED }, (_, row) => ({
    item_uid: `item_${row * 7}`,
    ...evidence(row * 7, 1)[row % RULES],
  }));
  await ask('POST', `${CASE}/evidence`, { profile_uid: PROFILE_UID, outcomes });
  const second = await ask('POST', '/api/v1/runs', run);
  const compared = await ask(
    'GET',
    `/api/v1/runs/${first.body.run_uid}/compare/${second.body.run_uid}`,
  );
  if (JSON.stringify(compared.body).split('item_').length <= CHANGED)
    throw new Error(`Not all ${CHANGED} cells are compared.`);
  return [
    figure('the next open item, with the meanings of its rules', open, whole, 20_000),
    figure('two runs compared, 50 cells changed', compared.bytes, 2 * second.bytes, 100_000),
    figure('a run started', first.bytes, second.bytes, 5_000),
  ];
}

export const agentsBench = (): Promise<Figure[]> =>
  temporary(async (folder) => {
    const key = await makeKey(folder);
    const server = await serve(folder);
    try {
      const ask = counting(server.url, key);
      await fill(ask);
      return await measure(ask);
    } finally {
      await server.kill('SIGTERM');
    }
  });

const figure = (what: string, ours: number, whole: number, most: number): Figure => ({
  what: `${what}: bytes on 2,000 x 20`,
  ours: thousands(ours),
  floor: `${thousands(whole)} to read all of it`,
  compared: `${(whole / ours).toFixed(0)} times less`,
  gate: `at most ${thousands(most)}`,
  met: ours <= most,
});
