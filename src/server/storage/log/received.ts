import type { UserId } from '../../../shared/contract/ids.ts';
import type { Sender } from '../../../shared/domain/sender.ts';

/** An author's clock that differs from ours by more than this is pointed out, ms. */
const CLOCK_DIFFERS = 5 * 60_000;

/** The columns of a `ReceivedRow`, of `changes` with the `users` of `actor` beside it. */
export const RECEIPT = [
  'wall',
  'received_at',
  'relayed',
  'actor',
  'sent_by',
  'users.name as sender',
] as const;

export interface ReceivedRow {
  wall: string;
  received_at: string;
  relayed: number;
  actor: UserId;
  sent_by: string | null;
  /** Name of the user `actor`, where this store knows it. */
  sender: string | null;
}

/**
 * The author's clock as RFC 3339 UTC, or the time of receipt where that clock cannot be written so.
 */
export function when(wall: string, receivedAt: string): string {
  const ms = Date.parse(wall);
  const iso = Number.isNaN(ms) ? receivedAt : new Date(ms).toISOString();
  return /^\d{4}-/.test(iso) ? iso : receivedAt;
}

/**
 * What this store says of how a change came: when by both clocks, and who brought it, which may be
 * another than its author (`relayed`).
 */
export function receiptOf({ wall, received_at, relayed, actor, sent_by, sender }: ReceivedRow): {
  at: string;
  received_at: string;
  clock_differs: boolean;
  sent_by: Sender | null;
  relayed: boolean;
} {
  const apart = Math.abs(Date.parse(wall) - Date.parse(received_at));
  // Before senders were noted, only those of relayed changes are known, and not their keys.
  const known =
    relayed === 1 ? { user_id: actor, name: sender, key_id: null, key_name: null } : null;
  return {
    at: when(wall, received_at),
    received_at,
    clock_differs: !(apart <= CLOCK_DIFFERS),
    sent_by: sent_by === null ? known : (JSON.parse(sent_by) as Sender),
    relayed: relayed === 1,
  };
}
