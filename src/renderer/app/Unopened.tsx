import { Button } from '../ui/Button.tsx';
import { t } from '../text/t.ts';

/**
 * Shown where the window's own store could not be opened, so that no page can work: a reason and a
 * way on, never a blank window.
 */
export function Unopened({ cause }: { cause: string }) {
  return (
    <main className="page">
      <title>{t('Evidence Studio')}</title>
      <h1>{t('The studio could not start')}</h1>
      <p className="page-intro">
        {t(
          'This window could not open its working copy of the evidence. What the server has saved is not affected. A browser in private mode, or a full disk, are the usual causes.',
        )}
      </p>
      <pre className="code" tabIndex={0}>
        {cause}
      </pre>
      <div className="actions">
        <Button variant="primary" onClick={() => window.location.reload()}>
          {t('Try again')}
        </Button>
      </div>
    </main>
  );
}
