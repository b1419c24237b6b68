import { formatCount, plural } from '../../state/format.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import type { PastePlan } from './clipboard.ts';
import { useEditor, useEditorState } from './use-editor.ts';

const LISTED = 100;

/** What a paste would do, before it does. Nothing is turned into an outcome that does not say one. */
export function PasteDialog() {
  const plan = useEditorState((state) => state.paste);
  const editor = useEditor();
  if (plan === null) return null;
  const close = (): void => editor.store.setState({ paste: null });
  const apply = (): void => {
    close();
    void editor.paste(plan);
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => { if (!next) close(); }}
      title="Paste into the matrix"
      wide
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" disabled={plan.cells.length === 0} onClick={apply}>{plan.cells.length === 0 ? 'Nothing to paste' : `Paste ${plural(plan.cells.length, 'cell')}`}</Button>
        </>
      }
    >
      <Sums plan={plan} />
      {plan.rejected.length > 0 && <Rejected plan={plan} />}
    </Dialog>
  );
}

function Sums({ plan }: { plan: PastePlan }) {
  const lines: [string, number][] = [
    ['Newly recorded', plan.fresh], ['Overwritten', plan.overwritten], ['Unchanged', plan.unchanged], ['Empty fields, cell left as it is', plan.empty], ['Rejected: no outcome', plan.rejected.length], ['Beyond the last item or rule, left out', plan.beyond],
  ];
  return <dl className="mx-sums">{lines.filter(([, count]) => count > 0).map(([words, count]) => <div key={words}><dt>{words}</dt><dd>{formatCount(count)}</dd></div>)}</dl>;
}

function Rejected({ plan }: { plan: PastePlan }) {
  return (
    <>
      <p className="muted small">Outcomes are TRUE (problem found), FALSE (evidence present) and NA. Other words could mean either and are not guessed at.</p>
      <div className="mx-refusals" role="region" aria-label="Rejected fields" tabIndex={0}>
        <table>
          <thead><tr><th scope="col">Item</th><th scope="col">Rule</th><th scope="col">Field</th></tr></thead>
          <tbody>
            {plan.rejected.slice(0, LISTED).map(({ address, token }) => (
              <tr key={`${address.item}\n${address.rule}`}><td className="mx-uid">{address.item}</td><td className="mx-uid">{address.rule}</td><td>{token}</td></tr>
            ))}
          </tbody>
        </table>
        {plan.rejected.length > LISTED && <p>and {formatCount(plan.rejected.length - LISTED)} more</p>}
      </div>
    </>
  );
}
