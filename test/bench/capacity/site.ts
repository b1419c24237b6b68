/** A site, and what is done to it. */
export interface Site {
  name: string;
  accounts: number;
  /** Connected at a time, in teams of so many that share a case. */
  desktops: number;
  teamSize: number;
  /** Of each desktop. */
  editsPerMinute: number;
  /** Edits come by the clock, as those of the benchmark, and not by chance. */
  isRegular: boolean;
  /** Programs at work, and requests a second of each; three of ten write. */
  agents: number;
  agentRate: number;
  instances: number;
  /** For small requests, of each instance: those for large ones stay free. */
  connections: number;
  databaseCores: number;
  /** Where instances, PostgreSQL and clients share the cores of one machine. */
  sharedCores: number | undefined;
  /** Network to PostgreSQL and back, and what a commit waits for the disk. Milliseconds. */
  roundTrip: number;
  commit: number;
  /** Event streams that an instance takes: half of `EVIDENCE_STUDIO_CONNECTIONS`. */
  streams: number;
  /**
   * Of a large site one part in so many is played: its desktops, accounts, instances and cores.
   * Queues of a part vary more than those of the whole.
   */
  part: number;
  /** Milliseconds of load that are counted. */
  lasts: number;
  /** No instance answers between these times. */
  outage: { from: number; to: number } | undefined;
}

const BASE: Site = {
  name: '',
  accounts: 1,
  desktops: 1,
  teamSize: 4,
  editsPerMinute: 1,
  isRegular: false,
  agents: 0,
  agentRate: 5,
  instances: 1,
  connections: 6,
  databaseCores: 2,
  sharedCores: undefined,
  roundTrip: 0.5,
  commit: 2,
  streams: 2_048,
  part: 1,
  lasts: 60_000,
  outage: undefined,
};
const site = (part: Partial<Site> & Pick<Site, 'name'>): Site => ({ ...BASE, ...part });

const OUTAGE = { lasts: 150_000, outage: { from: 20_000, to: 50_000 } };
/** Everything on the machine of the benchmarks. */
const ONE_MACHINE = {
  sharedCores: 2,
  roundTrip: 0.1,
  commit: 2,
  isRegular: true,
  editsPerMinute: 60,
};

/** What was measured at a site that is also simulated, ms: from an edit to the other desktops. */
export interface Measured {
  p50: number;
  p95?: number;
  longest?: number;
  /** After an outage, until all listen again. */
  listening?: number;
  /** Where the figures stand. */
  from: string;
}

export const MEASURED: readonly (Site & { measured: Measured })[] = [
  {
    ...site({ name: 'npm run bench desktops', desktops: 200, accounts: 50, ...ONE_MACHINE }),
    measured: { p50: 440, p95: 1_287, from: 'docs/benchmarks.md' },
  },
  {
    ...site({
      name: 'the same with BENCH_TEAMS=10 BENCH_SECONDS=20',
      desktops: 40,
      accounts: 10,
      ...ONE_MACHINE,
    }),
    measured: { p50: 382, p95: 955, from: 'the mean of two runs' },
  },
  {
    ...site({
      name: 'npm run bench storm',
      desktops: 40,
      accounts: 10,
      ...ONE_MACHINE,
      lasts: 90_000,
      outage: { from: 25_000, to: 55_000 },
    }),
    measured: { p50: 967, longest: 38_000, listening: 26_600, from: 'docs/benchmarks.md' },
  },
];

/** The rows of docs/scaling.md. */
export const SITES: readonly Site[] = [
  site({ name: 'one team', desktops: 10, teamSize: 10, agents: 2 }),
  site({ name: '500 accounts', accounts: 500, desktops: 1_000, agents: 20, instances: 2 }),
  site({
    name: '10,000 accounts',
    accounts: 10_000,
    desktops: 10_000,
    agents: 50,
    instances: 5,
    streams: 4_096,
    databaseCores: 8,
  }),
  site({
    name: '100,000 accounts',
    accounts: 100_000,
    desktops: 60_000,
    agents: 300,
    instances: 20,
    streams: 4_096,
    databaseCores: 32,
    part: 4,
  }),
  site({
    name: '1,000,000 accounts',
    accounts: 1_000_000,
    desktops: 500_000,
    agents: 2_000,
    instances: 160,
    streams: 4_096,
    databaseCores: 128,
    part: 32,
  }),
];

/** The same after half a minute in which nobody answered. */
export const STORMS: readonly Site[] = SITES.map((one) => ({
  ...one,
  name: `${one.name}, 30 s without an answer`,
  ...OUTAGE,
}));
