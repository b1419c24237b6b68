import { agentRows } from './hosted/agents.ts';
import { desktopRows } from './hosted/desktops.ts';
import { seedTeams } from './hosted/seed.ts';
import type { Figure } from './figure.ts';
import { temporary } from './measure.ts';

/** A hosted server on PostgreSQL whose commits are on the disk. */
export async function hostedBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const figures: Figure[] = [];
    {
      await using world = await seedTeams(folder, { teams: 10, keys: 5, oneCase: false });
      figures.push(...(await agentRows(world, folder)));
    }
    {
      await using world = await seedTeams(folder, { teams: 50, keys: 4, oneCase: true });
      figures.push(...(await desktopRows(world, folder, '50 teams of 4')));
    }
    return figures;
  });
}
