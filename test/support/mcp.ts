import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { Json } from './json.ts';

/** The eras of the protocol that clients speak. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

const STEPS_PROFILE = 'general_claim_evidence';

export function createMcpClient(era: Era): Client {
  return new Client(
    { name: `test of ${era}`, version: '1' },
    { versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } } },
  );
}

export async function connectOverHttp(url: string, key: string, era: Era): Promise<Client> {
  const client = createMcpClient(era);
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

export interface ToolAnswer {
  isError: boolean;
  text: string;
  value: Json;
}

export async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const answer = await client.callTool({ name, arguments: input });
  const [first] = answer.content;
  return {
    isError: answer.isError === true,
    text: first?.type === 'text' ? first.text : '',
    value: answer.structuredContent as Json,
  };
}

/** The steps of the specification's workflow after the first: from a profile to a run's result. */
export async function playSevenSteps(client: Client, case_uid: string): Promise<Json> {
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Json> => {
    const { isError, text, value } = await callTool(client, name, input);
    expect(isError, text).toBe(false);
    return value;
  };
  const { profiles } = await call('list_profiles');
  const { profile_uid } = profiles.find((one: Json) => one.profile_uid === STEPS_PROFILE);
  const { rules } = await call('read_profile', { profile_uid });
  const made = { project: 'Seven steps', case_uid, title: 'Two claims', profile_uid };
  expect(await call('create_case', made)).toMatchObject({ case_uid, profile_uid });
  const again = await callTool(client, 'create_case', { ...made, title: 'Another' });
  expect(again.text).toMatch(/^conflict: There is a case \S+ already/);

  const rule_uids: string[] = rules.map((rule: Json) => rule.rule_uid);
  const outcomes = ['a', 'b'].flatMap((item_uid, row) =>
    rule_uids.map((rule_uid, at) => ({
      item_uid,
      rule_uid,
      raw_outcome: ['FALSE', 'TRUE', 'NA'][(row + at) % 3],
      source_value: `page ${at}`,
    })),
  );
  const items = [{ item_uid: 'a', label: 'First' }, { item_uid: 'b' }];
  expect(await call('record_outcomes', { case_uid, items, outcomes: [] })).toMatchObject({
    items_created: 2,
    written: 0,
  });
  expect(await call('record_outcomes', { case_uid, outcomes })).toMatchObject({
    items_created: 0,
    written: outcomes.length,
  });
  const run = await call('freeze_run', { case_uid });
  expect(run).toMatchObject({ unrecorded: 0, url: `/studio/runs/${run.run_uid}` });
  const result = await call('read_result', { run_uid: run.run_uid });
  expect(result).toMatchObject({ content_hash: run.content_hash, items_in_all: 2 });
  const verified = await call('verify_run', { run_uid: run.run_uid });
  expect(verified).toMatchObject({ hash_matches: true, result_follows: true });
  return run;
}
