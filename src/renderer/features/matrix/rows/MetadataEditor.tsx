import { Plus, Trash2 } from 'lucide-react';
import { useId, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Button, IconButton } from '../../../ui/Button.tsx';
import {
  type MetadataMember,
  retype,
  VALUE_TYPE_LABELS,
  VALUE_TYPES,
  type ValueType,
} from './metadata.ts';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';

interface MetadataEditorProps {
  members: readonly MetadataMember[];
  problems: ReadonlyMap<number, string>;
  onChange: (members: MetadataMember[]) => void;
}

const PLACEHOLDERS: Partial<Record<ValueType, string>> = {
  null: t('nothing'),
  date: t('YYYY-MM-DD'),
};

/** Names and values of an item's fields; each value keeps its type of JSON. */
export function MetadataEditor({ members, problems, onChange }: MetadataEditorProps) {
  const root = useRef<HTMLFieldSetElement>(null);
  const change = (member: MetadataMember): void =>
    onChange(members.map((other) => (other.id === member.id ? member : other)));
  const add = (): void => {
    // At once: what is typed next belongs to the new name.
    flushSync(() =>
      onChange([
        ...members,
        {
          id: Math.max(-1, ...members.map((member) => member.id)) + 1,
          name: '',
          type: 'text',
          text: '',
        },
      ]),
    );
    [...(root.current?.querySelectorAll<HTMLElement>('.mx-member-name') ?? [])].at(-1)?.focus();
  };
  const remove = (gone: MetadataMember): void => {
    onChange(members.filter((member) => member !== gone));
    root.current?.querySelector<HTMLElement>('.mx-member-add')?.focus();
  };
  return (
    <fieldset ref={root} className="mx-metadata">
      <legend>
        {rich('Fields <span>(optional)</span>', {
          span: (text) => <span className="field-optional">{text}</span>,
        })}
      </legend>
      {members.map((member, index) => (
        <MemberRow
          key={member.id}
          member={member}
          of={member.name === '' ? t('field {number, number}', { number: index + 1 }) : member.name}
          problem={problems.get(member.id)}
          onChange={change}
          onRemove={() => remove(member)}
        />
      ))}
      <Button
        size="sm"
        variant="ghost"
        className="mx-member-add"
        icon={<Plus size={14} aria-hidden="true" />}
        onClick={add}
      >
        {t('Add field')}
      </Button>
    </fieldset>
  );
}

interface MemberRowProps {
  member: MetadataMember;
  /** What the row is called. */
  of: string;
  problem: string | undefined;
  onChange: (member: MetadataMember) => void;
  onRemove: () => void;
}

function MemberRow({ member, of, problem, onChange, onRemove }: MemberRowProps) {
  const id = useId();
  return (
    <div className="mx-member">
      <input
        className="input mx-member-name"
        aria-label={t('Name of {field}', { field: of })}
        placeholder={t('Name')}
        value={member.name}
        onChange={(event) => onChange({ ...member, name: event.target.value })}
      />
      <select
        className="input mx-member-type"
        aria-label={t('Type of {field}', { field: of })}
        value={member.type}
        onChange={(event) =>
          onChange(
            retype(member, VALUE_TYPES.find((type) => type === event.target.value) ?? member.type),
          )
        }
      >
        {VALUE_TYPES.map((type) => (
          <option key={type} value={type}>
            {VALUE_TYPE_LABELS[type]}
          </option>
        ))}
      </select>
      <MemberValue
        member={member}
        of={of}
        problemId={problem === undefined ? undefined : id}
        onChange={onChange}
      />
      <IconButton label={t('Remove {name}', { name: of })} onClick={onRemove}>
        <Trash2 size={14} aria-hidden="true" />
      </IconButton>
      {problem !== undefined && (
        <p id={id} className="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function MemberValue({
  member,
  of,
  problemId,
  onChange,
}: Pick<MemberRowProps, 'member' | 'of' | 'onChange'> & { problemId: string | undefined }) {
  const onText = (text: string): void => onChange({ ...member, text });
  return member.type === 'boolean' ? (
    <select
      className="input"
      aria-label={t('Value of {field}', { field: of })}
      value={member.text}
      onChange={(event) => onText(event.target.value)}
    >
      <option value="true">{t('yes')}</option>
      <option value="false">{t('no')}</option>
    </select>
  ) : (
    <input
      className={member.type === 'json' ? 'input input-mono' : 'input'}
      dir={member.type === 'text' ? 'auto' : undefined}
      aria-label={t('Value of {field}', { field: of })}
      placeholder={PLACEHOLDERS[member.type] ?? t('Value')}
      disabled={member.type === 'null'}
      value={member.text}
      {...(problemId !== undefined && { 'aria-invalid': true, 'aria-describedby': problemId })}
      onChange={(event) => onText(event.target.value)}
    />
  );
}
