/**
 * An example agent. It waits for cells to judge, looks into the text of each item, and suggests what
 * it finds with the words that it rests on; a person decides. It never invents: where the text holds
 * none of its words, it suggests nothing.
 *
 *     node clients/read_papers.ts CASE PROFILE FOLDER WORDS.json
 *
 * FOLDER has a text file for each item, named as its item_uid with `.txt`. WORDS.json says what each
 * rule is looked for by: `[{"rule_uid": "...", "raw_outcome": "FALSE", "words": "deposited under"}]`.
 * A model goes in the place of `judge`. URL and KEY come from the environment; SECONDS is how long it
 * waits for more before it ends (50).
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Decided, EvidenceStudio, type Outcome, type Suggestion } from './evidence_studio.ts';

interface Hint {
  rule_uid: string;
  raw_outcome: Outcome;
  words: string;
}
type Cell = Pick<Suggestion, 'item_uid' | 'rule_uid'>;

const [caseUid = '', profileUid = '', folder = '.', wordsFile = ''] = process.argv.slice(2);
const { URL: url = '', KEY: key = '', SECONDS = '50' } = process.env;
const studio = new EvidenceStudio(url, key);
const hints = JSON.parse(await readFile(wordsFile, 'utf8')) as Hint[];
/** Words that a person refused: they mean something else here. */
const refused = new Set<string>();
const nameOf = ({ rule_uid, raw_outcome }: { rule_uid: string; raw_outcome: Outcome | null }) =>
  `${rule_uid} ${String(raw_outcome)}`;

async function linesOf(item: string): Promise<string[]> {
  // What names an item is data: it leads nowhere but into the folder.
  const file = path.join(folder, `${item}.txt`);
  if (path.dirname(path.resolve(file)) !== path.resolve(folder)) return [];
  return readFile(file, 'utf8').then(
    (text) => text.split(/\r?\n/),
    () => [],
  );
}

/** What the text says of a cell, or nothing. */
function judge({ item_uid, rule_uid }: Cell, lines: readonly string[]): Suggestion | undefined {
  for (const hint of hints) {
    if (hint.rule_uid !== rule_uid || refused.has(nameOf(hint))) continue;
    const at = lines.findIndex((line) => line.toLowerCase().includes(hint.words.toLowerCase()));
    if (at === -1) continue;
    return {
      item_uid,
      rule_uid,
      raw_outcome: hint.raw_outcome,
      quote: lines[at]?.trim().slice(0, 2_000) ?? '',
      locator: `line ${at + 1}`,
      source_value: `${item_uid}.txt`,
      model: { name: 'read_papers', version: '1' },
    };
  }
  return undefined;
}

/** A refusal is a reason to look for these words no more. */
function learn({ item_uid, rule_uid, raw_outcome, verdict, reason }: Decided): void {
  console.log(`${verdict}: ${item_uid} ${rule_uid}${reason === null ? '' : `: ${reason}`}`);
  if (verdict === 'refused') refused.add(nameOf({ rule_uid, raw_outcome }));
}

async function suggestFor(cells: readonly (Cell & { revision?: number })[]): Promise<void> {
  const texts = new Map<string, string[]>();
  const found: Suggestion[] = [];
  for (const cell of cells) {
    const lines = texts.get(cell.item_uid) ?? (await linesOf(cell.item_uid));
    texts.set(cell.item_uid, lines);
    const suggestion = judge(cell, lines);
    if (suggestion === undefined) continue;
    found.push(
      cell.revision === undefined ? suggestion : { ...suggestion, if_revision: cell.revision },
    );
  }
  if (found.length > 0) await studio.suggest(caseUid, profileUid, found);
  console.log(`suggested ${found.length} of ${cells.length}`);
}

let after: number | undefined;
for (;;) {
  const answer = await studio.toJudge(caseUid, profileUid, {
    limit: 200,
    ...(after !== undefined && { after, wait: Number(SECONDS) }),
  });
  if (
    after !== undefined &&
    answer.cells.length + answer.stale.length + answer.decided.length === 0
  )
    break;
  answer.decided.forEach(learn);
  let { cells, next_cursor: cursor } = answer;
  await suggestFor([...cells, ...answer.stale]);
  while (cursor !== null) {
    ({ cells, next_cursor: cursor } = await studio.toJudge(caseUid, profileUid, {
      limit: 200,
      cursor,
    }));
    await suggestFor(cells);
  }
  ({ after } = answer);
}
