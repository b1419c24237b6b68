/**
 * The files that take longest begin first, so that at the end no worker is alone with one. What
 * shares a process stays together, last.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their time on two cores, longest first. */
const LONGEST = [
  'server/commands/backup',
  'server/faults/studios',
  'server/faults/kills',
  'server/hosted/upgrade',
  'contract/store.postgres',
  'server/faults/disk',
  'server/hosted/slow-senders',
  'server/storage/postgres-frozen',
  'contract/plans',
  'server/commands/serve',
  'server/commands/binary',
  'server/hosted/instances',
  'server/commands/connect',
  'server/commands/start',
  'server/hosted/attacks',
  'server/commands/disk',
  'server/faults/window',
  'server/faults/chaos',
  'server/kill',
  'server/isolation',
  'server/fuzz',
  'server/team/attacks',
  'server/uplink/recovery',
  'server/uplink/access',
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
