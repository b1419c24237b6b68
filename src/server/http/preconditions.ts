import type { IncomingMessage } from 'node:http';
import { WitnessText } from '../../shared/contract/sync.ts';
import { getSession } from '../../shared/contract/v1/account.ts';
import { ApiError } from '../context/errors.ts';
import type { Actor } from '../storage/db/actor.ts';
import type { Precondition } from '../storage/db/precondition.ts';
import type { Witness } from '../storage/log/log-position.ts';
import type { RequestContext } from '../context/request.ts';

const ETAGS = /^(?:W\/)?"[\x21\x23-\x7e]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e]*")*$/;
const ETAG = /(W\/)?"([\x21\x23-\x7e]*)"/g;

function parseEtags(header: string): { weak: boolean; tag: string }[] {
  if (header.length > 2_048 || !ETAGS.test(header))
    throw new ApiError('invalid_request', {
      message: 'An entity tag is written in quotes, as the server sent it.',
    });
  return [...header.matchAll(ETAG)].map(([, weak, tag]) => ({
    weak: weak !== undefined,
    tag: tag ?? '',
  }));
}

export function versionTag(version: number): string {
  return `"v${version}"`;
}

/** Whether the request says `Prefer: return=minimal`, among whatever else it prefers. */
export const prefersMinimal = ({ headers }: IncomingMessage): boolean =>
  String(headers['prefer'] ?? '')
    .split(',')
    .some((preference) =>
      /^return\s*=\s*"?minimal"?$/i.test(preference.split(';')[0]?.trim() ?? ''),
    );

/**
 * Parses `If-Match` and `If-None-Match: *` of a write. A tag that is not one of our versions, or a
 * weak one, matches nothing.
 */
export function parsePrecondition(req: IncomingMessage): Precondition {
  const match = req.headers['if-match'];
  const noneMatch = req.headers['if-none-match'];
  if (match !== undefined && noneMatch !== undefined)
    throw new ApiError('invalid_request', {
      message: 'A write takes If-Match or If-None-Match, not both.',
    });
  if (noneMatch !== undefined) {
    if (noneMatch.trim() !== '*')
      throw new ApiError('invalid_request', {
        message: 'On a write, If-None-Match takes * alone: create only.',
      });
    return 'absent';
  }
  if (match === undefined) return undefined;
  if (match.trim() === '*')
    throw new ApiError('invalid_request', {
      message: 'If-Match takes the entity tag of the record, not *.',
    });
  const tags = parseEtags(match).flatMap(({ weak, tag }) => (weak ? [] : [tag]));
  return {
    versions: tags.flatMap((tag) =>
      /^v[1-9][0-9]{0,14}$/.test(tag) ? [Number(tag.slice(1))] : [],
    ),
    tags,
  };
}

/** Whether the client already holds the answer with this entity tag. */
export function isFresh(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || parseEtags(header).some(({ tag }) => `"${tag}"` === etag);
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export function parseIdempotencyKey(req: IncomingMessage): string | undefined {
  const key = req.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key))
    throw new ApiError('invalid_request', {
      message: 'An Idempotency-Key has 1 to 255 visible ASCII characters.',
    });
  return key;
}

/**
 * `Sync-User: <user>[@<account>]` names the user whose copy sends the request. It is refused if
 * somebody else has signed in meanwhile or another account was opened; only the question who is
 * signed in is always answered.
 */
export function requireUser(
  { req }: Pick<RequestContext, 'req'>,
  path: string,
  { user_id, account_id }: Actor,
): void {
  const header = req.headers['sync-user'];
  if (
    header === undefined ||
    path === getSession.path ||
    header === user_id ||
    header === `${user_id}@${account_id}`
  )
    return;
  throw new ApiError('other_user', {
    message:
      'Another user is signed in than the one that this request was made for, or another account is open.',
  });
}

/** The highest position of a log that the client has seen. */
export function readWitness(header: string | string[] | undefined): Witness | undefined {
  if (header === undefined) return undefined;
  const { data } = WitnessText.safeParse(header);
  if (data === undefined)
    throw new ApiError('invalid_request', { message: 'A Sync-Witness is <epoch>;<seq>;<chain>.' });
  return data;
}
/** The header `Sync-Witness`, of a request about one log. */
export const parseWitness = ({ headers }: IncomingMessage): Witness | undefined =>
  readWitness(headers['sync-witness']);
