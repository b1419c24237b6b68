import { DryRun } from '../../shared/contract/common.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { ErrorCode } from '../../shared/contract/errors.ts';
import { SENTENCES } from '../context/errors.ts';
import { errorCodes } from './error-responses.ts';
import { sampleOf } from './samples.ts';
import { ref } from './schemas.ts';
import type { JsonSchema, OperationDocument, Parameter, ResponseDocument } from './shapes.ts';

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  '1 to 255 visible ASCII characters. The same request sent again within a day with the same key is answered by the first answer.',
);
const IF_MATCH = header(
  'If-Match',
  'Entity tag of the record as last read: `"v3"`, or of the evidence that was reviewed. Where something else stands now: 412.',
);
const IF_NONE_MATCH = header('If-None-Match', '`*`: create only.');
const IF_CHANGED = header(
  'If-None-Match',
  'Entity tag of the answer already held; the same is answered with 304.',
);
const PREFER = header(
  'Prefer',
  '`return=minimal`: the short answer, which says `Preference-Applied: return=minimal`.',
);
const LAST_EVENT_ID = header(
  'Last-Event-ID',
  'With `Accept: text/event-stream`: the `id` of the last event seen, instead of `after`.',
);
const WITNESS = header(
  'Sync-Witness',
  '`<epoch>;<seq>;<chain>`: the highest position of this log that the client has seen.',
);
const USER = header(
  'Sync-User',
  'The user whose copy asks, `<user_id>`, or `<user_id>@<account_id>`. Where another one is signed in, the answer is 409 `other_user`.',
);

/** Headers of answers, by name. */
export const RESPONSE_HEADERS: Readonly<
  Record<string, { description: string; schema: JsonSchema }>
> = {
  'X-Request-Id': {
    description: 'Name of this request in the log, as `request_id` of an error.',
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Strong entity tag: for `If-None-Match` of a read and `If-Match` of a write.',
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where the new record is found, a path on this server.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description:
      '`true`: this is the answer to the first request with this Idempotency-Key; nothing was done now.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: '`return=minimal`: this is the short answer.',
    schema: { type: 'string', const: 'return=minimal' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 0, maximum: 86_400 },
  },
  'WWW-Authenticate': {
    description: 'How to say who asks: `Bearer` and an API key.',
    schema: { type: 'string' },
  },
  'Dry-Run': {
    description: '`true`: this says what would have been done; nothing was stored.',
    schema: { type: 'string', const: 'true' },
  },
  Allow: { description: 'The methods that this path takes.', schema: { type: 'string' } },
  'Content-Disposition': {
    description: 'The file name under which to keep the answer.',
    schema: { type: 'string' },
  },
};
type HeaderName = keyof typeof RESPONSE_HEADERS;
const headers = (...names: HeaderName[]) =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** Operations whose answers have an entity tag. */
const TAGGED = new Set([
  'getProject',
  'getCase',
  'getProfile',
  'getEvidence',
  'getItem',
  'createRun',
  'getRun',
  'upsertProject',
  'upsertCase',
  'setProjectState',
  'setCaseState',
  'syncCases',
]);

export function headerParameters(endpoint: Endpoint): Parameter[] {
  return [
    ...(endpoint.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(endpoint.minimal === undefined ? [] : [PREFER]),
    ...(endpoint.errors.includes('precondition_failed') ? [IF_MATCH, IF_NONE_MATCH] : []),
    ...(endpoint.method === 'GET' && TAGGED.has(endpoint.id) ? [IF_CHANGED] : []),
    ...(endpoint.waits === undefined ? [] : [LAST_EVENT_ID]),
    ...(endpoint.errors.includes('diverged') ? [WITNESS] : []),
    ...(endpoint.tag === 'Sync' ? [USER] : []),
  ];
}

/** The codes that examples of a status show: the operation's own, or the first. */
const typical = (codes: readonly ErrorCode[], own: readonly ErrorCode[]): readonly ErrorCode[] => {
  const told = codes.filter((code) => own.includes(code));
  return told.length > 0 ? told : codes.slice(0, 1);
};

const HEADERS_OF_STATUS: Readonly<Record<number, HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** An example of an error, with a place where the request itself is at fault. */
export const errorExample = (code: ErrorCode) => ({
  summary: SENTENCES[code],
  value: {
    error: code,
    message: SENTENCES[code],
    details:
      code === 'validation_failed'
        ? [
            {
              path: '/items/0/evidence/0/raw_outcome',
              code: 'invalid_value',
              message: 'Must be exactly one of the strings "TRUE", "FALSE" and "NA".',
            },
          ]
        : [],
    request_id: 'req_01k9z3v7w8x5n2m4q6r8t0y1zb',
  },
});

export function errorResponses(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'body' | 'errors'>,
): OperationDocument['responses'] {
  return Object.fromEntries(
    [...errorCodes(endpoint)].map(([status, codes]) => {
      const examples = typical(codes, endpoint.errors).map((code) => [
        code,
        { $ref: `#/components/examples/${code}` },
      ]);
      const sometimes = status === 409 && !codes.includes('idempotency_in_progress');
      return [
        String(status),
        {
          description: codes.map((name) => `\`${name}\``).join(', '),
          headers: headers(...(sometimes ? [] : (HEADERS_OF_STATUS[status] ?? []))),
          content: {
            'application/json': {
              schema: ref('Error'),
              examples: Object.fromEntries(examples),
            },
          },
        },
      ];
    }),
  );
}

/** What an operation answers when it has done what it was asked. */
export function successResponses(
  endpoint: Endpoint,
  schema: string,
  short: readonly string[],
  schemas: Readonly<Record<string, JsonSchema>>,
): OperationDocument['responses'] {
  const own = headers(
    ...(TAGGED.has(endpoint.id) ? ['ETag'] : []),
    ...(endpoint.method === 'POST' ? ['Idempotent-Replayed'] : []),
    ...(endpoint.minimal === undefined ? [] : ['Preference-Applied']),
    ...(endpoint.query === DryRun ? ['Dry-Run'] : []),
    ...(endpoint.csv === undefined && endpoint.file === undefined ? [] : ['Content-Disposition']),
  );
  const content: ResponseDocument['content'] =
    endpoint.file !== undefined
      ? { [endpoint.file]: { schema: { type: 'string', format: 'binary' } } }
      : {
          'application/json': {
            schema: short.length === 0 ? ref(schema) : { anyOf: [schema, ...short].map(ref) },
            example: sampleOf(ref(schema), endpoint.id, schemas),
          },
          ...(endpoint.csv && { 'text/csv': { schema: { type: 'string' } } }),
          ...(endpoint.waits && {
            'text/event-stream': {
              schema: {
                type: 'string',
                description: 'Events: `id` is the position, `data` an answer as above.',
              },
            },
          }),
        };
  const responses: OperationDocument['responses'] = {};
  for (const status of endpoint.success)
    responses[status] = {
      description: status === 201 ? 'Created.' : 'Done.',
      headers: { ...own, ...(status === 201 && headers('Location')) },
      content,
    };
  if (endpoint.method === 'GET' && TAGGED.has(endpoint.id))
    responses[304] = { description: 'Unchanged.', headers: headers('ETag') };
  return responses;
}
