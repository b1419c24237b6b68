import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
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
import '../../../src/renderer/ui/content.css';
import './harness.css';
import { createScene } from './scenes.ts';

/**
 * The editor over a session in memory: `?scene=sample|empty|large`, `rows`, `rules`. The session is
 * at `window.session` for the tests.
 */
const query = new URLSearchParams(location.search);
const theme = query.get('theme');
if (theme !== null) document.documentElement.dataset['theme'] = theme;
const clock = { now: () => Date.now() };
const session = createScene(query, clock.now);
Object.assign(window, { session });
const nonce = readPageFact(document, 'csp-nonce');

function Harness() {
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

const root = createRoot(document.getElementById('root')!);
const start = (): void => {
  performance.mark('mount');
  root.render(
    query.get('scene') === 'large' ? (
      <Harness />
    ) : (
      <StrictMode>
        <Harness />
      </StrictMode>
    ),
  );
};
start();
