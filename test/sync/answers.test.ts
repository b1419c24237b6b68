import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/shared/contract/call.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errors.ts';
import { ACTIONS, type AnswerKind, answerOf, type Phase } from '../../src/sync/answers.ts';

const refused = (status: number, code: string): Failure => ({
  kind: 'refused',
  status,
  code,
  message: '',
  details: [],
  requestId: null,
  retryAfter: null,
});
const doneTo = (failure: Failure, phase: Phase = 'push') => ACTIONS[phase][answerOf(failure)];

describe('R10 what a link does with each answer', () => {
  test.each<[string, Failure, object]>([
    [
      '400: find the one change, keep its bytes',
      refused(400, 'invalid_request'),
      { do: 'halve', mark: 'damaged' },
    ],
    ['422 of what was sent', refused(422, 'validation_failed'), { do: 'halve', mark: 'damaged' }],
    [
      '422 hash_mismatch: never again as it is',
      refused(422, 'hash_mismatch'),
      { do: 'halve', mark: 'corrupt' },
    ],
    ['413: halve', refused(413, 'payload_too_large'), { do: 'halve', mark: 'too_large' }],
    ['401: stop, keep the outbox', refused(401, 'key_revoked'), { do: 'block', why: 'signed_out' }],
    ['403 of a viewer', refused(403, 'read_only_role'), { do: 'block', why: 'read_only' }],
    ['403 of a reader', refused(403, 'insufficient_scope'), { do: 'block', why: 'read_only' }],
    [
      '403 of what others wrote',
      refused(403, 'author_not_allowed'),
      { do: 'block', why: 'not_a_studio' },
    ],
    ['403', refused(403, 'origin_not_allowed'), { do: 'block', why: 'no_access' }],
    ['404', refused(404, 'not_found'), { do: 'block', why: 'no_access' }],
    ['410: stop offering', refused(410, 'purged'), { do: 'block', why: 'purged' }],
    ['426: an old version', refused(426, 'protocol'), { do: 'block', why: 'too_old' }],
    ['409 diverged: R6', refused(409, 'diverged'), { do: 'recover' }],
    [
      'another 409',
      refused(409, 'conflict'),
      { do: 'wait', host: false, online: true, quiet: false },
    ],
    [
      '429: the whole host waits',
      refused(429, 'rate_limited'),
      { do: 'wait', host: true, online: true, quiet: true },
    ],
    ['503', refused(503, 'unavailable'), { do: 'wait', host: true, online: true, quiet: true }],
    [
      '503 of a store that is only read',
      refused(503, 'read_only'),
      { do: 'wait', host: false, online: true, quiet: false },
    ],
    [
      '500',
      refused(500, 'internal_error'),
      { do: 'wait', host: false, online: true, quiet: false },
    ],
    [
      '507: its disk is full',
      refused(507, 'storage_full'),
      { do: 'wait', host: false, online: true, quiet: false },
    ],
    [
      'no bytes',
      { kind: 'no_answer', reason: 'timeout' },
      { do: 'wait', host: true, online: false, quiet: true },
    ],
    [
      'no network, or a redirect to elsewhere',
      { kind: 'no_answer', reason: 'network' },
      { do: 'wait', host: true, online: false, quiet: true },
    ],
    [
      'HTML instead of JSON',
      { kind: 'unreadable', status: 200, reason: 'not JSON' },
      { do: 'wait', host: true, online: false, quiet: true },
    ],
    ['called off here', { kind: 'no_answer', reason: 'aborted' }, { do: 'end' }],
  ])('%s', (_, failure, action) => {
    expect(doneTo(failure)).toEqual(action);
  });

  test('a question carries nothing that could be halved', () => {
    for (const phase of ['pull', 'recover'] as const)
      for (const action of Object.values(ACTIONS[phase])) expect(action.do).not.toBe('halve');
  });

  test('whatever a server refuses with, nothing is dropped or sent again at once', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      for (const phase of Object.keys(ACTIONS) as Phase[])
        expect(['halve', 'block', 'recover', 'wait'], `${code} ${phase}`).toContain(
          doneTo(refused(status, code), phase).do,
        );
    }
  });

  test('R3 R7 what an answer says inside', () => {
    const expected: [AnswerKind, string][] = [
      ['taken', 'go_on'],
      ['duplicate', 'go_on'],
      ['quarantined', 'go_on'],
      ['stale', 'drop'],
      ['unfit', 'wait'],
      ['unequal', 'start_over'],
      ['unequal_again', 'stop'],
    ];
    for (const [answer, what] of expected) expect(ACTIONS.pull[answer].do).toBe(what);
  });
});
