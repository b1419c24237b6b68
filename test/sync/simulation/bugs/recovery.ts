import type { Bug } from '../campaign.ts';
import { core, onLogs, onReplicas } from './plant.ts';

/** Bugs of what came last: recovery, snapshots, comparing, judging a copy again. */
export const RECOVERY: Record<string, Bug> = {
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
      const checked = real.pullAnswer(row, request, page, hasher);
      return checked.kind === 'use'
        ? {
            ...checked,
            row: {
              ...checked.row,
              points: checked.row.points.map((point) => ({
                ...point,
                own: Math.max(point.own, checked.row.push_pos),
              })),
            },
          }
        : checked;
    },
  })),
  'missing-moves-without-witness': core((real) => ({
    missingAnswer: (row, request, reply) => {
      const checked = real.missingAnswer(row, request, reply);
      return checked.kind === 'use'
        ? { ...checked, row: { ...checked.row, witness: row.witness, points: row.points } }
        : checked;
    },
  })),
  'missing-not-sent': core((real) => ({
    missingAnswer: (row, request, reply) => {
      const checked = real.missingAnswer(row, request, reply);
      return checked.kind === 'use'
        ? { ...checked, row: { ...checked.row, push_pos: request.to }, send: [] }
        : checked;
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
      if (replica.checked === replica.schema) replica.checked += 1;
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
