import { agentRows } from './hosted/agents.ts';
import { costRows } from './hosted/costs.ts';
import { desktopRows, disturbedRow } from './hosted/desktops.ts';
import { neighbourRows } from './hosted/neighbour.ts';
import { reconnectRows } from './hosted/reconnect.ts';
import { seedTeams } from './hosted/seed.ts';
import { stormRows } from './hosted/storm.ts';
import type { Figure } from './figure.ts';
import { temporary } from './measure.ts';

/** A hosted server on PostgreSQL whose commits are on the disk. */
export function hostedBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    await using world = await seedTeams(folder, { teams: 10, keys: 5, oneCase: false });
    return [...(await agentRows(world, folder)), ...(await neighbourRows(world, folder))];
  });
}

export function desktopsBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const teams = Number(process.env.BENCH_TEAMS ?? '50');
    const rows: Figure[] = [];
    {
      await using world = await seedTeams(folder, { teams, keys: 4, oneCase: true });
      rows.push(...(await desktopRows(world, folder, teams)));
    }
    // Cells that nobody has written yet, as in the first.
    await using world = await seedTeams(folder, { teams, keys: 4, oneCase: true });
    return [...rows, await disturbedRow(world, folder, teams)];
  });
}

export function stormBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    await using world = await seedTeams(folder, { teams: 10, keys: 4, oneCase: true });
    return await stormRows(world, folder, 10);
  });
}

export function reconnectBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const teams = Number(process.env.BENCH_TEAMS ?? '502');
    await using world = await seedTeams(folder, { teams, keys: 4, oneCase: true });
    return await reconnectRows(world, folder, 4);
  });
}

export function costsBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    await using world = await seedTeams(folder, { teams: 50, keys: 4, oneCase: true });
    return await costRows(world, folder);
  });
}
