import { Copy, ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { getDesktop } from '../../../state/desktop.ts';
import { notify } from '../editor/editor-state.ts';
import { useEditor } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

/**
 * A reference found in the evidence: in a browser a link to a tab of its own. The desktop window
 * opens no address that came with data, so there it is copied.
 */
export function ReferenceLink({ address, children }: { address: string; children: ReactNode }) {
  const { store } = useEditor();
  if (getDesktop() === undefined) {
    return (
      <a
        className="mx-reference"
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        title={address}
        onClick={(event) => event.stopPropagation()}
      >
        {children}
        <ExternalLink size={11} aria-hidden="true" />
        <span className="visually-hidden"> {t('(opens in a new tab)')}</span>
      </a>
    );
  }
  const copy = (): void =>
    void navigator.clipboard.writeText(address).then(
      () => notify(store, t('Copied: {address}', { address })),
      () =>
        notify(store, t('The clipboard is not available. The address is {address}', { address })),
    );
  return (
    <button
      type="button"
      className="mx-reference"
      title={t('Copy {address}', { address })}
      onClick={(event) => {
        event.stopPropagation();
        copy();
      }}
    >
      {children}
      <Copy size={11} aria-hidden="true" />
      <span className="visually-hidden"> {t('(copies the address)')}</span>
    </button>
  );
}
