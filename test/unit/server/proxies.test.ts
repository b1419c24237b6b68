import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/server/config/config.ts';
import { createProxies } from '../../../src/server/http/proxies.ts';

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

describe('the client of a request', () => {
  const proxies = createProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
  it.each<[string, string, string | undefined, string]>([
    ['nobody says anything', '203.0.113.9', undefined, '203.0.113.9'],
    ['a stranger says anything', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy says nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['a proxy says who', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['two proxies say who', '127.0.0.1', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
    [
      'the client wrote something before',
      '127.0.0.1',
      '198.51.100.1, 127.0.0.1, 203.0.113.9',
      '203.0.113.9',
    ],
    ['only proxies are named', '127.0.0.1', '10.9.9.9', '10.9.9.9'],
    ['nonsense is named', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['nonsense stands before a proxy', '127.0.0.1', "'; DROP TABLE, 10.1.2.3", '10.1.2.3'],
    ['an IPv4 address comes as IPv6', '::ffff:127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['a proxy has an IPv6 address', 'fd00::1', '2001:db8::9', '2001:db8::9'],
    ['the header is empty', '10.0.0.1', '', '10.0.0.1'],
    ['tabs stand between the hops', '127.0.0.1', '203.0.113.9\t,\t10.1.2.3', '203.0.113.9'],
    ['an address has a short form', '127.0.0.1', '203.0.113.9, 10.1', '127.0.0.1'],
    ['an IPv6 address has a zone', 'fd00::1', 'fe80::9%eth0', 'fe80::9%eth0'],
    ['a hop names its port', '127.0.0.1', '203.0.113.9:4711', '127.0.0.1'],
  ])('where %s', (_, remote, forwarded, client) =>
    expect(proxies.clientOf(request(remote, forwarded))).toBe(client),
  );

  it.each([
    ['2001:db8:0:1::/64', '2001:db8:0:1:ffff::9', true],
    ['2001:db8:0:1::/64', '2001:db8:0:2::9', false],
    ['10.1.2.3', '10.1.2.4', false],
    ['10.1.2.3/32', '::ffff:10.1.2.3', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::9', false],
    ['::/0', '2001:db8::9', true],
    ['::/0', '203.0.113.9', true],
    ['::/0', 'nonsense', false],
  ])('of %s has %s: %s', (network, address, expected) =>
    expect(createProxies([network]).has(address)).toBe(expected),
  );

  it('is the end of the connection where no proxy is trusted', () =>
    expect(createProxies([]).clientOf(request('127.0.0.1', '203.0.113.9'))).toBe('127.0.0.1'));
});

describe('the list', () => {
  it('is read from the environment', () =>
    expect(
      readConfig({ EVIDENCE_STUDIO_TRUSTED_PROXIES: ' 127.0.0.1, 10.0.0.0/8,::1 ' }).trustedProxies,
    ).toEqual(['127.0.0.1', '10.0.0.0/8', '::1']));
  it.each(['*', 'true', '10.0.0.0/33', '10.0.0/8', 'proxy.example', '10.0.0.0/8/8', '10.0.0.0/'])(
    'refuses %s',
    (list) =>
      expect(() => readConfig({ EVIDENCE_STUDIO_TRUSTED_PROXIES: list })).toThrow(
        /EVIDENCE_STUDIO_TRUSTED_PROXIES/,
      ),
  );
  it('is needed where proxies keep accounts together', () => {
    const sticky = { EVIDENCE_STUDIO_STICKY_ACCOUNTS: 'on' };
    expect(() => readConfig(sticky)).toThrow(/EVIDENCE_STUDIO_TRUSTED_PROXIES/);
    const named = { ...sticky, EVIDENCE_STUDIO_TRUSTED_PROXIES: '127.0.0.1' };
    expect(readConfig(named).stickyAccounts).toBe(true);
    expect(readConfig({}).stickyAccounts).toBe(false);
  });
});
