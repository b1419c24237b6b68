import { openData } from '../open-data.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { BlobCopy } from '../storage/runs/outside-copies.ts';
import { type CliCommand, CommandError, text } from './command.ts';

const TOLD_EACH = 1_000;

export const blobsBack: CliCommand = {
  name: 'blobs back',
  summary:
    'Bring the blobs that EVIDENCE_STUDIO_BLOBS keeps outside back into the database, while no server runs',
  arguments: [],
  options: { 'take-damaged': { type: 'boolean' } },
  help: {
    'take-damaged':
      'also give up those that are damaged or missing outside: their runs stay damaged',
  },
  async run({ values, print, signal }) {
    await using data = await openData(text(values.data));
    const { store } = data;
    const { configured } = await store.read((reader) => reader.runs.blobPlaces(), EVERY_ACCOUNT);
    if (configured === undefined)
      throw new CommandError(
        'EVIDENCE_STUDIO_BLOBS is not set: it says from where the blobs are brought back.',
      );
    const takeDamaged = values['take-damaged'] === true;
    let after: BlobCopy | undefined;
    let [moved, told] = [0, 0];
    const damaged: string[] = [];
    do {
      const at: BlobCopy | undefined = after;
      const step = await store.transact(
        (writer) => writer.runWrites.bringBlobsBack({ takeDamaged }, at),
        EVERY_ACCOUNT,
      );
      moved += step.moved;
      damaged.push(...step.damaged.map(({ sha256 }) => sha256));
      after = step.next;
      if (moved - told >= TOLD_EACH) console.error(`${(told = moved)} blobs are in the database.`);
    } while (after !== undefined && !signal.aborted);
    const { outside } = await store.read((reader) => reader.runs.countBlobs(), EVERY_ACCOUNT);
    print(
      [
        `${moved} blobs were brought back from ${configured}; ${outside} are still outside.`,
        ...damaged.map((name) => `  damaged or missing: ${name}`),
        outside === 0
          ? 'Take EVIDENCE_STUDIO_BLOBS away now: a server that has it moves them out again.'
          : 'A server needs EVIDENCE_STUDIO_BLOBS until none is. What is damaged or missing there is brought back by --take-damaged alone.',
      ].join('\n'),
      { moved, outside, damaged, place: configured },
    );
    return outside === 0 && damaged.length === 0 ? 0 : 1;
  },
};
