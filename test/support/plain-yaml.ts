/**
 * The little of YAML that our own files use: maps and lists by two spaces, scalars on one line, no
 * anchors, no flow but lists of strings.
 */
export type Yaml = string | Yaml[] | { [key: string]: Yaml };

interface Line {
  depth: number;
  text: string;
  number: number;
}

function scalar(text: string): Yaml {
  if (text.startsWith('[')) return JSON.parse(text) as string[];
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function block(lines: Line[], depth: number): Yaml {
  const first = lines[0];
  if (first?.depth !== depth)
    throw new Error(`Line ${first?.number}: another indentation was expected.`);
  if (first.text.startsWith('- ')) {
    const list: Yaml[] = [];
    while (lines[0]?.depth === depth) list.push(scalar(lines.shift()!.text.slice(2)));
    return list;
  }
  const map: Record<string, Yaml> = {};
  while (lines[0]?.depth === depth) {
    const { text, number } = lines.shift()!;
    const [, key, value] = /^([\w-]+):(?: (.+))?$/.exec(text) ?? [];
    if (key === undefined || key in map)
      throw new Error(`Line ${number} is no entry, or is there twice: ${text}`);
    const isEmpty = value === undefined && lines[0]?.depth !== depth + 2;
    map[key] = value === undefined ? (isEmpty ? '' : block(lines, depth + 2)) : scalar(value);
  }
  return map;
}

export function readPlainYaml(text: string): Yaml {
  const lines = text
    .split('\n')
    .map((line, index): Line => ({
      depth: line.length - line.trimStart().length,
      text: line.trim(),
      number: index + 1,
    }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'));
  const value = block(lines, 0);
  if (lines.length > 0)
    throw new Error(`Line ${lines[0]?.number}: another indentation was expected.`);
  return value;
}
