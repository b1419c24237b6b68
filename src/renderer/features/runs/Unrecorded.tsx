import type { RunRecord } from '../../../shared/domain/run.ts';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import type { RunCounts } from '../../../shared/domain/item-lines.ts';
import { unrecordedCells } from './record.ts';
import { unrecordedSentence } from './sentences.ts';
import { t } from '../../text/t.ts';

const PAGE = 25;

/** A warning that some zeros of the result only mean that nobody has looked. */
export function Unrecorded({ run, totals }: { run: RunRecord; totals: RunCounts }) {
  const pager = usePager(totals[3], PAGE);
  const { items, profile, rules } = run.frozen;
  const nameByRule = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const shown = totals[3] === 0 ? [] : unrecordedCells(run, pager.first, PAGE);
  return (
    <Section
      title={t('Cells not recorded')}
      note={unrecordedSentence(totals[3], items.length * rules.length)}
    >
      {shown.length > 0 && (
        <>
          <Table
            caption={t('Cells not recorded')}
            dense
            head={
              <tr>
                <th scope="col">{t('Item')}</th>
                <th scope="col">{t('Rule')}</th>
              </tr>
            }
          >
            {shown.map(({ item, rule }) => {
              const uid = rules[rule] ?? '';
              return (
                <tr key={`${item}-${rule}`}>
                  <th scope="row">
                    {items[item]?.label} <code className="muted">{items[item]?.item_uid}</code>
                  </th>
                  <td>{nameByRule.get(uid) ?? uid}</td>
                </tr>
              );
            })}
          </Table>
          <Pager pager={pager} what={t('cells')} />
        </>
      )}
    </Section>
  );
}
