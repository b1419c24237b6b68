import { wordsOf } from './heading-words.ts';
import type { ProfileRule } from './profile.ts';

/** A rule that a heading may mean. */
export interface NearRule {
  ruleUid: string;
  /** 0 to 1; comparable between headings and rules. */
  score: number;
  by: Likeness;
}

/** How a heading is like a rule. */
export type Likeness =
  /** It is made of the initials of the rule's name. */
  | { kind: 'initials' }
  /** It is the rule's name but for so many letters. */
  | { kind: 'letters'; letters: number }
  /** It shares these words with the rule's name, or with what the rule says to check. */
  | { kind: 'name' | 'description'; words: readonly string[] };

export type NamedRule = Pick<
  ProfileRule,
  'ruleUid' | 'name' | 'description' | 'evidenceMeaning' | 'problemMeaning'
>;

/** Words that every heading and every rule may have. */
const COMMON = new Set(
  (
    'a an and any are as at by for from has have if in is it its no not of on or per the to was with ' +
    'check ok status result results value flag rule test yes true false'
  ).split(' '),
);
const ENOUGH = 0.5;
const MARGIN = 0.12;
const SHORTEST_PREFIX = 3;
/** Names whose letters are compared. */
const [SHORTEST_NAME, LONGEST_NAME] = [5, 200];

/** Letters to change, add or take away to make one text of the other; at most `most` is counted. */
function editDistance(a: string, b: string, most: number): number {
  let [before, now] = [new Uint16Array(b.length + 1), new Uint16Array(b.length + 1)];
  for (let column = 0; column <= b.length; column += 1) before[column] = column;
  for (let row = 1; row <= a.length; row += 1) {
    const letter = a.charCodeAt(row - 1);
    let least = row;
    now[0] = row;
    for (let column = 1; column <= b.length; column += 1) {
      const changed = before[column - 1]! + (letter === b.charCodeAt(column - 1) ? 0 : 1);
      const other = Math.min(now[column - 1]!, before[column]!) + 1;
      const cost = changed < other ? changed : other;
      now[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return least;
    [before, now] = [now, before];
  }
  return before[b.length]!;
}

const meaningful = (text: string): string[] => wordsOf(text).filter((word) => !COMMON.has(word));

/** The same word, or one shortened to its beginning: "hom" and "homozygous". */
const isWord = (short: string, whole: string): boolean =>
  short === whole ||
  (short.length >= SHORTEST_PREFIX && whole.startsWith(short)) ||
  (whole.length >= SHORTEST_PREFIX + 1 && short.startsWith(whole)) ||
  (short.length > 4 && whole.length > 4 && short.slice(0, -1) === whole.slice(0, -1));

interface RuleVocabulary {
  rule: NamedRule;
  names: readonly string[];
  initials: readonly string[];
  nameWords: readonly string[];
  textWords: readonly string[];
}

const initialsOf = (text: string): string =>
  wordsOf(text)
    .map((word) => word[0])
    .join('');

function textsOf(rule: NamedRule): RuleVocabulary {
  const { ruleUid, name, description, evidenceMeaning, problemMeaning } = rule;
  const text = `${description} ${evidenceMeaning} ${problemMeaning}`;
  return {
    rule,
    names: [wordsOf(name).join(' '), wordsOf(ruleUid).join(' ')],
    initials: [
      initialsOf(name),
      initialsOf(ruleUid),
      meaningful(name)
        .map(([c]) => c)
        .join(''),
    ],
    nameWords: [...new Set([...meaningful(name), ...meaningful(ruleUid)])],
    textWords: [...new Set(meaningful(text))],
  };
}

/** Words that few rules have weigh more. */
function weigher(
  all: readonly RuleVocabulary[],
  of: (text: RuleVocabulary) => readonly string[],
): (word: string) => number {
  const weights = new Map<string, number>();
  return (word) => {
    let weight = weights.get(word);
    if (weight === undefined) {
      const holders = all.filter((text) => of(text).some((known) => isWord(word, known))).length;
      weight = 1 / Math.max(1, holders);
      weights.set(word, weight);
    }
    return weight;
  };
}

/** Share of a heading's words that a rule has, those counting most that few rules have. */
function share(
  words: readonly string[],
  known: readonly string[],
  weight: (word: string) => number,
): { share: number; shared: string[] } {
  const shared = words.filter((word) => known.some((other) => isWord(word, other)));
  const sum = (some: readonly string[]): number =>
    some.reduce((total, word) => total + weight(word), 0);
  return { share: words.length === 0 ? 0 : sum(shared) / sum(words), shared };
}

/**
 * The rules that a heading may mean, the likeliest first: by initials, by a few changed letters, by
 * shared words of the name, by shared words of what the rule says to check.
 */
export function nearRules(rules: readonly NamedRule[]): (heading: string) => NearRule[] {
  const texts = rules.map(textsOf);
  const nameWeight = weigher(texts, ({ nameWords }) => nameWords);
  const textWeight = weigher(texts, ({ textWords }) => textWords);
  return (heading) => {
    const folded = wordsOf(heading).join(' ');
    const words = [...new Set(meaningful(heading))];
    if (folded === '') return [];
    return texts
      .map((text) => nearest(text, folded, words, nameWeight, textWeight))
      .filter((found) => found !== undefined)
      .toSorted((a, b) => b.score - a.score);
  };
}

function nearest(
  { rule, names, initials, nameWords, textWords }: RuleVocabulary,
  folded: string,
  words: readonly string[],
  nameWeight: (word: string) => number,
  textWeight: (word: string) => number,
): NearRule | undefined {
  const { ruleUid } = rule;
  const found: NearRule[] = [];
  const plain = folded.replaceAll(' ', '');
  if (plain.length >= 3 && initials.includes(plain))
    found.push({ ruleUid, score: 0.9, by: { kind: 'initials' } });
  for (const name of names) {
    const most = Math.max(name.length, folded.length);
    // Texts of very different length cannot be near, and comparing them is dear.
    if (Math.abs(name.length - folded.length) > most * 0.25) continue;
    if (most < SHORTEST_NAME || most > LONGEST_NAME) continue;
    const distance = editDistance(folded, name, most / 4);
    const likeness = 1 - distance / most;
    if (likeness >= 0.75)
      found.push({
        ruleUid,
        score: 0.15 + 0.8 * likeness,
        by: { kind: 'letters', letters: distance },
      });
  }
  const inName = share(words, nameWords, nameWeight);
  if (inName.shared.length >= 2 || (inName.share === 1 && (words[0]?.length ?? 0) > 3))
    found.push({
      ruleUid,
      score: 0.85 * inName.share,
      by: { kind: 'name', words: inName.shared },
    });
  const inText = share(words, textWords, textWeight);
  if (inText.shared.length >= 2)
    found.push({
      ruleUid,
      score: 0.65 * inText.share,
      by: { kind: 'description', words: inText.shared },
    });
  return found.toSorted((a, b) => b.score - a.score)[0];
}

/** The first of these, if it is near enough and clearly nearer than the second. */
export function clearlyNearest(near: readonly NearRule[]): NearRule | undefined {
  const [first, second] = near;
  if (first === undefined || first.score < ENOUGH) return undefined;
  return second !== undefined && first.score - second.score < MARGIN ? undefined : first;
}
