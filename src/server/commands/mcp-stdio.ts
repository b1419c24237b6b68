import { once } from 'node:events';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from '../mcp/server.ts';
import { AgentConnection } from './agent-connection.ts';

/**
 * Serves until the host closes standard input. Nothing but the protocol goes to standard output.
 */
export async function serveMcp({
  version,
  signal,
  ...options
}: ConstructorParameters<typeof AgentConnection>[0] & {
  version: string;
  signal: AbortSignal;
}): Promise<void> {
  const connection = new AgentConnection(options);
  const handle = serveStdio(
    () =>
      createMcpServer({
        version,
        mayWrite: connection.mayWrite,
        studio: () => connection.studio(),
      }),
    {
      transport: new StdioServerTransport(),
      onerror: (error) => console.error(`evidence-studio: ${error.message}`),
    },
  );
  await Promise.race(['end', 'close'].map((event) => once(process.stdin, event, { signal }))).catch(
    () => undefined,
  );
  await handle.close();
}
