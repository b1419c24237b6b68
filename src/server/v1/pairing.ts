import type { z } from 'zod';
import { SERVER_PAGES } from '../../shared/contract/page-addresses.ts';
import { getAgentSetup } from '../../shared/contract/v1/agent-setup.ts';
import * as pairing from '../../shared/contract/v1/pairing.ts';
import { ApiError } from '../context/errors.ts';
import type { KeyLimits } from '../http/pairing.ts';
import { localRoute, type Route, type ServiceCall, serviceRoute } from '../http/route.ts';
import { makeKey, requireScopesOfRole } from './account.ts';

type DecidingCall = ServiceCall<
  z.output<typeof pairing.decidePairing.params>,
  unknown,
  z.output<NonNullable<typeof pairing.decidePairing.body>>
>;

function refuse({ params, body: { decision: _, ...chosen }, deps, now }: DecidingCall): KeyLimits {
  const [field] = Object.keys(chosen);
  if (field !== undefined)
    throw new ApiError('validation_failed', {
      details: [{ path: `/${field}`, code: 'custom', message: 'Goes with "allow" alone.' }],
    });
  return deps.pairings.refuse(params.pairingId, now);
}

/** The key is the person's who allows it, and made in their name. */
const allow = (call: DecidingCall): Promise<KeyLimits> => {
  const { params, body, deps, now, actor, session, role } = call;
  const { expires_days } = body;
  return call.deps.pairings.allow(
    params.pairingId,
    body,
    async (name, { scopes, projects }) => {
      requireScopesOfRole(role, scopes);
      return call.transact((writer) =>
        makeKey(
          { actor, session, deps, now, writer },
          { name, ...(expires_days !== undefined && { expires_days }) },
          scopes,
          projects,
          { pairing: params.pairingId },
        ),
      );
    },
    now,
  );
};

export const pairingRoutes: readonly Route[] = [
  localRoute(pairing.startPairing, ({ body, deps, now }) => ({
    status: 201,
    value: deps.pairings.ask(
      { name: body.name, scopes: body.scopes ?? ['suggest'], projects: body.projects ?? null },
      now,
    ),
  })),

  localRoute(pairing.collectKey, ({ params, body, deps, now }) => ({
    status: 200,
    value: deps.pairings.collect(params.pairingId, body.secret, now),
    unrepeatable: true,
  })),

  serviceRoute(getAgentSetup, async ({ deps }) => ({
    status: 200,
    value: {
      command: deps.agentCommand === undefined ? null : [...deps.agentCommand],
      mcp_url: deps.url + SERVER_PAGES.mcp,
    },
  })),

  serviceRoute(pairing.listPairingRequests, async ({ deps, now }) => ({
    status: 200,
    value: { data: deps.pairings.waiting(now) },
  })),

  serviceRoute(pairing.decidePairing, async (call) => {
    const { pairingId } = call.params;
    const isAllowed = call.body.decision === 'allow';
    const { scopes, projects } = isAllowed ? await allow(call) : refuse(call);
    return {
      status: 200,
      value: {
        pairing_id: pairingId,
        state: isAllowed ? ('allowed' as const) : ('refused' as const),
        scopes,
        projects,
      },
      counted: { resource: pairingId },
    };
  }),
];
