import { CASE_STAGES, NEXT_STAGES } from '../../../src/shared/domain/sign-off.ts';
import type { Entry } from '../../../src/sync/change.ts';
import { C, X } from './cast.ts';
import { type Act, suggest } from './commands.ts';
import type { Store } from './store.ts';
import { trueStage } from './true-stage.ts';
import type { World } from './world.ts';

/** The stage of the case in the simulation, its lock, and what has to be true of both. */

const RUN = { run_uid: 'run-1', content_hash: `sha256:${'a'.repeat(64)}` };

/** Moves the case on; an owner approves and amends. Sometimes an agent tries to. */
export function move(world: World, { at: any, by: anybody, b, c }: Act): void {
  const isTried = c % 7 === 6;
  const owner = c % 2 === 0;
  const name = isTried ? 'PX' : owner ? 'HC' : any.name;
  const at = world.stores.get(name) as Store;
  const by = isTried ? X : owner ? C : anybody;
  if (!isTried && by.kind !== 'human') return;
  const { stage: from, move: shown } = world.core.stageOf(at.moves());
  const next = isTried ? CASE_STAGES : NEXT_STAGES[from];
  const stage = next[b % next.length] ?? 'in_review';
  if (!isTried && !owner && (stage === 'approved' || stage === 'amended')) return;
  world.count(isTried ? 'moves tried by programs' : stage);
  const value = { stage, after: shown?.name ?? null, ...(stage === 'approved' && { run: RUN }) };
  const entry: Entry = { op: 'announce', parents: [], reg: 'stage/case', value };
  world.write({ at, by, why: 'it is so', genuine: !isTried, entries: [entry] });
}

/** Z4: a store that knows of an approval keeps what is recorded as a suggestion, and no more. */
export const WHEN_APPROVED: Readonly<Record<string, (world: World, act: Act) => void>> = {
  record: (world, act) => {
    world.count('suggested instead');
    suggest(world, act);
  },
  decide: () => undefined,
  'carry out': () => undefined,
  undo: () => undefined,
  document: () => undefined,
  settle: () => undefined,
};

/** Z1: what a store shows is what the rules say of what it holds. */
export function auditStage(world: World, store: Store): void {
  const { stage, unaware } = world.core.stageOf(store.moves());
  if (stage !== trueStage(world.oracle, world.seen(store)))
    world.alarm('Z1 the stage of the case', store);
  if (unaware.length > 0) world.count('moves without knowledge');
}

/** Z1: at the end all stores show one stage. */
export function checkStage(world: World): void {
  const { stage } = world.core.stageOf(world.hosted.moves());
  for (const store of world.all())
    if (world.core.stageOf(store.moves()).stage !== stage)
      world.alarm('Z1 not everybody shows the same stage', store);
  if (stage === 'approved') world.count('approved at the end');
}
