import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/server/storage/open.ts';
import { testPorts } from '../../contract/world.ts';
import { findProgram } from '../../support/find-program.ts';
import { freePort, type RunningPostgres, startPostgres } from '../../support/postgres.ts';

const openssl = findProgram({
  variable: 'OPENSSL_PATH',
  places: () => ['/usr/bin/openssl', '/usr/local/bin/openssl'],
  debian: 'openssl',
});

/** Who may come in how. */
const HBA = [
  'hostssl all tls_only 127.0.0.1/32 trust',
  'host all tls_only 127.0.0.1/32 reject',
  'host all with_password 127.0.0.1/32 scram-sha-256',
  'host all kept_out 127.0.0.1/32 reject',
  'host all all 127.0.0.1/32 trust',
];

describe.skipIf(openssl === undefined)('a connection to PostgreSQL', () => {
  let folder: string;
  let own: RunningPostgres;
  let expired: RunningPostgres;
  let plain: RunningPostgres;
  const file = (name: string): string => path.join(folder, name);

  /** A certificate that vouches for itself; with days that are over, one that has expired. */
  function certify(name: string, days: number): readonly string[] {
    const run = (...args: string[]): unknown => execFileSync(openssl!, args, { stdio: 'pipe' });
    writeFileSync(
      file('extensions'),
      'subjectAltName=IP:127.0.0.1\nbasicConstraints=critical,CA:TRUE\n',
    );
    run(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=127.0.0.1',
      '-keyout',
      file(`${name}.key`),
      '-out',
      file(`${name}.csr`),
    );
    run(
      'x509',
      '-req',
      '-in',
      file(`${name}.csr`),
      '-signkey',
      file(`${name}.key`),
      '-days',
      String(days),
      '-extfile',
      file('extensions'),
      '-out',
      file(`${name}.pem`),
    );
    chmodSync(file(`${name}.key`), 0o600);
    chmodSync(file(`${name}.pem`), 0o644);
    if (process.getuid?.() === 0) execFileSync('chown', ['nobody', file(`${name}.key`)]);
    return [
      'ssl=on',
      `ssl_cert_file=${file(`${name}.pem`)}`,
      `ssl_key_file=${file(`${name}.key`)}`,
    ];
  }

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'evidence-tls-'));
    chmodSync(folder, 0o755);
    writeFileSync(file('hba'), `${HBA.join('\n')}\n`, { mode: 0o644 });
    const own_settings = certify('own', 2);
    const old_settings = certify('old', -1);
    certify('stranger', 2);
    [own, expired, plain] = await Promise.all([
      startPostgres({ settings: [...own_settings, `hba_file=${file('hba')}`] }),
      startPostgres({ settings: old_settings }),
      startPostgres(),
    ]);
    const client = new pg.Client({ connectionString: own.url });
    await client.connect();
    for (const role of ['tls_only', 'kept_out'])
      await client.query(`CREATE ROLE ${role} LOGIN SUPERUSER`);
    await client.query("CREATE ROLE with_password LOGIN SUPERUSER PASSWORD 'right'");
    await client.end();
  }, 60_000);
  afterAll(async () => {
    await Promise.all([own, expired, plain].map((server) => server?.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  function address(
    { url }: { url: string },
    { user, host, database, ...query }: Record<string, string> = {},
  ): string {
    const changed = new URL(url);
    [changed.username, changed.password] = (user ?? changed.username).split(':') as [
      string,
      string,
    ];
    changed.hostname = host ?? changed.hostname;
    changed.pathname = database ?? changed.pathname;
    for (const [name, value] of Object.entries(query)) changed.searchParams.set(name, value);
    return changed.href;
  }
  const said = async (url: string): Promise<string> => {
    try {
      await (await openStore({ kind: 'postgres', url }, testPorts())).close();
      return 'opened';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is made over TLS to the server whose authority is named, or that is told to check nothing', async () => {
    expect(await said(address(own, { sslmode: 'verify-full', sslrootcert: file('own.pem') }))).toBe(
      'opened',
    );
    expect(
      await said(
        address(own, { user: 'tls_only', sslmode: 'verify-full', sslrootcert: file('own.pem') }),
      ),
    ).toBe('opened');
    expect(await said(address(own, { sslmode: 'no-verify' }))).toBe('opened');
    expect(await said(address(own, { user: 'with_password:right' }))).toBe('opened');
  });

  it('that cannot be made is told apart, in a sentence without the address', async () => {
    const full = { sslmode: 'verify-full' };
    const nobody = { url: `postgres://me:hunter2@127.0.0.1:${await freePort()}/x` };
    const sentences: [string, string][] = [
      [address(own, full), 'an authority that is not trusted'],
      [
        address(own, { ...full, sslrootcert: file('stranger.pem') }),
        'an authority that is not trusted',
      ],
      [
        address(own, { ...full, host: 'localhost', sslrootcert: file('own.pem') }),
        'for another name',
      ],
      [address(expired, { ...full, sslrootcert: file('old.pem') }), 'has expired'],
      [address(plain, full), 'speaks no TLS'],
      [
        address(own, { ...full, sslrootcert: file('nothing.pem') }),
        'A file that DATABASE_URL names',
      ],
      [address(own, { user: 'tls_only' }), 'over TLS alone'],
      [address(own, { user: 'kept_out', sslmode: 'no-verify' }), 'does not let the user'],
      [address(own, { user: 'with_password:wrong' }), 'refuses the password'],
      [address(own, { database: 'none' }), 'no database of the name'],
      [nobody.url, 'nothing listens'],
      [address(nobody, { host: 'database.invalid' }), 'cannot be reached: '],
    ];
    for (const [url, sentence] of sentences) {
      const why = await said(url);
      expect(why, url).toContain(sentence);
      expect(why).not.toMatch(/hunter2|wrong|127\.0\.0\.1|database\.invalid/);
    }
  });
});
