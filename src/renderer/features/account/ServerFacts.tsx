import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { z } from 'zod';
import type { Session } from '../../../shared/contract/v1/account.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Facts, Section } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';

const HOMES = {
  desktop: t('Inside this desktop application; the data stay on this computer'),
  local: t('A server on one machine'),
  hosted: t('A hosted server'),
} as const;

export function ServerFacts({ session }: { session: z.infer<typeof Session> }) {
  const { server, home } = session;
  const facts = [
    { name: t('How it is run'), value: HOMES[home] },
    {
      name: t('Address for agents'),
      value: (
        <span className="with-copy">
          <code>{server.url}</code>
          <CopyButton text={server.url} label={t('Copy address')} />
        </span>
      ),
    },
    { name: t('Version'), value: server.version },
    { name: t('Store'), value: <code>{server.store}</code> },
    { name: t('Instance'), value: <code>{server.instance_id}</code> },
    {
      name: t('API documentation'),
      value: (
        <>
          {[SERVER_PAGES.docs, '/api/v1/openapi.json'].map((path) => (
            <div key={path}>
              {home === 'desktop' ? (
                <code>
                  {server.url}
                  {path}
                </code>
              ) : (
                <a href={path}>
                  {server.url}
                  {path}
                </a>
              )}
            </div>
          ))}
        </>
      ),
    },
  ];
  return (
    <Section title={t('Server')}>
      {server.read_only && (
        <Notice tone="danger" title={t('The server takes no changes')}>
          <p>{server.read_only_reason ?? t('No reason was given.')}</p>
          {server.backups.length > 0 && (
            <p>
              {t('Backups that can be restored: {names}.', { names: server.backups.join(', ') })}
            </p>
          )}
        </Notice>
      )}
      <Facts entries={facts} />
    </Section>
  );
}
