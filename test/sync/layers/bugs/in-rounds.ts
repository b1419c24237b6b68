import { layerOf } from '../../../../src/sync/register.ts';
import { asKey, asUser } from '../../../support/ids.ts';
import type { Bug } from '../campaign.ts';
import { A, C } from '../cast.ts';
import { asBy, core, onWorld } from './plant.ts';

const NOBODY: ReadonlySet<string> = new Set();

/** Bugs of rounds: who is given what, what releases them, what counts. */
export const IN_ROUNDS: Record<string, Bug> = {
  'a-layer-is-given-to-every-recorder': core((real) => ({
    mayReadLayer: (layer, round, caller) =>
      real.mayReadLayer(layer, round, caller) ||
      round?.terms.recorders.some((recorder) => recorder === caller.id) === true,
  })),
  'one-commitment-releases': core((real) => ({
    roundOf: (...given) => {
      const round = real.roundOf(...given);
      return round !== undefined && round.commitments.size > 0
        ? { ...round, state: 'released' }
        : round;
    },
  })),
  'commitments-of-anybody-count': core((real) => ({
    roundOf: (...given) => {
      const round = real.roundOf(...given);
      return round !== undefined && round.commitments.size >= round.terms.quorum
        ? { ...round, state: 'released' }
        : round;
    },
  })),
  'a-commitment-without-effect': core((real) => ({
    roundOf: (...given) => {
      const round = real.roundOf(...given);
      return round === undefined ? undefined : { ...round, state: 'open' };
    },
  })),
  'terms-by-name-alone': core((real) => ({
    roundOf: (id, entries, hasher) =>
      real.roundOf(id, entries, {
        ...hasher,
        sha256Base64url: () => id.slice('rnd_'.length).padEnd(43, 'x'),
      }),
  })),
  'a-program-releases': asBy(/^round\/[^/]+\/state$/, () => C),
  'anybody-commits': asBy(/^round\/[^/]+\/done\//, ({ by }, reg) => {
    const recorder = reg.split('/')[3] ?? '';
    return recorder.startsWith('usr_')
      ? { ...A, user: asUser(recorder) }
      : { ...by, kind: 'agent', key: asKey(recorder) };
  }),
  'anybody-releases': core((real) => ({
    roundDenial: (register, author, caller, round) =>
      register.kind === 'round' ? undefined : real.roundDenial(register, author, caller, round),
  })),
  'a-studio-speaks-for-all': core((real) => ({
    roundDenial: (register, author, caller, round) =>
      caller.isStudio ? undefined : real.roundDenial(register, author, caller, round),
  })),
  'an-owners-studio-speaks-for-all': core((real) => ({
    roundDenial: (register, author, caller, round) =>
      caller.isStudio && caller.isOwner
        ? undefined
        : real.roundDenial(register, author, caller, round),
  })),
  'a-studio-states-keys-of-the-server': core((real) => ({
    roundDenial: (register, author, caller, round) =>
      real.roundDenial(register, author, { ...caller, hasKey: () => false }, round),
  })),
  'upgrade-believes-what-was-relayed': onWorld((world) => {
    world.opens = () => true;
  }),
  'the-removed-go-on': core((real) => ({
    layerDenial: (layer, round, caller, author) =>
      real.layerDenial(layer, round && { ...round, removed: NOBODY }, caller, author),
  })),
  'the-removed-are-struck': core((real) => ({
    roundOf: (...given) => {
      const round = real.roundOf(...given);
      if (round === undefined) return undefined;
      const left = [...round.commitments].filter(([recorder]) => !round.removed.has(recorder));
      return { ...round, commitments: new Map(left) };
    },
  })),
  'the-late-count': core((real) => ({
    committedLayer: (commitments, changes) =>
      real.committedLayer(
        commitments.map(({ count, sum }) => ({ count, sum })),
        changes,
      ),
  })),
  'everything-is-committed-to': core((real) => ({
    committedLayer: (commitments, changes) => {
      const committed = real.committedLayer(commitments, changes);
      return committed.fit === 'fits'
        ? { ...committed, ids: new Set(changes.map(({ id }) => id)) }
        : committed;
    },
  })),
  'what-comes-later-supersedes': core((real) => ({
    ratingsOf: (terms, changes, committed) => {
      const now = real.ratingsOf(terms, changes, {
        ...committed,
        ids: committed.fit === 'fits' ? new Set(changes.map(({ id }) => id)) : new Set(),
      });
      return new Map(
        [...now].filter(([, { name }]) => committed.ids.has(name.split('#')[0] ?? '')),
      );
    },
  })),
  'a-commitment-is-not-checked': core((real) => ({
    committedLayer: ([first, ...more], changes) => {
      const committed = real.committedLayer(first === undefined ? [] : [first, ...more], changes);
      return committed.fit === 'differs' && more.length === 0
        ? { fit: 'fits', ids: new Set(changes.map(({ id }) => id)) }
        : committed;
    },
  })),
  'the-first-of-two-commitments': core((real) => ({
    committedLayer: (commitments, changes) => real.committedLayer(commitments.slice(0, 1), changes),
  })),
  'unrecorded-where-outside-of-the-round': core((real) => ({
    ratingsOf: (terms, changes, committed) =>
      real.ratingsOf({ ...terms, items: 'all', rules: 'all' }, changes, committed),
  })),
  'settled-without-a-reason': core((real) => ({
    originOf: (written, find) =>
      real.originOf({ ...written, change: { ...written.change, why: 'so' } }, find),
  })),
  'a-layer-writes-the-record': core((real) => ({
    rowOf: (register, stream) =>
      layerOf(stream) !== undefined && 'item' in register
        ? register.item
        : real.rowOf(register, stream),
  })),
  'recorders-see-the-record': core(() => ({ hidesRecord: () => false })),
  'recorders-never-see-the-record-again': core((real) => ({
    hidesRecord: (round, reader, cell) =>
      real.hidesRecord({ ...round, state: 'open', removed: NOBODY }, reader, cell),
  })),
};
