import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram } from './find-program.ts';

export interface Certificate {
  cert: string;
  key: string;
}

export function findOpenssl(): string | undefined {
  return findProgram({
    variable: 'OPENSSL_PATH',
    places: () => ['/usr/bin/openssl', '/usr/local/bin/openssl'],
    debian: 'openssl',
  });
}

/** A certificate for a host, signed by itself. */
export function selfSigned(host: string): Certificate {
  const openssl = findOpenssl();
  if (openssl === undefined)
    throw new Error('openssl is missing: install it, or name it in OPENSSL_PATH.');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'certificate-'));
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const subject = ['-days', '2', '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  try {
    execFileSync(
      openssl,
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        ...subject,
        '-keyout',
        key,
        '-out',
        cert,
      ],
      { stdio: 'pipe' },
    );
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
