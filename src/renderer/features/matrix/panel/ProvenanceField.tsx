import {
  type FocusEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button } from '../../../ui/Button.tsx';
import { notify } from '../editor/editor-state.ts';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { dateProblem } from '../model/date.ts';
import { DetailText } from './DetailText.tsx';
import { Held, type Hold } from './Held.tsx';
import {
  isPlainSource,
  isStructured,
  otherMembers,
  type ProvenancePart,
  PART_LABELS,
  partOf,
  PARTS,
  withParts,
} from './provenance.ts';
import { addressOf } from '../model/reference.ts';
import { ReferenceLink } from './ReferenceLink.tsx';
import { t } from '../../../text/t.ts';

interface ProvenanceFieldProps {
  value: unknown;
  onSave: (value: unknown) => void;
  onLeave: () => void;
  hold: Hold | undefined;
}

/** A free text, or source, locator, method and date. Keyed by cell by the caller. */
export function ProvenanceField({ value, onSave, onLeave, hold }: ProvenanceFieldProps) {
  const [asked, setAsked] = useState(false);
  const mayWrite = useMayWrite();
  if (isStructured(value) || asked) {
    const toText =
      value === null || !isStructured(value)
        ? () => setAsked(false)
        : isPlainSource(value)
          ? () => {
              setAsked(false);
              onSave(partOf(value, 'source') || null);
            }
          : undefined;
    return (
      <Structured value={value} onSave={onSave} onLeave={onLeave} hold={hold} toText={toText} />
    );
  }
  return (
    <div className="mx-provenance">
      {mayWrite && (
        <Button size="sm" variant="ghost" className="mx-switch" onClick={() => setAsked(true)}>
          {t('Structured')}
        </Button>
      )}
      <DetailText
        label={t('Provenance')}
        rows={2}
        placeholder={t('Report, file, run or reader it comes from')}
        value={typeof value === 'string' ? value : null}
        onSave={onSave}
        onLeave={onLeave}
        hold={hold}
      />
      {typeof value === 'string' && <Leads text={value} />}
    </div>
  );
}

/** Where a text leads that is an address as a whole. */
function Leads({ text }: { text: string }) {
  const address = addressOf(text);
  return address === undefined ? null : (
    <p className="mx-leads">
      <ReferenceLink address={address}>{new URL(address).host}</ReferenceLink>
    </p>
  );
}

/** What of an edit can be saved: a date that is none stays behind. */
function savable(
  edited: Partial<Record<ProvenancePart, string>>,
): Partial<Record<ProvenancePart, string>> {
  if (dateProblem(edited.date ?? '') === undefined) return edited;
  const { date: _, ...rest } = edited;
  return rest;
}

/**
 * What is typed in the parts, saved as one value: when the group is left, or is taken away; on hold
 * by `save` alone.
 */
function usePartsDraft(value: unknown, onSave: (value: unknown) => void, hold: Hold | undefined) {
  const { store } = useEditor();
  const [edited, setEdited] = useState<Partial<Record<ProvenancePart, string>>>({});
  const latest = useRef({ edited, value, onSave, hold });
  useLayoutEffect(() => {
    latest.current = { edited, value, onSave, hold };
  });
  useEffect(
    () => () => {
      const { edited: left, value: before, onSave: save, hold: held } = latest.current;
      const valid = savable(left);
      if (held !== undefined && Object.keys(left).length > 0)
        return held.onLost(Object.values(left).join(' '));
      if (Object.keys(valid).length > 0) save(withParts(before, valid));
      if (valid === left) return undefined;
      return notify(
        store,
        `${t('Date not saved: "{date}".', { date: left.date ?? '' })} ${dateProblem(left.date ?? '') ?? ''}`,
        'problem',
      );
    },
    [store],
  );
  const set = (next: Partial<Record<ProvenancePart, string>>): void => {
    latest.current = { ...latest.current, edited: next };
    setEdited(next);
  };
  const save = (): void => {
    const now = latest.current;
    if (Object.keys(now.edited).length === 0 || savable(now.edited) !== now.edited) return;
    set({});
    const next = withParts(now.value, now.edited);
    if (JSON.stringify(next) !== JSON.stringify(now.value)) now.onSave(next);
  };
  return {
    edited,
    isEdited: Object.keys(edited).length > 0,
    change: (part: ProvenancePart, text: string): void => set({ ...edited, [part]: text }),
    discard: (): void => set({}),
    commit: (): void => {
      if (latest.current.hold === undefined) save();
    },
    save,
  };
}

function Structured({
  value,
  onSave,
  onLeave,
  hold,
  toText,
}: ProvenanceFieldProps & { toText: (() => void) | undefined }) {
  const mayWrite = useMayWrite();
  const draft = usePartsDraft(value, onSave, hold);
  const group = useRef<HTMLFieldSetElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) draft.commit();
    else if (event.key === 'Escape') {
      event.preventDefault();
      if (draft.isEdited) draft.discard();
      else onLeave();
    }
  };
  /** One change for all parts: only leaving the group saves. */
  const onBlur = (event: FocusEvent): void => {
    if (group.current?.contains(event.relatedTarget) !== true) draft.commit();
  };
  return (
    <fieldset ref={group} className="mx-provenance">
      <legend>{t('Provenance')}</legend>
      {toText !== undefined && mayWrite && (
        <Button size="sm" variant="ghost" className="mx-switch" onClick={toText}>
          {t('Free text')}
        </Button>
      )}
      <div className="mx-parts">
        {PARTS.map((part) => (
          <PartField
            key={part}
            part={part}
            text={draft.edited[part] ?? partOf(value, part)}
            onText={(text) => draft.change(part, text)}
            onBlur={onBlur}
            onKeyDown={onKeyDown}
          />
        ))}
        {otherMembers(value).map(([key, entry]) => (
          <p key={key} className="mx-part-other">
            <span>{key}</span>
            <span>{typeof entry === 'string' ? entry : JSON.stringify(entry)}</span>
          </p>
        ))}
      </div>
      {hold !== undefined && draft.isEdited && (
        <Held hold={hold} onSave={draft.save} onDrop={draft.discard} onLeave={onLeave} />
      )}
    </fieldset>
  );
}

const PLACEHOLDERS: Partial<Record<ProvenancePart, string>> = {
  date: t('YYYY-MM-DD'),
  locator: t('DOI, PMID, address, page'),
};

function PartField({
  part,
  text,
  onText,
  onBlur,
  onKeyDown,
}: {
  part: ProvenancePart;
  text: string;
  onText: (text: string) => void;
  onBlur: (event: FocusEvent) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const id = useId();
  const mayWrite = useMayWrite();
  const problem = part === 'date' ? dateProblem(text) : undefined;
  return (
    <div className="mx-part-field">
      <label htmlFor={id}>{PART_LABELS[part]}</label>
      <input
        id={id}
        className="input"
        readOnly={!mayWrite}
        value={text}
        placeholder={mayWrite ? PLACEHOLDERS[part] : undefined}
        {...(problem !== undefined && {
          'aria-invalid': true,
          'aria-describedby': `${id}-problem`,
        })}
        onChange={(event) => onText(event.target.value)}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} className="field-error" role="alert">
          {problem}
        </p>
      )}
      {part === 'locator' && <Leads text={text} />}
    </div>
  );
}
