import { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { BODY_LIMIT } from '../../../../shared/contract/endpoint.ts';
import { placeInWords, reasonOf } from './words.ts';
import { t } from '../../../text/t.ts';

export interface Fault {
  place: string;
  message: string;
}

/**
 * What a file holds: a profile; something that can be mended in the editor; or nothing to work
 * with.
 */
export type ReadProfile =
  | { kind: 'profile'; document: ProfileDocument }
  | { kind: 'faulty'; content: unknown; faults: readonly Fault[]; more: number }
  | { kind: 'unreadable'; message: string };

const SHOWN_FAULTS = 50;
const unreadable = (message: string): ReadProfile => ({ kind: 'unreadable', message });

/**
 * Number of colons outside strings, which is the number of members written. Only for text that
 * JSON.parse has accepted.
 */
function membersWritten(text: string): number {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1;
}

function membersKept(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce((sum: number, entry) => sum + membersKept(entry), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, entry) => sum + 1 + membersKept(entry), 0);
}

/** "position 120" of the parser as a line and a column. */
function syntaxFault(error: unknown, text: string): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (position === undefined) return t('The file is not JSON, or it is cut short.');
  const before = text.slice(0, Number(position)).split('\n');
  return t('The file is not JSON: something is wrong at line {line}, column {column}.', {
    line: before.length,
    column: (before.at(-1) ?? '').length + 1,
  });
}

/**
 * Reads a profile from the bytes of a file. Nothing is guessed: what is not exactly a profile is
 * listed place by place.
 */
export function readProfile(bytes: Uint8Array): ReadProfile {
  if (bytes.length > BODY_LIMIT)
    return unreadable(
      t('The file is larger than {most} MiB, which no profile may be.', {
        most: BODY_LIMIT / 2 ** 20,
      }),
    );
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return unreadable(t('The file is not UTF-8 text.'));
  }
  if (text.trim() === '') return unreadable(t('The file is empty.'));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return unreadable(syntaxFault(error, text));
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return unreadable(t('The file holds JSON, but not the object that a profile is.'));
  const checked = ProfileDocument.safeParse(content);
  const faults = checked.success
    ? []
    : checked.error.issues.map((issue) => ({
        place: placeInWords(issue.path),
        message: reasonOf(issue),
      }));
  if (membersWritten(text) !== membersKept(content))
    faults.push({
      place: t('The document'),
      message: t('A field is twice in one object; only the last of the two was read.'),
    });
  if (checked.success && faults.length === 0) return { kind: 'profile', document: checked.data };
  return {
    kind: 'faulty',
    content,
    faults: faults.slice(0, SHOWN_FAULTS),
    more: Math.max(0, faults.length - SHOWN_FAULTS),
  };
}
