import { type Change, parseEntryName } from '../../../src/sync/change.ts';
import { displayedHead } from '../../../src/sync/heads.ts';
import type { Bug } from './campaign.ts';
import { type Core, realCore } from './core.ts';
import type { Held } from './log-port.ts';
import type { LogStore } from './log-store.ts';
import { refused } from './messages.ts';
import { Replica } from './replica.ts';
import { NEWEST, type Store, type World } from './world.ts';

const logs = (world: World, change: (store: LogStore) => void): void =>
  world.logs().forEach(change);
const replicas = (world: World, change: (replica: Replica) => void): void =>
  world.replicas.forEach(change);
const every = (world: World, change: (store: Store) => void): void => world.stores.forEach(change);
/** Everybody who has a link, and so a port that the driver works on. */
const clients = (world: World, change: (store: Store) => void): void =>
  world.clients.forEach(change);
const core = (replaced: (real: Core) => Partial<Core>): Bug => ({ core: replaced });
const onLogs = (change: (store: LogStore, world: World) => void): Bug => ({
  world: (world) => logs(world, (store) => change(store, world)),
});
const onReplicas = (change: (replica: Replica) => void): Bug => ({
  world: (world) => replicas(world, change),
});
const onWorld = (world: (world: World) => void): Bug => ({ world });
const unknown = (change: Change): boolean =>
  change.entries.some((entry) => ((entry as { schema?: number }).schema ?? 1) > NEWEST);

