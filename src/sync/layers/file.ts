import type { Commitment } from '../../shared/domain/round.ts';
import { LayerFile } from '../../shared/domain/layer-file.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { DamagedChangeError, LAYERS_SCHEMA, type SealedChange, unseal } from '../change.ts';
import { layerStream } from '../register.ts';
import { appliedRegister } from '../status.ts';
import { committedLayer, type LayerChange } from './committed.ts';

/** A layer read from a file, with what its recorder committed to. */
interface CarriedLayer extends LayerFile {
  commitment: Commitment;
  sealed: SealedChange[];
}

export type LayerFileCode =
  | 'malformed'
  | 'damaged_change'
  | 'other_commitment'
  | 'other_layer'
  | 'does_not_fit';
const MESSAGES: Readonly<Record<LayerFileCode, string>> = {
  malformed: 'This is no file of a layer.',
  damaged_change: 'A change in the file is damaged.',
  other_commitment: 'The file holds no commitment of its recorder to this round.',
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

/** A change of the file; throws where it is not what its id names. */
function unsealAt(
  { id, change }: LayerFile['done'],
  hasher: Hasher,
  place: number | undefined,
): SealedChange {
  try {
    return unseal(id, change, hasher);
  } catch (error) {
    if (!(error instanceof DamagedChangeError)) throw error;
    throw new LayerFileError('damaged_change', place);
  }
}

/** What the recorder committed to, by the change that says so and nothing else. */
function commitmentIn({ case_uid, round_id, recorder, done }: LayerFile, hasher: Hasher) {
  const { change } = unsealAt(done, hasher, undefined);
  const register = appliedRegister(change, 0, LAYERS_SCHEMA);
  if (
    change.case !== case_uid ||
    change.entries.length !== 1 ||
    register?.kind !== 'done' ||
    register.round !== round_id ||
    register.recorder !== recorder
  )
    throw new LayerFileError('other_commitment');
  return change.entries[0]?.value as Commitment;
}

/**
 * The changes of a layer from a file. Throws LayerFileError unless each is sound, all are of the
 * layer that the file names, and the commitment fits them.
 */
export function readLayerFile(file: unknown, hasher: Hasher): CarriedLayer {
  const { data } = LayerFile.safeParse(file);
  if (data === undefined) throw new LayerFileError('malformed');
  const { case_uid, round_id: round, recorder, changes } = data;
  const commitment = commitmentIn(data, hasher);
  const stream = layerStream({ case: case_uid, round, recorder });
  const sealed = changes.map((one, place) => {
    const read = unsealAt(one, hasher, place);
    if (read.change.case !== stream) throw new LayerFileError('other_layer', place);
    return read;
  });
  const read = sealed.map((one) => layerChangeOf(one));
  const other = read.findIndex(({ entries }) =>
    entries.some(({ register }) => register === undefined),
  );
  if (other >= 0) throw new LayerFileError('other_layer', other);
  if (committedLayer([commitment], read).fit !== 'fits') throw new LayerFileError('does_not_fit');
  return { ...data, commitment, sealed };
}
