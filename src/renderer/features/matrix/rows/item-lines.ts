export interface ItemLine {
  line: number;
  item_uid: string;
  label?: string;
  item_type?: string;
}

export interface Refusal {
  line: number;
  item_uid: string;
  message: string;
}

const COLUMNS: Record<string, 'item_uid' | 'label' | 'item_type'> = { item_uid: 'item_uid', uid: 'item_uid', label: 'label', name: 'label', item_type: 'item_type', type: 'item_type' };

/** The columns that a first line names; undefined where it names none, and so is an item itself. */
function headerOf(fields: readonly string[]): (string | undefined)[] | undefined {
  const columns = fields.map((field) => COLUMNS[field.toLowerCase()]);
  return fields.length > 1 && columns.includes('item_uid') && columns.every((column) => column !== undefined) ? columns : undefined;
}

/** One item a line: its uid, and after tabs its label and its type, or in the order that a first line names. Blank lines do not count; a uid listed before is refused here. */
export function parseItemLines(text: string): { items: ItemLine[]; refused: Refusal[]; hasHeader: boolean } {
  const items: ItemLine[] = [];
  const refused: Refusal[] = [];
  const firstLine = new Map<string, number>();
  const lines = text.split(/\r\n|\r|\n/);
  const header = headerOf((lines[0] ?? '').split('\t').map((field) => field.trim()));
  const columns = header ?? ['item_uid', 'label', 'item_type'];
  for (let at = header === undefined ? 0 : 1; at < lines.length; at += 1) {
    const raw = lines[at] ?? '';
    if (raw.trim() === '') continue;
    const fields = raw.split('\t');
    const field = (name: string): string => (fields[columns.indexOf(name)] ?? '').trim();
    const item_uid = field('item_uid').normalize('NFC');
    const line = at + 1;
    const [label, item_type] = [field('label'), field('item_type')];
    const earlier = firstLine.get(item_uid);
    if (item_uid === '') refused.push({ line, item_uid, message: 'Has a label but no uid.' });
    else if (fields.slice(columns.length).some((rest) => rest.trim() !== '')) refused.push({ line, item_uid, message: `Has more than ${columns.length} columns: uid, label and type are read.` });
    else if (earlier !== undefined) refused.push({ line, item_uid, message: `Stands on line ${earlier} already.` });
    else {
      firstLine.set(item_uid, line);
      items.push({ line, item_uid, ...(label !== '' && { label }), ...(item_type !== '' && { item_type }) });
    }
  }
  return { items, refused, hasHeader: header !== undefined };
}
