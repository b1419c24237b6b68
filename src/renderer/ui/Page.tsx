import { useEffect, useRef, type ReactNode } from 'react';
import { Link, NavigationType, useLocation, useNavigationType } from 'react-router';
import { isDialogOpen } from './is-dialog-open.ts';
import { t } from '../text/t.ts';

export interface Crumb {
  label: string;
  to: string;
}

interface PageProps {
  /** Document title and heading. */
  title: string;
  crumbs?: readonly Crumb[];
  /** Small facts under the heading. */
  meta?: ReactNode;
  actions?: ReactNode;
  /** `full`: the page takes the window, its content scrolls by itself. */
  layout?: 'column' | 'full';
  children: ReactNode;
}

/**
 * After a navigation the focus moves to the new page's heading, so that a screen reader and the Tab
 * key start there. An address that is replaced while the page stays is a setting of the page: the
 * focus stays with its control.
 */
function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  const location = useLocation();
  const stays = useNavigationType() === NavigationType.Replace;
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const isSetting = stays && shown.current === location.pathname;
    shown.current = location.pathname;
    if (location.key !== 'default' && !isSetting && !isDialogOpen())
      heading.current?.focus({ preventScroll: true });
  }, [location.key, location.pathname, stays]);
  return heading;
}

export function Page({
  title,
  crumbs = [],
  meta,
  actions,
  layout = 'column',
  children,
}: PageProps) {
  const heading = useHeadingFocus();
  return (
    <div className={layout === 'full' ? 'page page-full' : 'page'}>
      <title>{`${title} · Evidence Studio`}</title>
      <header className="page-head">
        {crumbs.length > 0 && (
          <nav aria-label={t('Breadcrumb')} className="crumbs">
            <ol>
              {crumbs.map((crumb) => (
                <li key={crumb.to}>
                  <Link to={crumb.to}>{crumb.label}</Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
        <div className="page-title">
          <h1 ref={heading} tabIndex={-1} title={layout === 'full' ? title : undefined}>
            {title}
          </h1>
          {actions !== undefined && <div className="actions">{actions}</div>}
        </div>
        {meta !== undefined && <div className="page-meta">{meta}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  note,
  actions,
  children,
}: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {note !== undefined && <p className="section-note">{note}</p>}
      {children}
    </section>
  );
}

/** Name and value pairs in two aligned columns. */
export function Facts({ entries }: { entries: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className="facts">
      {entries.map((entry) => (
        <div key={entry.name} className="facts-row">
          <dt>{entry.name}</dt>
          <dd>{entry.value}</dd>
        </div>
      ))}
    </dl>
  );
}
