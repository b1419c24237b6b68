import { chmodSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deps } from '../context/deps.ts';
import { createFile, hasCode, replaceFile } from './atomic-file.ts';

/** Secret that API keys are stored under. Bytes. */
const LENGTH = 32;

/** A key store of the operating system, if it really protects something. */
export interface SecretStore {
  seal(secret: string): Promise<Uint8Array>;
  /** `again`: the key store asks that the secret be sealed once more. */
  open(sealed: Uint8Array): Promise<{ secret: string; again: boolean }>;
}

export interface HmacSecret {
  bytes: Uint8Array;
  /** Why existing API keys cannot be checked in this session, in one sentence, or null. */
  problem: string | null;
}

/** Thrown where only the desktop application can open the folder's secret. */
export class SealedSecretError extends Error {
  override name = 'SealedSecretError';
  readonly code = 'secret_sealed';
  constructor() {
    super(
      "The API keys of this data folder are protected by the system's key store: create them in the desktop application, under Account.",
    );
  }
}

function parseSecret(text: string, name = 'pepper.key'): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text.trim(), 'base64url'));
  if (bytes.length !== LENGTH)
    throw new Error(`The secret for API keys (${name}) does not have its 32 bytes.`);
  return bytes;
}

/**
 * A secret that the operator has made, for instances that share no folder. The file may be mounted,
 * so its mode is not checked.
 */
export function readSecret(file: string): HmacSecret {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error('The file that EVIDENCE_STUDIO_SECRET_FILE names cannot be read.', {
      cause: error,
    });
  }
  return { bytes: parseSecret(text, 'EVIDENCE_STUDIO_SECRET_FILE'), problem: null };
}

function readClear(file: string): Uint8Array {
  const facts = lstatSync(file);
  if (!facts.isFile())
    throw new Error('The secret for API keys (pepper.key) is not an ordinary file.');
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) chmodSync(file, 0o600);
  return parseSecret(readFileSync(file, 'utf8'));
}

async function openSealed(
  file: string,
  secretStore: SecretStore,
  random: Deps['random'],
): Promise<HmacSecret> {
  try {
    const { secret, again } = await secretStore.open(readFileSync(file));
    const bytes = parseSecret(secret);
    const sealed = again ? await secretStore.seal(secret).catch(() => undefined) : undefined;
    if (sealed !== undefined) replaceFile(file, sealed);
    return { bytes, problem: null };
  } catch {
    // The file is kept: a key store that is locked today may open tomorrow.
    return {
      bytes: random.bytes(LENGTH),
      problem:
        "The system's key store did not open: API keys are refused until it does, and keys created now will stop working then.",
    };
  }
}

/**
 * The folder's secret, made at first use: sealed by the system's key store where there is one, else
 * in a file that only its owner can read.
 */
export async function loadHmacSecret(
  folder: string,
  random: Deps['random'],
  secretStore: SecretStore | undefined,
): Promise<HmacSecret> {
  const sealedFile = path.join(folder, 'pepper.sealed');
  const clearFile = path.join(folder, 'pepper.key');
  if (existsSync(sealedFile)) {
    if (secretStore === undefined) throw new SealedSecretError();
    return openSealed(sealedFile, secretStore, random);
  }
  if (existsSync(clearFile)) return { bytes: readClear(clearFile), problem: null };
  const bytes = Uint8Array.from(random.bytes(LENGTH));
  const secret = Buffer.from(bytes).toString('base64url');
  const sealed = await secretStore?.seal(secret).catch(() => undefined);
  try {
    if (sealed === undefined) createFile(clearFile, `${secret}\n`);
    else createFile(sealedFile, sealed);
  } catch (error) {
    // Another process was faster; its secret is used.
    if (hasCode(error, 'EEXIST')) return loadHmacSecret(folder, random, secretStore);
    return {
      bytes,
      problem: 'The data folder takes no writes, so API keys of this session end with it.',
    };
  }
  return { bytes, problem: null };
}
