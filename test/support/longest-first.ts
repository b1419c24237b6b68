/**
 * The files that take longest begin first, so that at the end no worker is alone with one. What
 * shares a process stays together, last.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their time on two cores, longest first. */
const LONGEST = [
  'server/storage/postgres-frozen',
  'server/commands/serve',
  'server/uplink/access',
  'server/uplink/recovery',
  'server/faults/kills',
  'server/uplink/contents',
  'server/hosted/reverse-proxies',
  'server/isolation',
  'server/faults/studios',
  'contract/store.postgres',
  'server/hosted/upgrade',
  'server/hosted/instances',
  'server/hosted/sticky',
  'server/commands/start',
  'unit/renderer-data/real-server',
  'sync/simulation/simulation',
  'unit/renderer-data/recorded-by',
  'contract/plans',
  'server/faults/disk',
  'server/thread',
  'server/commands/connect',
  'server/team/attacks',
  'server/commands/backup',
  'server/hosted/slow-senders',
  'unit/renderer-transfer/calc',
  'server/fuzz',
  'server/commands/binary',
  'contract/store.sqlite',
  'unit/renderer-data/send-now.property',
  'server/uplink/amount',
  'server/faults/window',
  'server/authorship',
  'server/hosted/attacks',
  'server/faults/chaos',
  'server/commands/disk',
  'server/kill',
  'unit/renderer-data/outbox-and-link',
  'unit/renderer-data/pages.property',
].map((name) => `/test/${name}.test.ts`);
/** Projects whose files share a process, the longest first. */
const SHARING = ['processes', 'server', 'components', 'instances', 'sync', 'unit'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      const own = at < 0 ? LONGEST.length : at;
      if (project.config.isolate) return own;
      return (SHARING.indexOf(project.name) + 1) * (LONGEST.length + 1) + own;
    };
    const byRank = (await super.sort(files)).map((file) => [rank(file), file] as const);
    return byRank.toSorted(([a], [b]) => a - b).map(([, file]) => file);
  }
}
