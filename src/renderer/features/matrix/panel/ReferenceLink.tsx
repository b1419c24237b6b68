import { ExternalLink } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { getDesktop } from '../../../state/desktop.ts';

/** A reference found in the evidence: opened in a tab of its own, in the desktop by the system's browser after a question that shows the address. */
export function ReferenceLink({ address, children }: { address: string; children: ReactNode }) {
  const onClick = (event: MouseEvent): void => {
    event.stopPropagation();
    const desktop = getDesktop();
    if (desktop === undefined) return;
    event.preventDefault();
    void desktop.openReference(address);
  };
  return (
    <a className="mx-reference" href={address} target="_blank" rel="noopener noreferrer" title={address} onClick={onClick}>
      {children}
      <ExternalLink size={11} aria-hidden="true" />
      <span className="visually-hidden"> (opens outside the studio)</span>
    </a>
  );
}
