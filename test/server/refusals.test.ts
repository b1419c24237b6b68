import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
const CASE = '/api/v1/cases/refusals';
const profile_uid = 'trio_rare_disease';
beforeAll(async () => {
  server = await bootServer();
  const project = await server.call('POST', '/api/v1/projects', { body: { name: 'Refusals' } });
  await server.call('POST', '/api/v1/cases', {
    body: { project_id: project.body.project_id, case_uid: 'refusals', profile_uid },
  });
  await server.call('POST', `${CASE}/evidence`, {
    body: { profile_uid, items: [{ item_uid: 'a' }] },
  });
});
afterAll(() => server.close());

describe('a refusal says what to do instead', () => {
  it.each([
    ['evidence', 'outcomes'],
    ['suggestions', 'suggestions'],
  ])('%s: the rule of the profile that a misspelt one may mean', async (operation, list) => {
    const said = async (rule_uid: string): Promise<string> => {
      const { status, body } = await server.call('POST', `${CASE}/${operation}`, {
        body: { profile_uid, [list]: [{ item_uid: 'a', rule_uid, raw_outcome: 'TRUE' }] },
      });
      expect([status, body.details[0].code]).toEqual([422, 'unknown_rule']);
      return body.details[0].message;
    };
    expect(await said('parents_genotypes_missing')).toBe(
      'The profile has no such rule. Did you mean "parents_genotype_missing"?',
    );
    expect(await said('zzz')).toBe('The profile has no such rule.');
  });

  it('many misspelt rules cost no more than a list is worth', async () => {
    const { body } = await server.call('POST', `${CASE}/evidence`, {
      body: {
        profile_uid,
        outcomes: Array.from({ length: 5_000 }, (_, at) => ({
          item_uid: 'a',
          rule_uid: `parents_genotype_missing_${at}`,
          raw_outcome: 'TRUE',
        })),
      },
    });
    const hinted = body.details.filter(({ message }: { message: string }) =>
      message.includes('Did you mean'),
    );
    expect(hinted).toHaveLength(20);
  });

  it('the scope that a key lacks, or that only a person may', async () => {
    const message = async (method: string, path: string, key: string): Promise<string> =>
      (await server.call(method, path, { key, body: {} })).body.message;
    expect(await message('POST', '/api/v1/projects', server.readKey)).toBe(
      'This needs a key with the scope "write".',
    );
    expect(await message('POST', `${CASE}/suggestions/decisions`, server.key)).toBe(
      'Only a person who is signed in may do this; no key may.',
    );
  });
});
