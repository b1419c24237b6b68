import type { usePublisher } from '../../../state/use-may.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Facts } from '../../../ui/Page.tsx';
import type { ReadProfile } from './read-file.ts';
import { t } from '../../../text/t.ts';

type Publisher = ReturnType<typeof usePublisher>;

/** What the chosen file holds. `publisher`: who would have to publish it. */
export function FileFound({ read, publisher }: { read: ReadProfile; publisher: Publisher }) {
  if (read.kind === 'unreadable')
    return (
      <Notice tone="danger" live title={t('This file cannot be imported')}>
        <p>{read.message}</p>
      </Notice>
    );
  if (read.kind === 'faulty') return <Faults read={read} />;
  const { name, profileUid, version, rules } = read.document;
  return (
    <>
      <Facts
        entries={[
          { name: t('Profile'), value: name },
          {
            name: t('ID and version'),
            value: (
              <code>
                {profileUid}@{version}
              </code>
            ),
          },
          {
            name: t('Rules'),
            value: t('{rules, plural, one {# rule} other {# rules}}', { rules: rules.length }),
          },
        ]}
      />
      {publisher !== 'you' && <ForOthers publisher={publisher} />}
    </>
  );
}

function Faults({ read }: { read: Extract<ReadProfile, { kind: 'faulty' }> }) {
  return (
    <Notice tone="warning" live title={t('This is not yet a profile')}>
      <ul className="plain-list">
        {read.faults.map((fault) => (
          <li key={fault.place + fault.message}>
            <strong>{fault.place}</strong>: {fault.message}
          </li>
        ))}
      </ul>
      {read.more > 0 && <p>{t('and {more, number} more', { more: read.more })}</p>}
      <p>
        {t(
          'Nothing was added. In the editor the known fields are filled in; what is no field of a profile is left out.',
        )}
      </p>
    </Notice>
  );
}

function ForOthers({ publisher }: { publisher: Publisher }) {
  return (
    <Notice
      live
      title={
        publisher === 'operator'
          ? t('Whoever runs this server publishes to the community')
          : t('An owner of this account publishes to the community')
      }
    >
      <p>
        {t(
          'The file is of a profile for the community. In the editor it becomes a private one of this account, which they can publish.',
        )}
      </p>
    </Notice>
  );
}
