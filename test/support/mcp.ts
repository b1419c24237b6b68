import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Json } from './json.ts';

/** The eras of the protocol that clients speak. */
export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

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
