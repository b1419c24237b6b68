import { mayRelay, effectiveRole } from '../../shared/contract/rights.ts';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import { ELN_TYPE } from '../../shared/domain/run-crate.ts';
import type { Principal } from '../context/principal.ts';
import { ApiError } from '../context/errors.ts';
import type { AdmittedCall } from '../context/call.ts';
import type { HttpAnswer } from '../context/request.ts';
import { type AccountScope, EVERY_ACCOUNT, type Patience } from '../storage/db/session.ts';
import { isSyncPath } from './compression.ts';
import { JSON_TYPE } from './headers.ts';
import { parseWith } from './issues.ts';
import { isFresh } from './preconditions.ts';
import type { HandlerDeps, ReadCall, ReadRoute, Result, WriteCall, WriteRoute } from './route.ts';

/** RFC 7240: that the request's `Prefer: return=minimal` was followed. */
export const PREFERENCE_APPLIED = 'Preference-Applied';
const MINIMAL = 'return=minimal';

/** Says that this is the answer of a dry run. */
const DRY_RUN = 'Dry-Run';

/** An answer about what is not there: it has neither an address nor an entity tag. */
export function renderDryRun(result: Result<unknown>): HttpAnswer {
  const { etag: _, location: __, ...rest } = result;
  const answer = render(rest);
  return { ...answer, headers: { ...answer.headers, [DRY_RUN]: 'true' } };
}

export function render(result: Result<unknown>): HttpAnswer {
  if ('file' in result) {
    const { type, name, pieces } = result.file;
    return {
      status: result.status,
      headers: {
        'Content-Type': type === ELN_TYPE ? type : `${type}; charset=utf-8`,
        'Content-Disposition': `attachment; filename="${name}"`,
      },
      body: '',
      pieces,
    };
  }
  const headers: Record<string, string> = { 'Content-Type': JSON_TYPE };
  if (result.etag !== undefined) headers['ETag'] = result.etag;
  if (result.location !== undefined) headers['Location'] = result.location;
  if (result.minimal === true) headers[PREFERENCE_APPLIED] = MINIMAL;
  return {
    status: result.status,
    headers,
    body: 'json' in result ? result.json : JSON.stringify(result.value),
  };
}

/** Whether the body names another protocol version. */
function speaksAnother(body: unknown, protocol: number): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    'protocol' in body &&
    Number.isInteger(body.protocol) &&
    body.protocol !== protocol
  );
}

/**
 * A body as its operation takes it. That of another protocol version is refused for that, since it
 * may have another shape.
 */
export function checkBody({ protocol, body }: Endpoint, value: unknown): unknown {
  if (protocol !== undefined && speaksAnother(value, protocol))
    throw new ApiError('unsupported_protocol');
  return body && parseWith(body, value, 'validation_failed');
}

export function accountOf(
  { acrossAccounts }: ReadRoute | WriteRoute,
  { actor }: Principal,
): AccountScope | undefined {
  return acrossAccounts === 'every' ? EVERY_ACCOUNT : acrossAccounts ? undefined : actor.account_id;
}

/**
 * How its transactions wait: what a studio exchanges stands behind what an agent or a person waits
 * for, since all studios may come at once after an outage.
 */
export const patienceOf = ({
  path,
  principal,
}: Pick<AdmittedCall, 'path' | 'principal'>): Patience | undefined =>
  principal.authMethod === 'key' && isSyncPath(path) ? 'behind' : undefined;

/** What an operation is handed of a call, whatever it does. */
const handed = (
  { params, query, principal, now, witness }: Omit<AdmittedCall, 'received'>,
  deps: HandlerDeps,
) => ({
  params,
  query,
  actor: principal.actor,
  session: principal.session,
  role: principal.role,
  deps,
  now,
  witness,
});

/** What an operation that reads is handed. */
export const toRead = (
  asked: Omit<AdmittedCall, 'received'>,
  deps: HandlerDeps,
  { body, reader }: Pick<ReadCall, 'body' | 'reader'>,
): ReadCall => ({
  ...handed(asked, deps),
  effectiveRole: effectiveRole(asked.principal),
  relays: mayRelay(asked.principal),
  reader,
  body,
  isFresh: (etag) => isFresh(asked.held, etag),
});

/** What an operation that writes is handed. */
export const toWrite = (
  asked: Omit<AdmittedCall, 'received'>,
  deps: HandlerDeps,
  { body, text, writer }: Pick<WriteCall, 'body' | 'text' | 'writer'>,
): WriteCall => ({
  ...handed(asked, deps),
  writer,
  body,
  text,
  precondition: asked.precondition,
  prefersMinimal: asked.prefersMinimal,
  dryRun: asked.dryRun,
});
