import { StrictMode, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Palette } from '../../../src/renderer/app/palette/Palette.tsx';
import { MatrixEditor } from '../../../src/renderer/features/matrix/MatrixEditor.tsx';
import {
  TransferDialogs,
  type TransferRequest,
} from '../../../src/renderer/features/transfer/TransferDialogs.tsx';
import { readPageFact } from '../../../src/renderer/page-facts.ts';
import '../../../src/renderer/ui/tokens.css';
import '../../../src/renderer/ui/base.css';
import '../../../src/renderer/ui/controls.css';
import '../../../src/renderer/ui/popups.css';
import '../../../src/renderer/ui/pages.css';
import '../../../src/renderer/ui/tables.css';
import '../../../src/renderer/ui/content.css';
import './harness.css';
import type { MemorySession } from '../../support/memory-session.ts';
import { createScene } from './scenes.ts';

const clock = { now: () => Date.now() };
const nonce = readPageFact(document, 'csp-nonce');

function Harness({ session }: { session: MemorySession }) {
  const [runs, setRuns] = useState(0);
  const [files, setFiles] = useState<TransferRequest | null>(null);
  return (
    <CSPProvider nonce={nonce}>
      <div className="harness">
        <h1 className="visually-hidden">Matrix editor</h1>
        <MatrixEditor
          session={session}
          onRun={() => setRuns(runs + 1)}
          onFiles={setFiles}
          caseTitle="DEMO1 knock-out clones (sample data)"
          cspNonce={nonce}
          clock={clock}
        />
        {files !== null && (
          <TransferDialogs
            request={files}
            session={session}
            caseTitle="DEMO1 knock-out clones"
            clock={clock}
            onClose={() => setFiles(null)}
          />
        )}
        <Palette />
        <output className="visually-hidden" data-testid="runs">
          {runs}
        </output>
      </div>
    </CSPProvider>
  );
}

let root: Root | undefined;

/**
 * The editor over a session in memory, as the page's address says:
 * `?scene=sample|empty|trio|large`, `rows`, `rules`, `theme`. The session is at `window.session`
 * for the tests.
 */
function mount(): void {
  const query = new URLSearchParams(location.search);
  const theme = query.get('theme');
  if (theme !== null) document.documentElement.dataset['theme'] = theme;
  const session = createScene(query, clock.now);
  Object.assign(window, { session });
  root = createRoot(document.getElementById('root')!);
  performance.mark('mount');
  const harness = <Harness session={session} />;
  root.render(query.get('scene') === 'large' ? harness : <StrictMode>{harness}</StrictMode>);
}

Object.assign(window, {
  /** Leaves the page empty, as between two cases in one window. */
  leave: () => {
    root?.unmount();
    history.replaceState(null, '', '?empty');
  },
  /** Mounts another scene in the emptied page. */
  enter: (query: string) => {
    history.replaceState(null, '', `/${query}`);
    mount();
  },
});
mount();
