import { memo } from 'react';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { ImportPlan, NewItem } from './plan.ts';
import type { Wizard } from './wizard.ts';

const SHOWN = 50;

type Offer = readonly [uid: string, item: string];
const offersOf = (items: readonly NewItem[]): Offer[] =>
  items.flatMap(({ uid, near }) => (near?.isPresent === true ? [[uid, near.uid] as const] : []));

/** Items that the case does not have, those first that may be meant as one that it has. */
export const NewItemsPart = memo(function NewItemsPart({
  wizard,
  plan: { newItems, added },
  aliases,
}: {
  wizard: Wizard;
  plan: ImportPlan;
  aliases: ReadonlyMap<string, string>;
}) {
  const offers = offersOf(newItems.entries);
  const doubtful = newItems.entries.filter(
    ({ near, doubt }) => near !== undefined || doubt !== undefined,
  );
  const shown = [
    ...doubtful,
    ...newItems.entries.filter(({ near, doubt }) => near === undefined && doubt === undefined),
  ].slice(0, SHOWN);
  return (
    <>
      {aliases.size > 0 && <Used wizard={wizard} aliases={aliases} />}
      {added > 0 && (
        <details
          className="tr-list"
          data-tone={doubtful.length > 0 ? 'warning' : undefined}
          open={doubtful.length > 0 || undefined}
        >
          <summary>
            {plural(added, 'new item')}
            {doubtful.length > 0 && `, ${formatCount(doubtful.length)} to look at`}
          </summary>
          <div className="tr-list-body">
            {offers.length > 1 && (
              <div className="actions">
                <Button size="sm" onClick={() => void wizard.setAliases(offers)}>
                  Use the items of the case for all {formatCount(offers.length)}
                </Button>
              </div>
            )}
            <Table
              caption="New items"
              dense
              head={
                <tr>
                  <th scope="col">Row</th>
                  <th scope="col">ID in the file</th>
                  <th scope="col">Look at</th>
                </tr>
              }
            >
              {shown.map((item) => (
                <tr key={item.uid}>
                  <td className="num muted">{formatCount(item.line)}</td>
                  <th scope="row" className="tr-field">
                    {item.uid}
                  </th>
                  <td className="tr-why">
                    <Doubt wizard={wizard} item={item} />
                  </td>
                </tr>
              ))}
            </Table>
            {newItems.count > shown.length && (
              <p className="muted small">and {formatCount(newItems.count - shown.length)} more</p>
            )}
          </div>
        </details>
      )}
    </>
  );
});

function Doubt({ wizard, item: { uid, doubt, near } }: { wizard: Wizard; item: NewItem }) {
  return (
    <>
      {doubt !== undefined && <p className="small">{doubt}</p>}
      {near !== undefined && (
        <p className="small">
          {near.isPresent ? 'The case has ' : 'Further up there is '}
          <code>{near.uid}</code>: {near.why}.
        </p>
      )}
      {near?.isPresent === true && (
        <Button size="sm" onClick={() => void wizard.setAliases([[uid, near.uid]])}>
          Use {near.uid}
        </Button>
      )}
    </>
  );
}

/** The items of the case that are taken for others of the file. */
function Used({ wizard, aliases }: { wizard: Wizard; aliases: ReadonlyMap<string, string> }) {
  const entries = [...aliases];
  return (
    <details className="tr-list">
      <summary>{plural(aliases.size, 'item')} of the case used for another ID</summary>
      <ul className="plain-list tr-list-body">
        {entries.slice(0, SHOWN).map(([uid, item]) => (
          <li key={uid} className="tr-inline">
            <span>
              <code>{uid}</code> is <code>{item}</code>
            </span>
            <Button size="sm" onClick={() => void wizard.setAliases([[uid, null]])}>
              Add {uid} as new
            </Button>
          </li>
        ))}
        {entries.length > SHOWN && (
          <li>
            <Button
              size="sm"
              onClick={() => void wizard.setAliases(entries.map(([uid]) => [uid, null] as const))}
            >
              Add all {formatCount(entries.length)} as new
            </Button>
          </li>
        )}
      </ul>
    </details>
  );
}
