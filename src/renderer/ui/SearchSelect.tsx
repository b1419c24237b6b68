import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useId } from 'react';
import { labelIdOf } from './label-id.ts';
import { t } from '../text/t.ts';

export interface SearchOption {
  value: string;
  label: string;
  detail?: string;
}

interface SearchSelectProps {
  label: string;
  /** The choice of no entry, such as "All cases". */
  all: string;
  /** The entry that is chosen; null for all. */
  value: SearchOption | null;
  onValue: (value: string | null) => void;
  /** What the search has found; undefined while it is asked for. */
  found: readonly SearchOption[] | undefined;
  /** There are more than these. */
  hasMore: boolean;
  search: string;
  onSearch: (text: string) => void;
  onOpen: (open: boolean) => void;
  /** Why nothing can be found at present. */
  failure?: string | undefined;
}

/** Chooses one of more entries than a list can show: typing asks the server for those that fit. */
export function SearchSelect({
  label,
  all,
  value,
  onValue,
  found,
  hasMore,
  search,
  onSearch,
  onOpen,
  failure,
}: SearchSelectProps) {
  const id = useId();
  const every: SearchOption = { value: '', label: all };
  const items = [...(search.trim() === '' ? [every] : []), ...(found ?? [])];
  return (
    <Base.Root
      id={id}
      items={items}
      filter={null}
      value={value ?? every}
      isItemEqualToValue={(item, chosen) => item.value === chosen.value}
      inputValue={search}
      onInputValueChange={(text, { reason }) => {
        if (reason !== 'item-press') onSearch(text);
      }}
      onValueChange={(next) => {
        if (next !== null) onValue(next.value === '' ? null : next.value);
      }}
      onOpenChange={(open) => {
        onOpen(open);
        if (!open) onSearch('');
      }}
      autoHighlight
    >
      <div className="field field-inline">
        <Base.Label className="field-label">{label}</Base.Label>
        <Base.Trigger className="input select" aria-labelledby={labelIdOf(id)}>
          <span className="select-value">{(value ?? every).label}</span>
          <Base.Icon className="select-icon">
            <ChevronsUpDown size={14} aria-hidden="true" />
          </Base.Icon>
        </Base.Trigger>
      </div>
      <Base.Portal>
        <Base.Positioner className="popup-positioner" sideOffset={4} align="start">
          <Base.Popup className="popup select-popup" aria-label={label}>
            <Base.Input
              className="input search-select-input"
              aria-label={t('Search: {label}', { label })}
              placeholder={t('Search')}
              onKeyDown={(event) => {
                // What the text finds is on its way: nothing can be chosen yet.
                if (event.key !== 'Enter' || found !== undefined) return;
                event.preventBaseUIHandler();
                event.preventDefault();
              }}
            />
            <Base.Status className="search-select-status muted small">
              {statusWords(found, hasMore, failure)}
            </Base.Status>
            <Base.List className="select-list">
              {(item: SearchOption) => (
                <Base.Item key={item.value} value={item} className="popup-item select-item">
                  <Base.ItemIndicator className="select-check">
                    <Check size={14} aria-hidden="true" />
                  </Base.ItemIndicator>
                  <span className="select-text">
                    <span>{item.label}</span>
                    {item.detail !== undefined && (
                      <span className="muted small">{item.detail}</span>
                    )}
                  </span>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function statusWords(
  found: readonly SearchOption[] | undefined,
  hasMore: boolean,
  failure: string | undefined,
): string {
  if (found === undefined) return failure ?? t('Searching…');
  if (found.length === 0) return t('Nothing found');
  return hasMore ? t('There are more: type to search.') : '';
}
