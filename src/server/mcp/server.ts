import {
  type CallToolResult,
  McpServer,
  ResourceTemplate,
  type ToolAnnotations,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DATA_NOTE, visibleJson } from './answers.ts';
import { ToolProblem } from './problems.ts';
import { nextOpenItems } from './tools/open-items.ts';
import { TOOLS, toolNamed } from './tools/all.ts';
import type { Effect, Tool } from './tool.ts';
import type { StudioCalls } from './studio.ts';
import { INSTRUCTIONS, judgeWords } from './words.ts';

/** Whose server it is for one connection or request. */
export interface McpOptions {
  version: string;
  /** Whether the key may write; unknown before there is one. */
  mayWrite: boolean;
  /** The studio with the key; asked for each call, since there may be none yet. */
  studio(): Promise<StudioCalls>;
}

const ANNOTATIONS: Readonly<Record<Effect, ToolAnnotations>> = {
  reads: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
  adds: {
    readOnlyHint: false,
    idempotentHint: false,
    destructiveHint: false,
    openWorldHint: false,
  },
  overwrites: {
    readOnlyHint: false,
    idempotentHint: true,
    destructiveHint: true,
    openWorldHint: false,
  },
};

const wordsFor = (value: unknown): string => `${DATA_NOTE}\n${visibleJson(value)}`;

/** A refusal is an answer to the model: it can do something about it. */
function refused(error: unknown): CallToolResult {
  if (!(error instanceof ToolProblem)) throw error;
  return { isError: true, content: [{ type: 'text', text: error.message }] };
}

function addTool(server: McpServer, tool: Tool, { studio }: McpOptions): void {
  server.registerTool(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      inputSchema: tool.input,
      outputSchema: tool.output,
      annotations: { title: tool.title, ...ANNOTATIONS[tool.effect] },
    },
    async (input): Promise<CallToolResult> => {
      try {
        const value = await tool.run(await studio(), input);
        return {
          content: [{ type: 'text', text: wordsFor(value) }],
          structuredContent: { ...value },
        };
      } catch (error) {
        return refused(error);
      }
    },
  );
}

/** Resources: an address, and the tool that tells what stands there. */
const RESOURCES = [
  {
    name: 'profile',
    uri: 'evidence://profiles/{profile_uid}',
    tool: 'read_profile',
    title: 'Profile and texts of its rules',
  },
  {
    name: 'result',
    uri: 'evidence://runs/{run_uid}/result',
    tool: 'read_result',
    title: 'Result of a frozen run',
  },
  {
    name: 'progress',
    uri: 'evidence://cases/{case_uid}/progress',
    tool: 'read_case',
    title: 'Progress of a case',
  },
] as const;

function addResources(server: McpServer, { studio }: McpOptions): void {
  for (const { name, uri, tool, title } of RESOURCES)
    server.registerResource(
      name,
      new ResourceTemplate(uri, { list: undefined }),
      { title, description: DATA_NOTE, mimeType: 'application/json' },
      async (address, variables) => {
        const input = Object.fromEntries(
          Object.entries(variables).map(([key, value]) => [key, decodeURIComponent(String(value))]),
        );
        const value = await toolNamed(tool).run(await studio(), input);
        return {
          contents: [{ uri: address.href, mimeType: 'application/json', text: visibleJson(value) }],
        };
      },
    );
}

function addPrompt(server: McpServer, { studio }: McpOptions): void {
  server.registerPrompt(
    'judge_item',
    {
      title: 'Judge this item under this profile',
      description: 'How one item is judged, rule by rule, with what the standard asks for.',
      argsSchema: z.strictObject({
        case_uid: z.string().describe('The case, as find_cases names it.'),
        item_uid: z.string().describe('The item, as next_open_items names it.'),
        profile_uid: z.string().optional().describe('The one in use in the case if left out.'),
      }),
    },
    async ({ case_uid, item_uid, profile_uid }) => {
      const input = { case_uid, item_uid, ...(profile_uid !== undefined && { profile_uid }) };
      const open = await nextOpenItems.run(await studio(), input);
      const text = `${judgeWords(case_uid, item_uid, profile_uid)}\n\n${wordsFor(open)}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  );
}

/** What is listed stays as it is while a client is connected: there are no changes to hear of. */
const STAYS = { listChanged: false };

/** The tools, resources and the prompt, for clients of either era of the protocol. */
export function createMcpServer(options: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'evidence-studio', title: 'Evidence Studio', version: options.version },
    {
      instructions: INSTRUCTIONS,
      maxToolInputElements: 2_000,
      capabilities: { tools: STAYS, resources: STAYS, prompts: STAYS },
    },
  );
  for (const tool of TOOLS)
    if (options.mayWrite || !tool.needsWrite) addTool(server, tool, options);
  addResources(server, options);
  addPrompt(server, options);
  return server;
}
