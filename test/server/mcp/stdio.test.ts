import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeDiscovery } from '../../../src/server/instance/discovery.ts';
import { AgentConnection } from '../../../src/server/commands/agent-connection.ts';
import { callInProcess } from '../../support/in-process.ts';
import { lengthOf } from '../../support/length.ts';
import {
  callTool,
  createMcpClient,
  ERAS,
  type Era,
  playSevenSteps,
  type ToolAnswer,
} from '../../support/mcp.ts';
import { bootServer, type TestServer } from '../../support/server.ts';
import { BIN } from '../../support/served.ts';

let server: TestServer;
let folder: string;
const announce = (url = server.url): void =>
  writeDiscovery(folder, {
    url,
    pid: process.pid,
    instance_id: server.deps.instanceId,
    started_at: new Date().toISOString(),
  });
/** Each has a studio of its own: one lets few programs ask at a time. */
function withStudio(): void {
  beforeAll(async () => {
    server = await bootServer();
    folder = mkdtempSync(path.join(tmpdir(), 'evidence-mcp-'));
    announce();
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

async function start(era: Era, name: string, ...options: string[]): Promise<Client> {
  const client = createMcpClient(era);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', '--data', folder, '--name', name, ...options],
      stderr: 'inherit',
    }),
  );
  return client;
}

/** Asks again while the studio is too busy to say which one it is. */
async function patiently(client: Client, tool: string): Promise<ToolAnswer> {
  for (let tries = 0; ; tries += 1) {
    const answer = await callTool(client, tool);
    if (!answer.text.startsWith('The studio does not answer') || tries === 20) return answer;
  }
}

/** Decides about the one request that waits. */
async function decide(
  decision: 'allow' | 'refuse',
  name: string,
  scopes = ['suggest'],
): Promise<string> {
  const { body } = await callInProcess(server.server, 'GET', '/api/v1/pairing');
  const [request] = body.data;
  expect(body.data).toMatchObject([{ name, scopes }]);
  const decided = await callInProcess(
    server.server,
    'POST',
    `/api/v1/pairing/${request.pairing_id}/decision`,
    { body: { decision } },
  );
  expect(decided.status).toBe(200);
  return request.code;
}

/** A start of the program takes longer than all that it is asked. */
describe.each(lengthOf(ERAS.slice(-1), [...ERAS]))(
  'evidence-studio mcp for a client of %s',
  (era) => {
    withStudio();

    it('asks a person at its first call, then works, and again after a start', async () => {
      const name = `Agent ${era}`;
      const client = await start(era, name);
      const first = await patiently(client, 'list_profiles');
      expect(first.isError).toBe(true);
      const code = await decide('allow', name);
      expect(first.text).toContain(`Allow it if the code there is ${code}.`);
      expect((await patiently(client, 'list_profiles')).value.profiles.length).toBeGreaterThan(3);
      await client.close();

      const again = await start(era, name);
      expect((await patiently(again, 'find_cases')).isError).toBe(false);
      const { body: usage } = await server.call('GET', '/api/v1/usage');
      const { key_id } = usage.api_keys.find((key: { name: string }) => key.name === name);
      await callInProcess(server.server, 'DELETE', `/api/v1/keys/${key_id}`);
      const revoked = await patiently(again, 'find_cases');
      expect(revoked.text).toMatch(/^key_revoked: [^]*A person has taken this access back/);
      const asks = await patiently(again, 'find_cases');
      expect(asks.text).toMatch(/^A person has to let this agent in/);
      await decide('refuse', name);
      expect((await patiently(again, 'find_cases')).text).toMatch(/^The person refused/);
      await again.close();
    });

    it('does the seven steps of the specification from nothing', async () => {
      const name = `Steps ${era}`;
      const client = await start(era, name, '--write');
      expect((await patiently(client, 'list_profiles')).text).toContain('has to let this agent in');
      await decide('allow', name, ['read', 'write']);
      expect((await patiently(client, 'list_profiles')).isError).toBe(false);
      const { run_uid } = await playSevenSteps(client, `stdio-${era}`);
      const { body } = await server.call('GET', `/api/v1/runs/${run_uid}`);
      expect(body.created_by).toBe(name);
      await client.close();
    });
  },
);

describe('the connection of an agent', () => {
  withStudio();

  it('keeps its key for its owner alone, and no secret of a pairing', async () => {
    const connection = new AgentConnection({ folder, name: 'Kept', scopes: ['suggest'] });
    await expect(connection.studio()).rejects.toMatchObject({ code: 'waiting_for_person' });
    expect(readdirSync(folder)).toEqual(['server.json']);
    await decide('allow', 'Kept');
    const { keyId } = await connection.studio();
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.key'));
    expect(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))).toMatchObject({
      key_id: keyId,
      scopes: ['suggest'],
    });
    expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('asks a person once for all calls that come together', async () => {
    const connection = new AgentConnection({ folder, name: 'Several', scopes: ['suggest'] });
    const calls = () => Promise.allSettled([1, 2, 3].map(() => connection.studio()));
    const codes = (await calls()).map((call) => call.status === 'rejected' && call.reason.message);
    expect(new Set(codes).size).toBe(1);
    expect(codes[0]).toContain(await decide('allow', 'Several'));
    const studios = (await calls()).map((call) => call.status === 'fulfilled' && call.value.keyId);
    expect(studios).toEqual([expect.any(String), studios[0], studios[0]]);
  });

  it('sends nothing to a stranger on the port of a file that was left behind', async () => {
    const heard: string[] = [];
    const stranger = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
      response.end(
        JSON.stringify({ product: 'evidence-studio', version: '1', instance_id: 'another' }),
      );
    });
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    announce(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`);
    try {
      const connection = new AgentConnection({ folder, name: 'Kept', scopes: ['suggest'] });
      await expect(connection.studio()).rejects.toMatchObject({ code: 'not_running' });
      expect(heard).toEqual(['GET /.well-known/evidence-studio ']);
    } finally {
      announce();
      stranger.close();
    }
  });
});
