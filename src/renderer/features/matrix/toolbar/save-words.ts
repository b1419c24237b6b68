import type { SaveStatus } from '../../../data/port.ts';
import { plural } from '../../../state/format.ts';

export interface SaveWords {
  text: string;
  tone: 'saved' | 'busy' | 'waiting' | 'problem';
}

/** A wait that is longer is worth words of its own. */
const BRIEF = 5_000;
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

/** Where the work stands, in one line. Never says "saved" while anything waits. `now` undefined: no clock at hand. */
export function saveWords(status: SaveStatus, now: number | undefined): SaveWords {
  if (status.problem !== null) return { text: status.waiting === 0 ? status.problem : `${status.problem} ${plural(status.waiting, 'change')} not saved.`, tone: 'problem' };
  if (status.waiting === 0) {
    if (status.connection === 'offline') return { text: 'Offline, nothing waiting', tone: 'waiting' };
    return { text: status.savedAt === null ? 'No changes yet' : `Saved on this computer ${TIME.format(status.savedAt)}`, tone: 'saved' };
  }
  const waited = status.oldest === null || now === undefined ? undefined : Math.max(0, now - status.oldest);
  if (status.connection === 'online' && (waited === undefined || waited < BRIEF)) return { text: 'Saving…', tone: 'busy' };
  const oldest = status.oldest === null ? '' : waited === undefined ? `, oldest from ${TIME.format(status.oldest)}` : `, oldest ${age(waited)}`;
  return { text: `Waiting for the server, ${plural(status.waiting, 'change')}${oldest}`, tone: 'waiting' };
}
