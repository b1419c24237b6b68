import { formatCount } from '../../../state/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { signed } from '../sentences.ts';
import type { RuleChange } from '../../../../shared/domain/run-diff.ts';
import { t, tAs } from '../../../text/t.ts';

const KIND_WORDS: Readonly<Record<RuleChange['kind'], string>> = {
  same: t('unchanged'),
  text: t('its text changed'),
  added: t('only in the later run'),
  removed: t('only in the earlier run'),
};

const count = (value: number | undefined): string =>
  value === undefined ? '–' : formatCount(value);

/** The rules of both runs, one by one: also those of another version of the profile. */
export function ChangedRules({ rules }: { rules: readonly RuleChange[] }) {
  const others = rules.filter(({ kind }) => kind !== 'same').length;
  return (
    <Section
      title={t('Rules of both runs')}
      note={
        <>
          {others === 0
            ? t('Both runs ask the same.')
            : t('{others, number} of {rules, number} rules differ between the two.', {
                others,
                rules: rules.length,
              })}{' '}
          {t('Rules are matched by their ID; a rule whose text changed may ask something else.')}
        </>
      }
    >
      <Table
        caption={t('Rules of both runs')}
        dense
        head={
          <tr>
            <th scope="col">{t('Rule')}</th>
            <th scope="col">{t('In the profile')}</th>
            <th scope="col" className="n">
              {t('Changed outcomes')}
            </th>
            <th scope="col" className="n">
              {t('Evidence present, earlier')}
            </th>
            <th scope="col" className="n">
              {t('Later')}
            </th>
            <th scope="col" className="n">
              {tAs('difference', 'Change')}
            </th>
          </tr>
        }
      >
        {rules.map(({ uid, name, kind, cells, from, to }) => (
          <tr key={`${kind} ${uid}`}>
            <th scope="row">{name}</th>
            <td>{KIND_WORDS[kind]}</td>
            <td className="n">{formatCount(cells)}</td>
            <td className="n">{count(from)}</td>
            <td className="n">{count(to)}</td>
            <td className="n">
              {from === undefined || to === undefined ? '' : signed(to - from, 0)}
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
