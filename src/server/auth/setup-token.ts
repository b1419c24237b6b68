import type { Deps } from '../context/deps.ts';
import { hashOf, mintToken } from './session.ts';

/** How long a setup token can be used, ms. */
const SETUP_LIFE = 3_600_000;

/**
 * A token by which a hosted server is set up, to be shown to whoever starts it; undefined where it
 * is set up already.
 */
export async function createSetupToken({
  store,
  clock,
  random,
}: Pick<Deps, 'store' | 'clock' | 'random'>): Promise<string | undefined> {
  const token = mintToken(random);
  return store.transact(async (writer) => {
    if (await writer.team.isSetUp()) return undefined;
    await writer.setupWrites.addToken(
      hashOf(token),
      new Date(clock.now() + SETUP_LIFE).toISOString(),
    );
    return token;
  });
}
