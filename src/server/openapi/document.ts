import { API } from '../../shared/contract/api.ts';
import { DryRun } from '../../shared/contract/common.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { SyncEventsQuery } from '../../shared/contract/presence.ts';
import { SYNC_EVENTS_PATH } from '../../shared/contract/sync.ts';
import { INTERPRETATION_BOUNDARY } from '../../shared/domain/result.ts';
import { ERROR_STATUS, type ErrorCode } from '../../shared/contract/errors.ts';
import { REQUEST_EXAMPLES } from './examples.ts';
import {
  errorExample,
  errorResponses,
  headerParameters,
  RESPONSE_HEADERS,
  successResponses,
} from './responses.ts';
import { buildSchemas, parameterSchemas, ref } from './schemas.ts';
import type { OpenApiDocument, OperationDocument, Parameter } from './shapes.ts';

export const OPENAPI_PATH = '/api/v1/openapi.json';

const ACCESS: Record<Endpoint['access'], { security: Record<string, string[]>[]; words: string }> =
  {
    read: {
      security: [{ apiKey: [] }, { session: [] }],
      words: 'An API key with the scope `read`, `suggest` or `sync`, or a signed-in person.',
    },
    suggest: {
      security: [{ apiKey: [] }, { session: [] }],
      words: 'An API key with the scope `suggest`, `write` or `sync`, or a signed-in person.',
    },
    write: {
      security: [{ apiKey: [] }, { session: [] }],
      words:
        'An API key with the scope `write` or `sync`, or a signed-in person. What removes, or brings back, needs `delete` besides.',
    },
    session: { security: [{ session: [] }], words: 'A signed-in person; API keys are refused.' },
    open: { security: [{}], words: 'Needs no key: programs on the computer of the studio.' },
  };

function describe(endpoint: Endpoint, names: ReturnType<typeof buildSchemas>): OperationDocument {
  const { security, words } = ACCESS[endpoint.access];
  const example = REQUEST_EXAMPLES[endpoint.id];
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description:
      endpoint.query === DryRun ? `${words} With \`dry_run=true\` nothing is stored.` : words,
    tags: [endpoint.tag],
    security,
    parameters: [
      ...parameterSchemas(endpoint.params).map((parameter): Parameter => ({
        ...parameter,
        in: 'path',
        required: true,
      })),
      ...parameterSchemas(endpoint.query).map((parameter): Parameter => ({
        ...parameter,
        in: 'query',
      })),
      ...headerParameters(endpoint),
    ],
    ...(endpoint.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: ref(names.request(endpoint.id)),
            ...(example !== undefined && { example }),
          },
        },
      },
    }),
    responses: {
      ...successResponses(
        endpoint,
        names.response(endpoint.id),
        names.short(endpoint.id),
        names.schemas,
      ),
      ...errorResponses(endpoint),
    },
  };
}

/** What the operations of a group are for. */
const TAGS: Readonly<Record<string, string>> = {
  Account: 'The account, its keys and who asks for one, its usage and its audit trail.',
  Cases: 'Cases, the units of work that evidence is recorded for.',
  Cells: 'Single items and cells of a matrix, recorded or open.',
  Discussion: 'Threads beside the record, assigned rows and columns, and what waits for whom.',
  Evidence: 'Items, the cells of the matrix, and their history.',
  Notices: 'Who is notified by mail or webhook of what waits.',
  Profiles: 'Evidence profiles: the rules that items are checked against.',
  Projects: 'Projects, which hold cases.',
  'Sign-off': 'In which stage a case is, who signed its runs, and proof of single items.',
  Rounds: 'Rounds in which several record the same cells without seeing each other.',
  Runs: 'Frozen runs and their results.',
  Suggestions: 'What agents suggest, and what people decide about it.',
  Sync: 'The exchange of logs and runs between servers and windows.',
  Team: 'Members, invitations, sign-ins and passwords.',
  Uplink: 'The connection of this studio to a hosted server.',
};

function eventsOperation(): OperationDocument {
  return {
    operationId: 'syncEvents',
    summary: 'Hints that a log has grown, as server-sent events',
    description:
      'Each event is `{"case": ..., "seq": ...}`. Nothing depends on receiving one. A person who names the cases that they have open is also told who else has, as `{"case": ..., "here": [names], "more": 0}`, and others are told of them until the stream ends.',
    tags: ['Sync'],
    security: ACCESS.read.security,
    parameters: parameterSchemas(SyncEventsQuery).map((parameter): Parameter => ({
      ...parameter,
      in: 'query',
    })),
    responses: {
      200: {
        description: 'A stream that ends when the server stops.',
        headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
        content: {
          'text/event-stream': {
            schema: { type: 'string' },
            example: 'data: {"case":"trio-0042","seq":17}\n\n',
          },
        },
      },
      ...errorResponses({ method: 'GET', path: SYNC_EVENTS_PATH, errors: [] }),
    },
  };
}

/** The examples of errors that operations show. */
function usedExamples(paths: OpenApiDocument['paths']): OpenApiDocument['components']['examples'] {
  const text = JSON.stringify(paths);
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  return Object.fromEntries(
    codes
      .filter((code) => text.includes(`"#/components/examples/${code}"`))
      .map((code) => [code, errorExample(code)]),
  );
}

/** The OpenAPI 3.1 description, made from the same objects that the server routes by. */
export function buildOpenApi(version: string): OpenApiDocument {
  const names = buildSchemas();
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of API)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: describe(endpoint, names),
    };
  paths[SYNC_EVENTS_PATH] = { get: eventsOperation() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Evidence Studio',
      version,
      description: `Projects, cases, evidence matrices and frozen runs under the standard SGA-QEM-1.0. ${INTERPRETATION_BOUNDARY}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(API.map((endpoint) => endpoint.tag))].map((name) => ({
      name,
      description: TAGS[name] ?? '',
    })),
    paths,
    components: {
      schemas: names.schemas,
      headers: RESPONSE_HEADERS,
      examples: usedExamples(paths),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'evs_...',
          description: 'Made on the account page or by `evidence-studio key create`; shown once.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'evs_session',
          description: 'A browser that was signed in, from pages of this server only.',
        },
      },
    },
  };
}

/** Built when it is first asked for, then kept. */
export function createOpenApi(version: string): { document(): OpenApiDocument; json(): string } {
  let built: OpenApiDocument | undefined;
  let text: string | undefined;
  const document = (): OpenApiDocument => (built ??= buildOpenApi(version));
  return { document, json: () => (text ??= JSON.stringify(document())) };
}
