import {
  collectDefaultMetrics,
  Counter,
  Gauge as PromGauge,
  Histogram,
  Registry,
} from 'prom-client';
import type { Gauge, Metrics } from '../context/metrics.ts';

const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
const GAUGES: Readonly<Record<Gauge, { help: string; label?: string }>> = {
  connections: { help: 'Connections that are open to this instance' },
  event_streams: { help: 'Streams of events that are open to this instance' },
  database_connections: {
    help: 'Connections of the pool to PostgreSQL, and transactions that wait for one',
    label: 'state',
  },
  blobs_to_move: { help: 'Blobs in the database that are to be moved outside' },
};

const PREFIX = 'evidence_studio_';

function createMeters(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: `${PREFIX}http_requests_total`,
      help: 'Requests by route and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    refusals: new Counter({
      name: `${PREFIX}http_refusals_total`,
      help: 'Requests that were refused, by error code',
      labelNames: ['code'],
      registers,
    }),
    duration: new Histogram({
      name: `${PREFIX}http_request_duration_seconds`,
      help: 'From the request to the end of its answer',
      labelNames: ['method', 'route'],
      registers,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
    received: new Counter({
      name: `${PREFIX}sync_changes_total`,
      help: 'Changes that came by push and were new',
      registers,
    }),
    lag: new Histogram({
      name: `${PREFIX}sync_lag_seconds`,
      help: 'Age of the oldest new change of a push when it was stored: how far behind its sender was',
      registers,
      buckets: [0.5, 1, 2, 4, 8, 15, 30, 60, 300, 3_600, 86_400, 604_800],
    }),
  };
}

/** A metric that is computed when it is read. */
function addGauge(registry: Registry, gauge: Gauge, read: Parameters<Metrics['watch']>[1]): void {
  const { help, label } = GAUGES[gauge];
  registry.registerMetric(
    new PromGauge({
      name: PREFIX + gauge,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [],
      collect() {
        const value = read();
        if (typeof value === 'number') this.set(value);
        else
          for (const [state, count] of Object.entries(value))
            this.set({ [label ?? 'state']: state }, count);
      },
    }),
  );
}

/** Each server has its own registry, so that two in one process do not share metrics. */
export function createPrometheus(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { requests, refusals, duration, received, lag } = createMeters(registry);
  return {
    request({ method, route, status, code, ms }) {
      const known = METHODS.has(method) ? method : 'other';
      requests.inc({ method: known, route, status });
      if (code !== undefined) refusals.inc({ code });
      if (ms !== undefined) duration.observe({ method: known, route }, ms / 1_000);
    },
    pushed({ changes, oldestMs }) {
      received.inc(changes);
      lag.observe(Math.max(0, oldestMs) / 1_000);
    },
    watch: (gauge, read) => addGauge(registry, gauge, read),
    text: () => registry.metrics(),
  };
}
