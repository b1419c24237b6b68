import { neighbourRows } from './test/bench/hosted/neighbour.ts';
import { seedTeams } from './test/bench/hosted/seed.ts';
import { temporary } from './test/bench/measure.ts';
console.log(JSON.stringify(await temporary(async (folder) => { await using world = await seedTeams(folder, { teams: 2, keys: 5, oneCase: false }); return await neighbourRows(world, folder); }), null, 1));
