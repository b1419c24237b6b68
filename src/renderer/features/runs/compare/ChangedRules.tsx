import { formatCount } from '../../../state/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { signed } from '../sentences.ts';
import type { RuleChange } from './run-diff.ts';

const KIND_WORDS: Readonly<Record<RuleChange['kind'], string>> = {
  same: 'unchanged',
  text: 'its text changed',
  added: 'only in the later run',
  removed: 'only in the earlier run',
};

const count = (value: number | undefined): string =>
  value === undefined ? '–' : formatCount(value);

/** The rules of both runs, one by one: also those of another version of the profile. */
export function ChangedRules({ rules }: { rules: readonly RuleChange[] }) {
  const others = rules.filter(({ kind }) => kind !== 'same').length;
  return (
    <Section
      title="Rules of both runs"
      note={
        (others === 0
          ? 'Both runs ask the same. '
          : `${formatCount(others)} of ${formatCount(rules.length)} rules differ between the two. `) +
        'Rules are matched by their ID; a rule whose text changed may ask something else.'
      }
    >
      <Table
        caption="Rules of both runs"
        dense
        head={
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">In the profile</th>
            <th scope="col" className="n">
              Changed outcomes
            </th>
            <th scope="col" className="n">
              Evidence present, earlier
            </th>
            <th scope="col" className="n">
              Later
            </th>
            <th scope="col" className="n">
              Change
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
