import type { Change } from '../../../../src/sync/change.ts';
import { displayedHead } from '../../../../src/sync/heads.ts';
import type { LinkRow, PullReply } from '../../../../src/sync/link.ts';
import type { Bug } from '../campaign.ts';
import { refused } from '../messages.ts';
import { Replica } from '../replica.ts';
import { clients, core, every, onLogs, onReplicas, onWorld, unknown } from './plant.ts';

/** The row moved to a page's end, whatever the page holds. */
const atEndOf = (row: LinkRow, page: PullReply): LinkRow => ({
  ...row,
  rev: row.rev + 1,
  epoch: page.epoch,
  pull_seq: page.to,
  pull_chain: page.chain,
});

/** Bugs of links and logs, and of heads as they were before changes had entries. */
export const LINKS: Record<string, Bug> = {
  'no-dedupe': onLogs((store) => {
    const { append } = store;
    store.append = (sealed, origin, reported) => {
      if (!store.held.has(sealed.id)) return append.call(store, sealed, origin, reported);
      store.place({ ...sealed, origin, quarantined: new Set() });
      return true;
    };
  }),
  'ack-on-send': onWorld((world) => {
    world.onSend = (client, request) => {
      if (request.kind !== 'push') return;
      if (client instanceof Replica) client.settle(request.changes.map(({ id }) => id));
      else if (client.link !== null) client.link = { ...client.link, push_pos: request.to };
    };
  }),
  'cursor-before-data': onWorld((world) =>
    clients(world, (store) => {
      const { receive } = store.port;
      store.port.receive = (row, page) => {
        if (store.crashing && store.link !== null)
          store.link = {
            ...store.link,
            epoch: row.epoch,
            pull_seq: row.pull_seq,
            pull_chain: row.pull_chain,
          };
        return receive.call(store.port, row, page);
      };
    }),
  ),
  'stale-page-moves-cursor': core((real) => ({
    pullAnswer: (row, request, page, hasher) => {
      const checked = real.pullAnswer(row, request, page, hasher);
      if (
        checked.kind !== 'drop' ||
        checked.why !== 'stale' ||
        request.gen !== row.gen ||
        request.boot !== row.boot
      )
        return checked;
      return { kind: 'use', row: atEndOf(row, page) };
    },
  })),
  'no-witness': core(() => ({ witnessOf: () => ({}) })),
  'witness-from-pull-only': core((real) => ({
    pushAnswer: (row, request, reply, hasher) => {
      const checked = real.pushAnswer(row, request, reply, hasher);
      return checked.kind === 'use'
        ? { kind: 'use', row: { ...checked.row, witness: row.witness, points: row.points } }
        : checked;
    },
  })),
  'stale-origin': onLogs((store) => {
    store.isFrom = (held, link) => held.origin.startsWith(`${link.epoch}/`);
  }),
  'order-sensitive-heads': core((real) => ({
    applyEntry: (state, entry, parents, isSettled) => ({
      ...real.applyEntry({ ...state, cited: [] }, entry, parents, isSettled),
      cited: [],
    }),
  })),
  'lww-no-parents': core((real) => ({
    applyEntry: (state, entry, parents, isSettled) => {
      const next = real.applyEntry(state, entry, parents, isSettled);
      const shown = displayedHead(next);
      return shown === undefined ? next : { ...next, heads: [shown] };
    },
  })),
  'set-resolves-silently': onWorld((world) => {
    world.parentsFor = (store, reg) => store.views.heads(reg);
  }),
  'partial-apply': onLogs((store) => {
    const { servePush } = store;
    store.servePush = (changes) => {
      const reply = servePush.call(store, changes.length > 1 ? changes.slice(0, -1) : changes);
      if (reply.kind !== 'pushed' || changes.length < 2) return reply;
      return {
        ...reply,
        body: {
          ...reply.body,
          results: [...reply.body.results, { id: changes.at(-1)?.id ?? '', seq: reply.body.seq }],
        },
      };
    };
  }),
  '403-clears-outbox': onWorld((world) =>
    every(world, (store) => {
      store.block = () => {
        if (store instanceof Replica) store.outbox = [];
        else if (store.link !== null) store.link = { ...store.link, push_pos: store.log.length };
      };
    }),
  ),
  'evict-keeps-cursor': onReplicas((replica) => {
    replica.loseLink = () => {
      replica.checked = replica.link.epoch === '' ? 0 : replica.schema;
    };
  }),
  'poison-blocks': onLogs((store) => {
    const { servePush } = store;
    store.servePush = (changes) =>
      changes.some(({ change }) => unknown(JSON.parse(change) as Change))
        ? refused(400, 'invalid_request')
        : servePush.call(store, changes);
  }),
  'no-generation': core((real) => ({
    pushAnswer: (row, request, reply, hasher) =>
      real.pushAnswer(row, { ...request, gen: row.gen, boot: row.boot }, reply, hasher),
    pullAnswer: (row, request, page, hasher) =>
      real.pullAnswer(row, { ...request, gen: row.gen, boot: row.boot }, page, hasher),
    missingAnswer: (row, request, reply) =>
      real.missingAnswer(row, { ...request, gen: row.gen, boot: row.boot }, reply),
  })),
  'no-link-cas': core((real) => ({
    pushAnswer: (row, request, reply, hasher) =>
      real.pushAnswer(row, { ...request, rev: row.rev }, reply, hasher),
    pullAnswer: (row, request, page, hasher) =>
      real.pullAnswer(row, { ...request, rev: row.rev }, page, hasher),
    missingAnswer: (row, request, reply) =>
      real.missingAnswer(row, { ...request, rev: row.rev }, reply),
  })),
  'accept-truncated': core((real) => ({
    pullAnswer: (row, request, page, hasher) => {
      const checked = real.pullAnswer(row, request, page, hasher);
      if (checked.kind !== 'drop' || checked.why !== 'unfit' || page.from !== row.pull_seq)
        return checked;
      return { kind: 'use', row: atEndOf(row, page) };
    },
  })),
  'epoch-only': onLogs((store) => {
    store.fits = (witness) => witness === undefined || witness.split(';')[0] === store.epoch;
  }),
  'epoch-and-head-only': onLogs((store) => {
    store.fits = (witness) =>
      witness === undefined ||
      (witness.split(';')[0] === store.epoch && Number(witness.split(';')[1]) <= store.log.length);
  }),
  'drift-throws': onLogs((store, world) => {
    const { servePush } = store;
    store.servePush = (changes) =>
      changes.some(
        ({ change }) =>
          Number.parseInt((JSON.parse(change) as Change).hlc.slice(0, 12), 16) >
          world.wall(store.name) + 60_000,
      )
        ? refused(400, 'invalid_request')
        : servePush.call(store, changes);
  }),
};
