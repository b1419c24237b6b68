import type { LucideIcon } from 'lucide-react';
import { IconButton } from '../../../ui/Button.tsx';
import { actionById } from '../actions/actions.ts';
import { useEditor, useOffered } from '../editor/use-editor.ts';
import { titleWith, useKeyHints } from '../actions/key-hint.ts';

/** A button for one command of the table: its words, and its keys in the tooltip. */
export function CommandButton({
  id,
  icon: Icon,
  label,
  pressed,
  className,
}: {
  id: string;
  icon: LucideIcon;
  label?: string;
  pressed?: boolean;
  className?: string;
}) {
  const editor = useEditor();
  const keysOf = useKeyHints();
  const action = actionById(id);
  const isOffered = useOffered(action);
  const name = label ?? action.label;
  return (
    <IconButton
      label={name}
      title={titleWith(name, keysOf(action))}
      aria-pressed={pressed}
      className={className}
      disabled={!isOffered}
      onClick={() => void action.run(editor)}
    >
      <Icon size={16} aria-hidden="true" />
    </IconButton>
  );
}
