import { z } from 'zod';
import { None } from '../common.ts';
import { endpoint } from '../endpoint.ts';

/** How a host on this computer starts the tools for agents, and where they are over HTTP. */
export const AgentSetup = z.strictObject({
  /** Program and arguments; null on a hosted server, whose command is on another computer. */
  command: z.array(z.string()).min(1).nullable(),
  mcp_url: z.string(),
});
export type AgentSetup = z.infer<typeof AgentSetup>;

export const getAgentSetup = endpoint({
  id: 'getAgentSetup',
  summary: 'How hosts of agents reach the tools: the command on this computer, and the address',
  tag: 'Account',
  method: 'GET',
  path: '/api/v1/agent-setup',
  access: 'session',
  params: None,
  query: None,
  response: AgentSetup,
  success: [200],
  errors: [],
});
