import { memo } from 'react';
import { formatCount } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { ImportPlan, NewItem } from './plan.ts';
import type { Wizard } from './wizard.ts';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';

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
            {doubtful.length === 0
              ? t('{added, plural, one {# new item} other {# new items}}', { added })
              : t(
                  '{added, plural, one {# new item} other {# new items}}, {doubtful, number} to look at',
                  { added, doubtful: doubtful.length },
                )}
          </summary>
          <div className="tr-list-body">
            {offers.length > 1 && (
              <div className="actions">
                <Button size="sm" onClick={() => void wizard.setAliases(offers)}>
                  {t('Use the items of the case for all {offers, number}', {
                    offers: offers.length,
                  })}
                </Button>
              </div>
            )}
            <Table
              caption={t('New items')}
              dense
              head={
                <tr>
                  <th scope="col">{t('Row')}</th>
                  <th scope="col">{t('ID in the file')}</th>
                  <th scope="col">{t('Look at')}</th>
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
              <p className="muted small">
                {t('and {more, number} more', { more: newItems.count - shown.length })}
              </p>
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
          {near.isPresent
            ? rich('The case has {id}: {why}.', { id: <code>{near.uid}</code>, why: near.why })
            : rich('Further up there is {id}: {why}.', {
                id: <code>{near.uid}</code>,
                why: near.why,
              })}
        </p>
      )}
      {near?.isPresent === true && (
        <Button size="sm" onClick={() => void wizard.setAliases([[uid, near.uid]])}>
          {t('Use {uid}', { uid: near.uid })}
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
      <summary>
        {t('{items, plural, one {# item} other {# items}} of the case used for another ID', {
          items: aliases.size,
        })}
      </summary>
      <ul className="plain-list tr-list-body">
        {entries.slice(0, SHOWN).map(([uid, item]) => (
          <li key={uid} className="tr-inline">
            <span>
              {rich('{uid} is {item}', { uid: <code>{uid}</code>, item: <code>{item}</code> })}
            </span>
            <Button size="sm" onClick={() => void wizard.setAliases([[uid, null]])}>
              {t('Add {uid} as new', { uid })}
            </Button>
          </li>
        ))}
        {entries.length > SHOWN && (
          <li>
            <Button
              size="sm"
              onClick={() => void wizard.setAliases(entries.map(([uid]) => [uid, null] as const))}
            >
              {t('Add all {entries, number} as new', { entries: entries.length })}
            </Button>
          </li>
        )}
      </ul>
    </details>
  );
}
