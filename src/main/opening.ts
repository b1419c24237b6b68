import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeHasher } from '../server/instance/hasher.ts';
import { pageAddress } from '../shared/contract/page-addresses.ts';
import { verifyRun } from '../shared/domain/run.ts';
import { CaseUid, ProfileUid, RunUid } from '../shared/domain/uid.ts';
import type { ElectronLike, MessageBox } from './electron-like.ts';
import { parseUrl } from './origin.ts';
import { say } from './say.ts';

/** Scheme of links from other programs into the studio. They lead to a page and do nothing. */
const SCHEME = 'evidence-studio:';
const MAX_LINK = 512;
/** Frozen runs as files; a run downloaded as `.json` is checked once it is named so. */
const RUN_FILE = /\.evidence-run(?:\.json)?$/i;
const MAX_FILE = 256 * 1024 * 1024;

/** What another program asks to be shown. */
export type ToShow = { page: string } | { file: string };

function lastPart(url: URL): string | undefined {
  const [, part, ...more] = url.pathname.split('/');
  if (part === undefined || more.length > 0 || url.search !== '' || url.hash !== '')
    return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The page that a link names, or undefined for a link of any other form. */
export function pageOfLink(link: string): string | undefined {
  const url = link.length <= MAX_LINK ? parseUrl(link) : undefined;
  if (url?.protocol !== SCHEME || url.username !== '' || url.password !== '' || url.port !== '')
    return undefined;
  const uid = lastPart(url);
  const run = url.host === 'runs' ? RunUid.safeParse(uid).data : undefined;
  if (run !== undefined) return pageAddress('run', { runUid: run });
  const profile = url.host === 'profiles' ? ProfileUid.safeParse(uid).data : undefined;
  if (profile !== undefined) return pageAddress('profile', { profileUid: profile });
  const found = url.host === 'cases' ? CaseUid.safeParse(uid).data : undefined;
  return found === undefined ? undefined : pageAddress('case', { caseUid: found });
}

function runFile(argument: string, folder: string): string | undefined {
  if (!RUN_FILE.test(argument) || argument.includes('\0')) return undefined;
  if (!argument.startsWith('file:')) return path.resolve(folder, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return undefined;
  }
}

/**
 * The first thing to show among the words of a start. They come from anywhere: a switch is never
 * one, and a link leads to a page of the studio or nowhere.
 */
export function openingIn(argv: readonly string[], folder: string): ToShow | undefined {
  for (const argument of argv) {
    if (argument.startsWith('-')) continue;
    const page = pageOfLink(argument);
    if (page !== undefined) return { page };
    const file = runFile(argument, folder);
    if (file !== undefined) return { file };
  }
  return undefined;
}

async function readRun(file: string): Promise<unknown> {
  if ((await stat(file)).size > MAX_FILE) throw new Error('too large');
  return JSON.parse(await readFile(file, 'utf8'));
}

async function verdictOn(file: string): Promise<Omit<MessageBox, 'buttons'>> {
  const name = path.basename(file);
  let document: unknown;
  try {
    document = await readRun(file);
  } catch {
    return { type: 'warning', message: say('The file {name} cannot be read as a run.', { name }) };
  }
  const { valid_document, content_hash, recomputed } = verifyRun(document, nodeHasher);
  if (!valid_document)
    return { type: 'warning', message: say('The file {name} is not a frozen run.', { name }) };
  if (!content_hash.ok)
    return {
      type: 'error',
      message: say('The run in {name} is not what was frozen.', { name }),
      detail: say('Its content does not match its hash {hash}.', {
        hash: content_hash.stated ?? '',
      }),
    };
  if (!recomputed.ok)
    return {
      type: 'error',
      message: say('The result in {name} does not follow from its evidence.', { name }),
      detail: say('Its content matches its hash, but computing the result again gives another.'),
    };
  return {
    type: 'info',
    message: say('The run in {name} is as it was frozen.', { name }),
    detail: `${say(
      'Its content matches the hash {hash}, and its result was computed again: equal.',
      {
        hash: content_hash.stated ?? '',
      },
    )}\n\n${say('A result states evidence sufficiency under one profile, never truth.')}`,
  };
}

/** Checks a frozen run that lies in a file, and says how it is. Nothing is stored. */
export async function showVerdict(dialog: ElectronLike['dialog'], file: string): Promise<void> {
  await dialog.showMessageBox({ ...(await verdictOn(file)), buttons: ['OK'] });
}
