import { createRef, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CheckField, SecretField, TextArea, TextField } from '../../../src/renderer/ui/Field.tsx';
import { SearchField } from '../../../src/renderer/ui/SearchField.tsx';
import { SearchSelect } from '../../../src/renderer/ui/SearchSelect.tsx';
import { Select } from '../../../src/renderer/ui/Select.tsx';

const nothing = (): void => undefined;
const text = { name: 'word', label: 'Named', value: '', onValue: nothing };
const CONTROLS: Record<string, ReactElement> = {
  Select: <Select label="Named" options={[]} value={null} onValue={nothing} />,
  'Select, label hidden': (
    <Select label="Named" options={[]} value={null} onValue={nothing} labelHidden />
  ),
  SearchSelect: (
    <SearchSelect
      label="Named"
      all="All"
      value={null}
      onValue={nothing}
      found={[]}
      hasMore={false}
      search=""
      onSearch={nothing}
      onOpen={nothing}
    />
  ),
  SearchField: <SearchField label="Named" value="" onValue={nothing} />,
  TextField: <TextField {...text} />,
  TextArea: <TextArea {...text} />,
  SecretField: (
    <SecretField name="word" label="Named" input={createRef<HTMLInputElement>()} onEdit={nothing} />
  ),
  CheckField: <CheckField label="Named" checked={false} onChecked={nothing} />,
};

/** The attribute of the first element that has it. */
const attribute = (markup: string, name: string): string | undefined =>
  new RegExp(` ${name}="([^"]+)"`).exec(markup)?.[1];

/** What a control is when it first stands on the page: no effect has run yet. */
test.each(Object.entries(CONTROLS))('%s has its name from the first frame', (name, control) => {
  const markup = renderToStaticMarkup(control);
  if (name === 'CheckField') return expect(markup).toMatch(/^<label.*<input.*Named.*<\/label>$/);
  const label = attribute(markup, 'for');
  const labelled = attribute(markup, 'aria-labelledby');
  expect(label ?? labelled, markup).toBeDefined();
  const named =
    label === undefined ? new RegExp(` id="${labelled}"[^>]*>Named`) : / for="[^>]*>Named/;
  expect(markup).toMatch(named);
  if (label !== undefined)
    expect(markup).toMatch(new RegExp(`<(input|textarea)[^>]* id="${label}"`));
});
