import { z } from 'zod';
import { ParticipantId, RoundId } from './round.ts';
import { CaseUid } from './uid.ts';

/** A change by its id, as the text that was hashed. */
const CarriedChange = z.strictObject({
  id: z.string().max(64),
  change: z.string().max(512 * 1024),
});

/** Largest file of a layer, in bytes; so much is taken in one request. */
export const LAYER_FILE_BYTES = 8 * 1024 * 1024;

/**
 * A layer as a file: carried where no network is, and of use only whole. `done` is the change by
 * which its recorder committed to `changes`.
 */
export const LayerFile = z.strictObject({
  format: z.literal('evidence-studio layer 1'),
  case_uid: CaseUid,
  round_id: RoundId,
  recorder: ParticipantId,
  done: CarriedChange,
  changes: z.array(CarriedChange).max(20_000),
});
export type LayerFile = z.infer<typeof LayerFile>;
