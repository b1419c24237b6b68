import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { estimateGuesses } from '../../../src/server/auth/guess-estimate.ts';
import { whyGuessable } from '../../../src/server/auth/guessable.ts';
import { createPasswords } from '../../../src/server/auth/passwords.ts';
import { browserName } from '../../../src/server/auth/client-info.ts';
import { loginPath, ownPath } from '../../../src/server/pages/next.ts';
import { Email, NewPassword } from '../../../src/shared/contract/v1/team.ts';

describe('a password', () => {
  const passwords = createPasswords({ bytes: (length) => randomBytes(length) });

  test('is kept as argon2id with a salt of its own, and found again in either normal form', async () => {
    const [first, second] = [
      await passwords.hash('caf\u00e9 am langen fluss'),
      await passwords.hash('caf\u00e9 am langen fluss'),
    ];
    expect(first).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
    expect(first).not.toBe(second);
    expect(await passwords.verify('cafe\u0301 am langen fluss', first)).toBe(true);
    expect(await passwords.verify('cafe am langen fluss', first)).toBe(false);
    for (const nothing of [null, '', 'plain', first.slice(0, -1)])
      expect(await passwords.verify('x', nothing)).toBe(false);
  });

  test('is looked at two at a time; twenty wait, and the next is told to come again', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, () => passwords.verify('x', null)),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(22);
    expect(
      all
        .filter(({ status }) => status === 'rejected')
        .map((each) => (each as PromiseRejectedResult).reason.code),
    ).toEqual(Array(8).fill('unavailable'));
    expect(await passwords.verify('x', null)).toBe(false);
  });

  const estimate = async (password: string, words: readonly string[]): Promise<number> =>
    estimateGuesses(password, words);
  const names = ['Ada Lovelace', 'ada.lovelace@example.org', 'Sequencing'];
  test.each([
    'password1234',
    'Passwort-2026!!',
    'P4$$w0rd-P4$$w0rd',
    'qwertyuiop1234',
    'abcdefghijkl',
    '123456789012',
    'aaaaaaaaaaaaaaa',
    'abababababab',
    'zxcvbnm,./123',
    'ada.lovelace.1815',
    'Sequencing-2026',
    'evidence studio 1',
    'letmeinletmein',
    'Welcome-Welcome1',
    'Summer2026!!',
    'michael123456',
    'Winter2025!!!',
    'January2026!!',
    'Monday123456',
    'Berlin2026!!!',
    'Liverpool2026',
    'iloveyou123!!',
    'Password123!@#',
    'Hospital2026!!',
    'Charite2026!!',
    'Genetics2026!',
    'Laboratory123!',
    'Jennifer1987!',
    'Chelsea_2019!',
    'Ada1815Lovelace',
    'qazwsxedcrfv',
    '!QAZ2wsx#EDC',
    'dragon123dragon',
    'Sommer2026!!!',
    'football2024$',
  ])('%s is guessable', async (password) => {
    expect(await whyGuessable(password, names, estimate)).toMatch(/^It /);
  });
  test.each([
    'seven purple rivers turn',
    'correct horse battery staple',
    'k9#vQ2!mZ7@pL',
    'Der Nebel kommt um vier',
    'パスワードではない長い文句です',
    'J8fhq02kd8Ghs1',
    'seven purple rivers turn '.repeat(10),
  ])('%s is not', async (password) => {
    expect(await whyGuessable(password, names, estimate)).toBeUndefined();
  });
  test('is estimated in a thread of its own', async () => {
    expect(await whyGuessable('Ada1815Lovelace', names)).toMatch(/^It /);
    expect(await whyGuessable('correct horse battery staple', names)).toBeUndefined();
  });

  test('has 12 to 256 characters, counted as a person would', () => {
    for (const [password, fits] of [
      ['elevenchars', false],
      ['twelve chars', true],
      ['🙂'.repeat(11), false],
      ['🙂'.repeat(12), true],
      ['x'.repeat(256), true],
      ['x'.repeat(257), false],
      ['with a \u0000 in it', false],
    ] as const) {
      expect([password, NewPassword.safeParse(password).success]).toEqual([password, fits]);
    }
  });
});

test('an e-mail address is one name however it is typed', () => {
  expect(Email.parse('  Ada@Example.ORG ')).toBe('ada@example.org');
  for (const none of ['', 'ada', '@example.org', 'ada@', 'a b@example.org', 'a@b@c'])
    expect(Email.safeParse(none).success).toBe(false);
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, ' +
      'like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chromium/140.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, ' +
      'like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1',
    'Chrome on iOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, ' +
      'like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15',
    'Firefox on iOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, ' +
      'like Gecko) Version/18.0 EdgiOS/140.0.0.0 Mobile/15E148 Safari/605.1.15',
    'Edge on iOS',
  ],
  ['<script>alert(1)</script>', 'Unknown browser'],
  ['', 'Unknown browser'],
])('%s is told as %s', (userAgent, name) => expect(browserName(userAgent)).toBe(name));

test('after signing in nobody is led away', () => {
  for (const away of [
    'https://evil.test',
    '//evil.test',
    '/\\evil.test',
    '/studio/../..//evil.test\n',
    '/login',
    '/join/short',
    `/join/${'a'.repeat(43)}/x`,
    '/api/v1/session',
    'javascript:alert(1)',
  ])
    expect([away, ownPath(away)]).toEqual([away, '/studio']);
  expect(ownPath('/join')).toBe('/join');
  expect(loginPath({ path: '/studio/runs/r1', search: 'x=1' })).toBe(
    '/login?next=%2Fstudio%2Fruns%2Fr1%3Fx%3D1',
  );
});
