import { useMemo, useState } from 'react';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextArea } from '../../../ui/Field.tsx';
import { useEditor, useEditorState } from '../use-editor.ts';
import { parseItemLines, type Refusal } from './item-lines.ts';

interface Outcome {
  added: number;
  refused: Refusal[];
}

/** Refusals listed at once; the number of the others is told. */
const LISTED = 200;

export function AddItemsDialog() {
  const editor = useEditor();
  const open = useEditorState((state) => state.dialog === 'add');
  if (!open) return null;
  return <AddItems onClose={() => { editor.show(null); }} />;
}

function AddItems({ onClose }: { onClose: () => void }) {
  const { session, announce, focusGrid } = useEditor();
  // Opened from the empty matrix: the button that was pressed is gone with the first item.
  const [wasEmpty] = useState(() => session.items.length === 0);
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const parsed = useMemo(() => parseItemLines(text), [text]);

  const add = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const lines = new Map(parsed.items.map((item) => [item.item_uid, item.line]));
      const result = await session.addItems(parsed.items.map(({ item_uid, label }) => ({ item_uid, ...(label === undefined ? {} : { label }) })));
      const refused = [...parsed.refused, ...result.refused.map((entry) => ({ ...entry, line: lines.get(entry.item_uid) ?? 0 }))].toSorted((a, b) => a.line - b.line);
      announce(`${plural(result.added, 'item')} added${refused.length === 0 ? '' : `, ${formatCount(refused.length)} refused`}`);
      if (refused.length === 0) onClose();
      else setOutcome({ added: result.added, refused });
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause));
    } finally {
      setBusy(false);
    }
  };
  const refused = outcome?.refused ?? parsed.refused;

  return (
    <Dialog
      open
      onOpenChange={(next) => { if (!next) onClose(); }}
      title="Add items"
      wide
      returnFocus={() => {
        if (!wasEmpty || session.items.length === 0) return false;
        focusGrid();
        return true;
      }}
      footer={outcome === null
        ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" busy={busy} disabled={parsed.items.length === 0} onClick={() => void add()}>{parsed.items.length === 0 ? 'Add items' : `Add ${plural(parsed.items.length, 'item')}`}</Button>
          </>
        )
        : (
          <>
            <Button onClick={() => { setText(outcome.refused.map((entry) => entry.item_uid).join('\n')); setOutcome(null); }}>Correct these</Button>
            <Button variant="primary" onClick={onClose}>Done</Button>
          </>
        )}
    >
      {outcome === null
        ? <TextArea name="items" label="Item uids, one a line" hint="A label may follow after a tab. Rows copied from a spreadsheet fit as they are: first column uid, second column label." error={error} rows={12} value={text} onValue={setText} />
        : <p>{plural(outcome.added, 'item')} added. {plural(outcome.refused.length, 'line was', 'lines were')} refused:</p>}
      {refused.length > 0 && <Refusals refused={refused} />}
    </Dialog>
  );
}

function Refusals({ refused }: { refused: Refusal[] }) {
  return (
    <div className="mx-refusals" role="region" aria-label="Refused lines" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Line</th><th scope="col">Item</th><th scope="col">Why it is refused</th></tr></thead>
        <tbody>
          {refused.slice(0, LISTED).map((entry) => (
            <tr key={`${entry.line} ${entry.item_uid}`}><td>{entry.line}</td><td className="mx-uid">{entry.item_uid}</td><td>{entry.message}</td></tr>
          ))}
        </tbody>
      </table>
      {refused.length > LISTED && <p>and {formatCount(refused.length - LISTED)} more</p>}
    </div>
  );
}
