/** A time-stamp authority: `openssl ts -reply` behind a real HTTP server. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from './find-program.ts';

export const OPENSSL = findProgram({
  variable: 'EVIDENCE_TEST_OPENSSL',
  places: () => ['/usr/bin/openssl', '/usr/local/bin/openssl'],
  debian: 'openssl',
});

export const POLICY = '1.2.3.4.1';
const CONFIG = (folder: string): string => `
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[middle]
basicConstraints = critical, CA:true, pathlen:0
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[stamper]
basicConstraints = critical, CA:false
extendedKeyUsage = critical, timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[other]
basicConstraints = critical, CA:false
extendedKeyUsage = critical, codeSigning
[tsa]
default_tsa = config
[config]
serial = ${folder}/serial
crypto_device = builtin
signer_cert = ${folder}/stamper.pem
certs = ${folder}/chain.pem
signer_key = ${folder}/stamper.key
signer_digest = sha256
default_policy = ${POLICY}
other_policies = 1.2.3.4.2
digests = sha256, sha512
ess_cert_id_alg = sha256
`;

/** What an authority does with the next request; \`bytes\` is sent as it is. */
type Behaviour =
  | 'stamp'
  | 'silent'
  | { status: number }
  | { type: string }
  | { bytes: (honest: Buffer, query: Buffer) => Buffer };

export interface Authority extends AsyncDisposable {
  url: string;
  folder: string;
  /** The file with the certificate that is trusted, and its content. */
  caFile: string;
  ca: string;
  /** How the next requests are answered; an honest time-stamp once there is none. */
  next: Behaviour[];
  /** The requests that came. */
  asked: Buffer[];
  /** What \`openssl ts -reply\` answers to a request. */
  reply(query: Buffer): Buffer;
  /** Signs a TSTInfo by a certificate that is none for time-stamps, or without naming it. */
  forge(token: Buffer, how: 'purpose' | 'unnamed'): Buffer;
  /** Whether Debian's openssl takes a token for one over a file. */
  accepts(file: Buffer, token: Buffer): boolean;
}

function openssl(...args: string[]): Buffer {
  return execFileSync(OPENSSL as string, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

function makeKeys(folder: string): void {
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('openssl.cnf'), CONFIG(folder));
  writeFileSync(at('serial'), '01\n');
  const issue = (name: string, by: string | undefined, part = name): void => {
    openssl(
      'genpkey',
      '-algorithm',
      'EC',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-out',
      at(`${name}.key`),
    );
    openssl(
      'req',
      '-new',
      '-config',
      at('openssl.cnf'),
      '-subj',
      `/O=Test/CN=${name}`,
      '-key',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
    );
    const signed =
      by === undefined
        ? ['-signkey', at(`${name}.key`)]
        : ['-CA', at(`${by}.pem`), '-CAkey', at(`${by}.key`), '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      ...signed,
      '-days',
      '3650',
      '-extfile',
      at('openssl.cnf'),
      '-extensions',
      part,
      '-out',
      at(`${name}.pem`),
    );
  };
  issue('root', undefined);
  issue('middle', 'root');
  issue('stamper', 'middle');
  issue('other', 'middle');
  writeFileSync(at('chain.pem'), readFileSync(at('middle.pem')));
}

export async function startAuthority(): Promise<Authority> {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-authority-'));
  mkdirSync(path.join(folder, 'work'));
  makeKeys(folder);
  const at = (name: string): string => path.join(folder, name);
  const work = (name: string): string => path.join(folder, 'work', name);
  const next: Behaviour[] = [];
  const asked: Buffer[] = [];
  const reply = (query: Buffer): Buffer => {
    writeFileSync(work('query'), query);
    return openssl('ts', '-reply', '-config', at('openssl.cnf'), '-queryfile', work('query'));
  };
  const server = createServer((req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (piece: Buffer) => pieces.push(piece));
    req.on('end', () => {
      const query = Buffer.concat(pieces);
      asked.push(query);
      const how = next.shift() ?? 'stamp';
      if (how === 'silent') return;
      if (typeof how === 'object' && 'status' in how) return void res.writeHead(how.status).end();
      const honest = reply(query);
      const type =
        typeof how === 'object' && 'type' in how ? how.type : 'application/timestamp-reply';
      const bytes = typeof how === 'object' && 'bytes' in how ? how.bytes(honest, query) : honest;
      res.writeHead(200, { 'content-type': type }).end(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    folder,
    caFile: at('root.pem'),
    ca: readFileSync(at('root.pem'), 'utf8'),
    next,
    asked,
    reply,
    forge(token, how) {
      writeFileSync(work('token'), token);
      openssl(
        'cms',
        '-verify',
        '-inform',
        'DER',
        '-in',
        work('token'),
        '-noverify',
        '-out',
        work('info'),
      );
      const by = how === 'purpose' ? 'other' : 'stamper';
      const named = how === 'purpose' ? ['-cades'] : [];
      return openssl(
        'cms',
        '-sign',
        '-binary',
        '-nodetach',
        ...named,
        '-econtent_type',
        '1.2.840.113549.1.9.16.1.4',
        '-md',
        'sha256',
        '-in',
        work('info'),
        '-signer',
        at(`${by}.pem`),
        '-inkey',
        at(`${by}.key`),
        '-certfile',
        at('middle.pem'),
        '-outform',
        'DER',
      );
    },
    accepts(file, token) {
      writeFileSync(work('file'), file);
      writeFileSync(work('file.tst'), token);
      try {
        openssl(
          'ts',
          '-verify',
          '-data',
          work('file'),
          '-in',
          work('file.tst'),
          '-token_in',
          '-CAfile',
          at('root.pem'),
        );
        return true;
      } catch {
        return false;
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
