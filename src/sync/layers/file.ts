import { z } from 'zod';
import { CaseUid } from '../../shared/domain/uid.ts';
import { Commitment, ParticipantId, RoundId } from '../../shared/domain/round.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { DamagedChangeError, LAYERS_SCHEMA, type SealedChange, unseal } from '../change.ts';
import { layerStream } from '../register.ts';
import { appliedRegister } from '../status.ts';
import { committedLayer, type LayerChange } from './committed.ts';

/** A layer as a file: carried where no network is, and of use only whole. */
export const LayerFile = z.strictObject({
  format: z.literal('evidence-studio layer 1'),
  case_uid: CaseUid,
  round_id: RoundId,
  recorder: ParticipantId,
  commitment: Commitment,
  changes: z.array(z.strictObject({ id: z.string().max(100), change: z.string() })).max(100_000),
});
export type LayerFile = z.infer<typeof LayerFile>;

export type LayerFileCode = 'malformed' | 'damaged_change' | 'other_layer' | 'does_not_fit';
const MESSAGES: Readonly<Record<LayerFileCode, string>> = {
  malformed: 'This is no file of a layer.',
  damaged_change: 'A change in the file is damaged.',
  other_layer: 'The file holds something that is not of this layer.',
  does_not_fit: 'The changes in the file are not those that the recorder committed to.',
};
export class LayerFileError extends Error {
  override name = 'LayerFileError';
  readonly code: LayerFileCode;
  /** The change it is about, where it is about one. */
  readonly place: number | undefined;
  constructor(code: LayerFileCode, place?: number) {
    super(MESSAGES[code]);
    this.code = code;
    this.place = place;
  }
}

/** A sealed change of a layer, as `committed.ts` takes it. */
export const layerChangeOf = (
  { id, change }: SealedChange,
  schema = LAYERS_SCHEMA,
): LayerChange => ({
  id,
  hlc: change.hlc,
  entries: change.entries.map(({ parents, value }, index) => ({
    parents,
    value,
    register: appliedRegister(change, index, schema),
  })),
});

/**
 * The changes of a layer from a file. Throws LayerFileError unless each is sound, all are of the
 * layer that the file names, and the commitment fits them.
 */
export function readLayerFile(
  file: unknown,
  hasher: Hasher,
): LayerFile & { sealed: SealedChange[] } {
  const parsed = LayerFile.safeParse(file);
  if (!parsed.success) throw new LayerFileError('malformed');
  const { case_uid, round_id: round, recorder, commitment, changes } = parsed.data;
  const stream = layerStream({ case: case_uid, round, recorder });
  const sealed = changes.map(({ id, change }, place) => {
    let one: SealedChange;
    try {
      one = unseal(id, change, hasher);
    } catch (error) {
      if (!(error instanceof DamagedChangeError)) throw error;
      throw new LayerFileError('damaged_change', place);
    }
    if (one.change.case !== stream) throw new LayerFileError('other_layer', place);
    return one;
  });
  const read = sealed.map((one) => layerChangeOf(one));
  const other = read.findIndex(({ entries }) =>
    entries.some(({ register }) => register === undefined),
  );
  if (other >= 0) throw new LayerFileError('other_layer', other);
  if (committedLayer([commitment], read).fit !== 'fits') throw new LayerFileError('does_not_fit');
  return { ...parsed.data, sealed };
}
