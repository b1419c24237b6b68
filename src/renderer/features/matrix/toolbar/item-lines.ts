export interface ItemLine {
  line: number;
  item_uid: string;
  label?: string;
}

export interface Refusal {
  line: number;
  item_uid: string;
  message: string;
}

/** One item a line: its uid, and after a tab its label. Blank lines do not count; a uid listed before is refused here. */
export function parseItemLines(text: string): { items: ItemLine[]; refused: Refusal[] } {
  const items: ItemLine[] = [];
  const refused: Refusal[] = [];
  const firstLine = new Map<string, number>();
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const tab = raw.indexOf('\t');
    const item_uid = (tab < 0 ? raw : raw.slice(0, tab)).trim().normalize('NFC');
    const label = tab < 0 ? '' : raw.slice(tab + 1).trim();
    const line = index + 1;
    if (item_uid === '') {
      if (label !== '') refused.push({ line, item_uid, message: 'Has a label but no uid.' });
      continue;
    }
    const earlier = firstLine.get(item_uid);
    if (earlier !== undefined) refused.push({ line, item_uid, message: `Stands on line ${earlier} already.` });
    else {
      firstLine.set(item_uid, line);
      items.push({ line, item_uid, ...(label === '' ? {} : { label }) });
    }
  }
  return { items, refused };
}