/** Bugs of links and logs, and of heads as they were before changes had entries. */
const LINKS: Record<string, Bug> = {
  'no-dedupe': onLogs((store) => {
    const { append } = store;
    store.append = (sealed, origin, told) => {
      if (!store.held.has(sealed.id)) return append.call(store, sealed, origin, told);
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
      const judged = real.pullAnswer(row, request, page, hasher);
      if (
        judged.kind !== 'drop' ||
        judged.why !== 'stale' ||
        request.gen !== row.gen ||
        request.boot !== row.boot
      )
        return judged;
      return {
        kind: 'use',
        row: {
          ...row,
          rev: row.rev + 1,
          epoch: page.epoch,
          pull_seq: page.to,
          pull_chain: page.chain,
        },
      };
    },
  })),
  'no-witness': core(() => ({ witnessOf: () => ({}) })),
  'witness-from-pull-only': core((real) => ({
    pushAnswer: (row, request, reply, hasher) => {
      const judged = real.pushAnswer(row, request, reply, hasher);
      return judged.kind === 'use'
        ? { kind: 'use', row: { ...judged.row, witness: row.witness, points: row.points } }
        : judged;
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
      store.park = () => {
        if (store instanceof Replica) store.outbox = [];
        else if (store.link !== null) store.link = { ...store.link, push_pos: store.log.length };
      };
    }),
  ),
  'evict-keeps-cursor': onReplicas((replica) => {
    replica.loseLink = () => {
      replica.judged = replica.link.epoch === '' ? 0 : replica.schema;
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
      const judged = real.pullAnswer(row, request, page, hasher);
      if (judged.kind !== 'drop' || judged.why !== 'unfit' || page.from !== row.pull_seq)
        return judged;
      return {
        kind: 'use',
        row: {
          ...row,
          rev: row.rev + 1,
          epoch: page.epoch,
          pull_seq: page.to,
          pull_chain: page.chain,
        },
      };
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

/**
 * Bugs of entries: their status, their names, their heads; their change as the unit that travels.
 */
const ENTRIES: Record<string, Bug> = {
  'quarantine-whole-change': onWorld(({ hosted }) => {
    hosted.judge = (change, index) =>
      change.entries.some(
        (_, at) => realCore.appliedRegister(change, at, hosted.schema) === undefined,
      )
        ? undefined
        : realCore.appliedRegister(change, index, hosted.schema);
  }),
  'status-of-first-entry': core((real) => ({
    appliedRegister: (change, index, schema) =>
      real.appliedRegister(change, 0, schema) === undefined
        ? undefined
        : real.appliedRegister(change, index, NEWEST),
  })),
  'status-from-upstream': onLogs((store) => {
    const { append, judge } = store;
    store.append = (sealed, origin, told) => {
      store.judge =
        told === undefined
          ? judge
          : (change, index) =>
              told.includes(index) ? undefined : realCore.appliedRegister(change, index, NEWEST);
      const added = append.call(store, sealed, origin, told);
      store.judge = judge;
      return added;
    };
  }),
  'quarantined-supersedes': onLogs((store) => {
    const { admit } = store;
    store.admit = (held, index) => {
      const applied = admit.call(store, held, index);
      const entry = held.change.entries[index];
      if (!applied && entry !== undefined) hide(store, entry.reg, entry.parents);
      return applied;
    };
  }),
  'relay-drops-quarantined': onLogs((store) => {
    store.relayed = ({ text, change, quarantined }) =>
      quarantined.size === 0
        ? text
        : JSON.stringify({
            ...change,
            entries: change.entries.filter((_, index) => !quarantined.has(index)),
          });
  }),
  'restore-keeps-status': onLogs((store) => {
    const { load, judgeAgain } = store;
    store.load = (saved) => {
      store.judgeAgain = () => {};
      load.call(store, saved);
      store.judgeAgain = judgeAgain;
    };
  }),
  'upgrade-forgets-heads': onLogs((store) => {
    store.release = () => {};
  }),
  'upgrade-forgets-parents': onLogs((store) => {
    store.release = ({ id, change }, index) => {
      const entry = change.entries[index];
      if (entry !== undefined)
        store.views.apply(
          entry.reg,
          { name: `${id}#${index}`, hlc: change.hlc },
          [],
          entry.value,
          () => true,
        );
    };
  }),
  'upgrade-revives': onLogs((store) => {
    const { release } = store;
    store.release = (held, index) => {
      release.call(store, held, index);
      const entry = held.change.entries[index];
      const state = entry === undefined ? undefined : store.views.registers.get(entry.reg);
      const name = `${held.id}#${index}`;
      if (
        entry !== undefined &&
        state !== undefined &&
        state.heads.every((head) => head.name !== name)
      )
        store.views.registers.set(entry.reg, {
          ...state,
          heads: [...state.heads, { name, hlc: held.change.hlc }],
        });
    };
  }),
  'two-parent-set-applies': core((real) => ({
    appliedRegister: (change, index, schema) =>
      real.appliedRegister(
        {
          ...change,
          entries: change.entries.map((entry) =>
            entry.op === 'set' ? { ...entry, parents: [] } : entry,
          ),
        },
        index,
        schema,
      ),
  })),
  'parent-without-index': onWorld((world) => {
    const { parentsFor } = world;
    world.parentsFor = (...given) =>
      parentsFor.apply(world, given).map((name) => name.slice(0, name.indexOf('#')));
  }),
  'index-after-filter': onLogs((store) => {
    store.enter = ({ id, change }, index) => {
      const entry = change.entries[index];
      const place = change.entries
        .slice(0, index)
        .filter((_, at) => store.judge(change, at) !== undefined).length;
      if (entry !== undefined)
        store.views.apply(
          entry.reg,
          { name: `${id}#${place}`, hlc: change.hlc },
          entry.parents,
          entry.value,
          (parent) => store.isSettled(parent, entry.reg),
        );
    };
  }),
  'supersede-whole-change': onLogs((store) => {
    const { enter } = store;
    store.enter = (held, index) => {
      for (const parent of held.change.entries[index]?.parents ?? []) {
        const named = store.held.get(parseEntryName(parent)?.id ?? '');
        if (named !== undefined && named.id !== held.id)
          for (const [at, entry] of named.change.entries.entries())
            hide(store, entry.reg, [`${named.id}#${at}`]);
      }
      enter.call(store, held, index);
    };
  }),
  'heads-of-first-register': onLogs((store) => {
    store.enter = ({ id, change }, index) => {
      const [first] = change.entries;
      const entry = change.entries[index];
      if (first !== undefined && entry !== undefined)
        store.views.apply(
          first.reg,
          { name: `${id}#${index}`, hlc: change.hlc },
          entry.parents,
          entry.value,
          (parent) => store.isSettled(parent, first.reg),
        );
    };
  }),
  'same-register-last-wins': onLogs((store) => {
    const { enter } = store;
    store.enter = (held, index) => {
      enter.call(store, held, index);
      const { reg } = held.change.entries[index] as { reg: string };
      hide(
        store,
        reg,
        held.change.entries.flatMap((entry, at) =>
          entry.reg === reg && at < index ? [`${held.id}#${at}`] : [],
        ),
      );
    };
  }),
  'bulk-resolve-cites-shown': onWorld((world) => {
    const { parentsFor } = world;
    world.parentsFor = (store, reg, op, plan) =>
      parentsFor.call(world, store, reg, plan.entries.length > 1 ? 'set' : op, plan);
  }),
  'refresh-at-commit': onWorld((world) => {
    world.madeAtCommit = (store, draft) => world.compose(store, draft).made;
  }),
  'dedupe-by-entry': onLogs((store) => {
    const { append } = store;
    const contents = new Set<string>();
    store.append = (sealed, origin, told) => {
      const keys = sealed.change.entries.map((entry) =>
        JSON.stringify([entry.reg, entry.op, entry.parents, entry.value]),
      );
      if (origin !== 'local' && !store.held.has(sealed.id) && keys.some((key) => contents.has(key)))
        return false;
      for (const key of keys) contents.add(key);
      return append.call(store, sealed, origin, told);
    };
  }),
  'cursor-counts-entries': onLogs((store) => {
    const { servePull } = store;
    store.servePull = (after, limit) => {
      const reply = servePull.call(store, after, limit);
      if (reply.kind !== 'page') return reply;
      const entries = reply.body.changes.reduce(
        (sum, { id }) => sum + (store.held.get(id) as Held).change.entries.length,
        0,
      );
      return { ...reply, body: { ...reply.body, to: after + entries } };
    };
  }),
  'big-change-never-fits': onWorld((world) =>
    every(world, (store) => {
      const { isFull } = store;
      store.isFull = (changes, entries, next, limit) =>
        isFull(Math.max(1, changes), entries, next, Math.max(2, limit)) || changes >= limit;
    }),
  ),
};

/** Readings of the rules that a text about changes leaves open once changes have entries. */
const READINGS: Record<string, Bug> = {
  'parent-of-any-register': onLogs((store) => {
    const { enter } = store;
    store.enter = (held, index) => {
      const parents = held.change.entries[index]?.parents ?? [];
      enter.call(store, held, index);
      for (const reg of store.views.registers.keys()) hide(store, reg, parents);
    };
  }),
  'siblings-not-covered': core(() => ({
    editsUnderDeletion: (deletion, heads) =>
      heads.filter(({ name }) => !deletion.covers.includes(name)),
  })),
  'newer-schema-withdraws': core((real) => ({
    appliedRegister: (change, index, schema) => {
      const needs = (change.entries[index] as { schema?: number } | undefined)?.schema ?? 1;
      return needs > 1 && needs < NEWEST && schema === NEWEST
        ? undefined
        : real.appliedRegister(change, index, schema);
    },
  })),
  'size-policy-per-store': onWorld(({ hosted }) => {
    hosted.judge = (change, index) =>
      JSON.stringify(change.entries[index]?.value).length > 40
        ? undefined
        : realCore.appliedRegister(change, index, hosted.schema);
  }),
};

/** Bugs of what came last: recovery, snapshots, comparing, judging a copy again. */
const RECOVERY: Record<string, Bug> = {
  'recovery-keeps-push-position': core((real) => ({
    diverged: (row, ancestor) => ({ ...real.diverged(row, ancestor), push_pos: row.push_pos }),
  })),
  'recovery-keeps-pull-position': core((real) => ({
    diverged: (row, ancestor) => ({
      ...real.diverged(row, ancestor),
      pull_seq: row.pull_seq,
      pull_chain: row.pull_chain,
    }),
  })),
  'ancestor-beyond-the-truth': onLogs((store) => {
    const { serve } = store;
    store.serve = (request) =>
      request.kind === 'ancestor'
        ? {
            kind: 'common',
            body: {
              epoch: store.epoch,
              seq: Math.min(store.log.length, request.marks.at(-1)?.seq ?? 0),
              chain: '',
            },
          }
        : serve.call(store, request);
  }),
  'point-covers-too-much': core((real) => ({
    pullAnswer: (row, request, page, hasher) => {
      const judged = real.pullAnswer(row, request, page, hasher);
      return judged.kind === 'use'
        ? {
            ...judged,
            row: {
              ...judged.row,
              points: judged.row.points.map((point) => ({
                ...point,
                own: Math.max(point.own, judged.row.push_pos),
              })),
            },
          }
        : judged;
    },
  })),
  'missing-moves-without-witness': core((real) => ({
    missingAnswer: (row, request, reply) => {
      const judged = real.missingAnswer(row, request, reply);
      return judged.kind === 'use'
        ? { ...judged, row: { ...judged.row, witness: row.witness, points: row.points } }
        : judged;
    },
  })),
  'missing-not-sent': core((real) => ({
    missingAnswer: (row, request, reply) => {
      const judged = real.missingAnswer(row, request, reply);
      return judged.kind === 'use'
        ? { ...judged, row: { ...judged.row, push_pos: request.to }, send: [] }
        : judged;
    },
  })),
  'snapshot-without-witness': onReplicas((replica) => {
    const { snapshotRequest } = replica;
    replica.snapshotRequest = () => ({ ...snapshotRequest.call(replica), witness: undefined });
  }),
  'snapshot-hides-awaited': onLogs((store) => {
    store.awaited = () => [];
  }),
  'snapshot-skips-what-came-between': onReplicas((replica) => {
    const { rebuild } = replica;
    replica.rebuild = (parts, pages) => {
      rebuild.call(
        replica,
        parts.map((part) => ({ ...part, seq: parts[0]?.seq ?? 0 })),
        [],
      );
      void pages;
    };
  }),
  'unsent-not-laid-over': onReplicas((replica) => {
    replica.overlay = () => {
      for (const { id } of replica.outbox) replica.applied.add(id);
    };
  }),
  'overlaid-but-held': onReplicas((replica) => {
    const { acknowledge } = replica;
    replica.acknowledge = (ids, row, results) =>
      acknowledge.call(
        replica,
        ids,
        row,
        results.map((result) => ({ ...result, seq: Infinity })),
      );
  }),
  'sent-not-offered-again': onReplicas((replica) => {
    const { startAnew } = replica;
    replica.startAnew = () => {
      replica.sent = [];
      startAnew.call(replica);
    };
  }),
  'copy-not-judged-again': onReplicas((replica) => {
    replica.upgrade = () => {
      if (replica.judged === replica.schema) replica.judged += 1;
      replica.schema += 1;
      replica.restart();
    };
  }),
  'nothing-kept-before-the-snapshot': onReplicas((replica) => {
    const { acknowledge } = replica;
    replica.acknowledge = (ids, row, results) => {
      const before = replica.link;
      acknowledge.call(replica, ids, row, results);
      if (before.epoch === '') replica.link = { ...before, rev: row.rev };
    };
  }),
  'sum-forgets': core((real) => ({
    addToDigest: (digest, ids) => real.addToDigest(digest, ids.slice(0, 1)),
  })),
};

/** Bugs of servers that fail (R12). */
const FAULTS: Record<string, Bug> = {
  'fault-waits-for-ever': core((real) => ({
    blame: (...given) => ({ ...real.blame(...given), verdict: 'wait' }),
  })),
  'fault-of-everything-is-blamed': core((real) => ({
    blame: (before, batch, now) => real.blame(before, batch, now, true),
  })),
  'fault-blames-the-first-of-a-batch': core((real) => ({
    blame: (...given) => {
      const judged = real.blame(...given);
      return judged.verdict === 'halve' ? { ...judged, verdict: 'set_aside' } : judged;
    },
  })),
  'fault-drops-the-change': onReplicas((replica) => {
    replica.setAside = (id) => replica.settle([id]);
  }),
  'fault-passes-over-the-batch': onLogs((store) => {
    store.setAside = (id) => {
      if (store.link !== null)
        store.link = {
          ...store.link,
          push_pos: store.log.indexOf(id) + 1,
          again_to: 0,
          rev: store.link.rev + 1,
        };
    };
  }),
  'aside-is-never-offered-again': onWorld((world) =>
    clients(world, (store) => {
      store.port.aside = async () => [];
    }),
  ),
};

/** Takes names off a register's heads, as none of the rules would. */
function hide(store: LogStore, reg: string, names: readonly string[]): void {
  const state = store.views.registers.get(reg);
  if (state !== undefined && names.length > 0)
    store.views.registers.set(reg, {
      ...state,
      heads: state.heads.filter(({ name }) => !names.includes(name)),
    });
}

export const BUGS: Readonly<Record<string, Bug>> = {
  ...LINKS,
  ...ENTRIES,
  ...READINGS,
  ...RECOVERY,
  ...FAULTS,
};
