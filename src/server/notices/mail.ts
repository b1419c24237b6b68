import type { NoticeSettings } from '../context/deps.ts';
import { ANSWER_MS } from './looking.ts';

export interface Digest {
  to: string;
  /** The address of the studio, for whoever reads it. */
  url: string;
  threads: number;
  /** Items and rules that are assigned to them. */
  places: number;
  cases: number;
  /** Names the letter, so that one that is sent twice is known for one. */
  id: string;
}

const plural = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`;

/** It names no case and quotes nobody: letters are read on their way. */
function textOf({ url, threads, places, cases }: Digest): string {
  return [
    'In Evidence Studio waits for you:',
    '',
    ...(threads === 0 ? [] : [`- ${plural(threads, 'thread', 'threads')} of discussion`]),
    ...(places === 0
      ? []
      : [`- ${plural(places, 'assigned item or rule', 'assigned items and rules')}`]),
    ...(cases === 0 ? [] : [`- suggestions to be decided in ${plural(cases, 'case', 'cases')}`]),
    '',
    `${url}/studio`,
    '',
    'You asked for these e-mails. To end them: Account, Notices.',
    '',
  ].join('\n');
}

/** Hands a letter to the relay; rejects where that does not take it. */
export async function sendDigest(
  digest: Digest,
  { relay, from }: NonNullable<NoticeSettings['mail']>,
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(relay, { disableFileAccess: true, disableUrlAccess: true });
  const over = AbortSignal.timeout(ANSWER_MS);
  over.addEventListener('abort', () => transport.close());
  try {
    await transport.sendMail({
      from,
      to: digest.to,
      subject: 'Something waits for you in Evidence Studio',
      text: textOf(digest),
      messageId: `<${digest.id}@${new URL(digest.url).hostname}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } finally {
    transport.close();
  }
}
