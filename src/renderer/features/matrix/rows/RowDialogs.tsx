import { AddItemsDialog } from './AddItemsDialog.tsx';
import { ItemDialog } from './ItemDialog.tsx';
import { MoveDialog } from './MoveDialog.tsx';
import { RemoveDialog, RemovedDialog } from './RemovedDialog.tsx';
import './rows.css';

/** Everything that is asked about items; which of it is open stands in the editor's state. */
export function RowDialogs() {
  return (
    <>
      <AddItemsDialog />
      <ItemDialog />
      <MoveDialog />
      <RemoveDialog />
      <RemovedDialog />
    </>
  );
}
