/**
 * The files that take longest begin first, so that at the end no worker is alone with one. What
 * shares a process stays together, last: those files are short.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By their time on two cores, longest first. */
const LONGEST = [
  'server/commands/backup',
  'server/faults/studios',
  'server/commands/access',
  'contract/store.postgres',
  'server/uplink/contents',
  'server/commands/serve',
  'server/commands/connect',
  'server/uplink/recovery',
  'server/uplink/access',
  'server/faults/kills',
  'server/faults/chaos',
  'server/hosted/instances',
  'contract/plans',
  'server/storage/postgres-frozen',
  'server/fuzz',
  'server/kill',
  'server/hosted/slow-senders',
  'server/commands/audit',
  'server/commands/start',
  'server/team/attacks',
  'server/isolation',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (!project.config.isolate) return LONGEST.length + 1;
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    const byRank = (await super.sort(files)).map((file) => [rank(file), file] as const);
    return byRank.toSorted(([a], [b]) => a - b).map(([, file]) => file);
  }
}
