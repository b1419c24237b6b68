import { z } from 'zod';
import { CaseUid, known } from '../domain/uid.ts';

const MAX_OPEN = 16;
const MAX_NAMED = 20;
export const SyncEventsQuery = z.strictObject({
  open: z
    .string()
    .transform((names) => names.split(','))
    .pipe(z.array(CaseUid).max(MAX_OPEN))
    .optional()
    .describe('The cases that the person has open, joined by commas.'),
});
/**
 * Sent to those who named a case: who else has it open, by name, and how many more. It is kept in
 * no log.
 */
export const PresenceEvent = z.strictObject({
  case: known.caseUid,
  here: z.array(z.string()).max(MAX_NAMED),
  more: z.int().min(0),
});
export type PresenceEvent = z.infer<typeof PresenceEvent>;
/** What is sent of these people. */
export function presenceEvent(caseUid: CaseUid, people: ReadonlySet<string>): PresenceEvent {
  const names = [...people].sort();
  return {
    case: caseUid,
    here: names.slice(0, MAX_NAMED),
    more: Math.max(0, names.length - MAX_NAMED),
  };
}
