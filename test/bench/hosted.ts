import { agentRows } from './hosted/agents.ts';
import { seedTeams } from './hosted/seed.ts';
import type { Figure } from './figure.ts';
import { temporary } from './measure.ts';

/** A hosted server on PostgreSQL whose commits are on the disk. */
export async function hostedBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    await using world = await seedTeams(folder, { teams: 10, keys: 5, oneCase: false });
    return await agentRows(world, folder);
  });
}
