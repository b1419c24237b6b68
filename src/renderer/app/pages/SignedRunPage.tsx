import { RunPage } from '../../features/runs/RunPage.tsx';
import { Signatures } from '../../features/sign-off/Signatures.tsx';

/** A run with the signatures on it. */
export function SignedRunPage() {
  return <RunPage signatures={(run) => <Signatures run={run} />} />;
}
