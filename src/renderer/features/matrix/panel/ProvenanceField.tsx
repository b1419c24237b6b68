import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/Button.tsx';
import { DetailText } from './DetailText.tsx';
import { isPlainSource, isStructured, otherMembers, type Part, PART_LABELS, partOf, PARTS, withParts } from './provenance.ts';

interface ProvenanceFieldProps {
  value: unknown;
  onSave: (value: unknown) => void;
  onLeave: () => void;
}

/** A free text, or source, locator, method and date. Keyed by cell by the caller. */
export function ProvenanceField({ value, onSave, onLeave }: ProvenanceFieldProps) {
  const [asked, setAsked] = useState(false);
  if (isStructured(value) || asked) {
    const toText = value === null || !isStructured(value) ? () => setAsked(false) : isPlainSource(value) ? () => { setAsked(false); onSave(partOf(value, 'source') || null); } : undefined;
    return <Structured value={value} onSave={onSave} onLeave={onLeave} toText={toText} />;
  }
  return (
    <div className="mx-provenance">
      <Button size="sm" variant="ghost" className="mx-switch" onClick={() => setAsked(true)}>In parts</Button>
      <DetailText label="Provenance" rows={2} placeholder="Report, file, run or reader it comes from" value={typeof value === 'string' ? value : null} onSave={onSave} onLeave={onLeave} />
    </div>
  );
}

function Structured({ value, onSave, onLeave, toText }: ProvenanceFieldProps & { toText: (() => void) | undefined }) {
  const [edited, setEdited] = useState<Partial<Record<Part, string>>>({});
  const latest = useRef({ edited, value, onSave });
  useEffect(() => {
    latest.current = { edited, value, onSave };
  });
  const commit = (): void => {
    const now = latest.current;
    if (Object.keys(now.edited).length === 0) return;
    latest.current = { ...now, edited: {} };
    setEdited({});
    const next = withParts(now.value, now.edited);
    if (JSON.stringify(next) !== JSON.stringify(now.value)) now.onSave(next);
  };
  const change = (part: Part, text: string): void => {
    const next = { ...edited, [part]: text };
    latest.current = { ...latest.current, edited: next };
    setEdited(next);
  };
  useEffect(() => () => {
    const { edited: left, value: before, onSave: save } = latest.current;
    if (Object.keys(left).length > 0) save(withParts(before, left));
  }, []);
  const group = useRef<HTMLFieldSetElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) commit();
    else if (event.key === 'Escape') {
      event.preventDefault();
      if (Object.keys(edited).length === 0) {
        onLeave();
        return;
      }
      latest.current = { ...latest.current, edited: {} };
      setEdited({});
    }
  };
  /** One gesture for all parts: only leaving the group saves. */
  const onBlur = (event: FocusEvent): void => {
    if (group.current?.contains(event.relatedTarget) !== true) commit();
  };
  return (
    <fieldset ref={group} className="mx-provenance">
      <legend>Provenance</legend>
      {toText !== undefined && <Button size="sm" variant="ghost" className="mx-switch" onClick={toText}>As text</Button>}
      <div className="mx-parts">
        {PARTS.map((part) => (
          <label key={part}>
            <span>{PART_LABELS[part]}</span>
            <input className="input" value={edited[part] ?? partOf(value, part)} placeholder={part === 'date' ? 'YYYY-MM-DD' : undefined} onChange={(event) => change(part, event.target.value)} onBlur={onBlur} onKeyDown={onKeyDown} />
          </label>
        ))}
        {otherMembers(value).map(([key, entry]) => <p key={key} className="mx-part-other"><span>{key}</span><span>{typeof entry === 'string' ? entry : JSON.stringify(entry)}</span></p>)}
      </div>
    </fieldset>
  );
}
