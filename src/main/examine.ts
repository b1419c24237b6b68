import { examine } from '../server/doctor/examine.ts';
import type { DoctorReport } from '../shared/contract/doctor.ts';
import type { ElectronLike } from './electron-like.ts';
import { systemFetch } from './network.ts';
import type { Studio } from './studio.ts';

/** The examination of `evidence-studio doctor`, of the studio that runs here. */
export async function examineStudio(
  electron: Pick<ElectronLike, 'app' | 'session'>,
  { composed, server }: Pick<Studio, 'composed' | 'server'>,
): Promise<DoctorReport> {
  const { deps, folder, secretProblem, store } = composed;
  return examine({
    folder,
    version: electron.app.getVersion(),
    store,
    secretProblem,
    server: { url: server.url, answers: true },
    port: Number(new URL(server.url).port),
    uplink: await deps.uplink?.status(),
    env: process.env,
    fetch: systemFetch(electron),
    now: () => Date.now(),
  });
}
