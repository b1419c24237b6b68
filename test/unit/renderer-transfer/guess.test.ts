import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../src/renderer/features/transfer/import/column-facts.ts';
import { guessColumns } from '../../../src/renderer/features/transfer/import/guess.ts';
import { openFile, readOpened } from '../../../src/renderer/features/transfer/import/read-file.ts';
import { headersOf } from '../../../src/renderer/features/transfer/import/source.ts';
import { ProfileDocument } from '../../../src/shared/domain/profile.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { pace } from './support.ts';

const profile = (name: string): ProfileDocument =>
  ProfileDocument.parse(
    JSON.parse(
      readFileSync(
        new URL(`../../../src/server/content/profiles/${name}.json`, import.meta.url),
        'utf8',
      ),
    ),
  );
const TRIO = profile('trio_rare_disease');
const [MISSING, MISFIT, PHASE, DE_NOVO, RELATIVE] = TRIO.rules.map(({ ruleUid }) => ruleUid);

async function guess(text: string, present: readonly string[] = [], rules = TRIO.rules) {
  const opened = await openFile(new File([text], 'f.csv'), pace);
  const { table } = await readOpened(opened, createMemorySession(TRIO, []), pace);
  const headers = headersOf(table, 0);
  const facts = await factsOf(table, 0, (uid) => present.includes(uid), pace);
  return guessColumns(headers, facts, rules, pace);
}

/** A file of one heading over one column, beside an ID. */
const roleOf = async (heading: string, values = ['yes', 'no', 'yes']): Promise<string> => {
  const rows = values.map((value, row) => `v${row},${value}`).join('\n');
  return (await guess(`item_uid,${heading}\n${rows}\n`)).roles[1]!;
};

describe('columns are guessed', () => {
  it('by the exact ID or name of a rule, whatever the case, and a second one is left', async () => {
    const { roles, reasons } = await guess(
      `Item_UID, label ,PARENT GENOTYPE UNAVAILABLE,${MISSING},metadata:Gene,apostrophes_added\na,,,,,\n`,
    );
    expect(roles).toEqual([
      'item_uid',
      'label',
      `rule:${MISSING}`,
      'ignore',
      'metadata:Gene',
      'guard',
    ]);
    expect([reasons[2], reasons[3]]).toEqual([
      'Heading is the rule’s name',
      '“PARENT GENOTYPE UNAVAILABLE” is used for the same',
    ]);
  });

  it.each([
    ['Parent genotype unavailabel', MISSING],
    ['PGU', MISSING],
    ['Parent GT unavailable?', MISSING],
    ['Fits recessive model', MISFIT],
    ['Comp het phase', PHASE],
    ['De-novo not excluded', DE_NOVO],
    ['Unaffected rel. hom.', RELATIVE],
  ])('%s by a name that is near', async (heading, rule) => {
    expect(await roleOf(heading)).toBe(`rule:${rule}`);
  });

  it('by what the rule says to check', async () => {
    expect(await roleOf('mosaicism in parental reads')).toBe(`rule:${DE_NOVO}`);
  });

  it.each(['Reviewer', 'Sequencing depth', 'Parent', 'Status', 'x'])(
    '%s by no rule, since none is clearly meant',
    async (heading) => expect(await roleOf(heading)).toBe('ignore'),
  );

  it('never as a rule where the values are no outcomes', async () => {
    expect(await roleOf('Parent genotype unavail', ['12 %', 'c3', 'long text'])).toBe('ignore');
  });

  it('as the ID by heading and content: what repeats is none, what the case has is one', async () => {
    const rows = ['BRCA1,v1,p1', 'BRCA1,v2,p2', 'TTN,v3,p3'].join('\n');
    expect(await guess(`Gene,Variant ID,Patient\n${rows}\n`)).toMatchObject({
      roles: ['metadata:Gene', 'item_uid', 'ignore'],
      reasons: [
        'Heading says gene: kept as a field of the item',
        'Heading says Variant ID; 3 different values',
        expect.any(String),
      ],
    });
    expect((await guess('Plate,Clone ID\np,c1\np,c1\nq,c2\n')).roles).toEqual([
      'ignore',
      'item_uid',
    ]);
    expect(await guess('Nr,What\n1,p1\n2,p2\n', ['p1', 'p2'])).toMatchObject({
      roles: ['ignore', 'item_uid'],
      reasons: [
        expect.any(String),
        '2 of its values are items of this case; 2 different values; no cell is empty',
      ],
    });
  });

  it('as fields of items by heading or content', async () => {
    const { roles } = await guess(
      'uid,HGVSc,protein change,gnomAD_AF,Reviewed on,Remarks,other\n' +
        'a,NM_000492.4:c.1521_1523del,p.Phe508del,0.01,2024-02-03,fine,NP_1.1:p.Gly2Arg\n' +
        'b,c.3G>T,p.Met1?,1e-5,2024-02-04,,p.(Gly2Arg)\n',
    );
    expect(roles).toEqual([
      'item_uid',
      'metadata:HGVSc',
      'metadata:protein change',
      'metadata:gnomAD_AF',
      'metadata:Reviewed on',
      'metadata:Remarks',
      'metadata:other',
    ]);
  });

  it('as a row a cell where the export says so', async () => {
    expect((await guess('item_uid,rule_uid,outcome,notes,x\na,b,,,\n')).roles).toEqual([
      'item_uid',
      'rule_uid',
      'outcome',
      'notes',
      'ignore',
    ]);
  });

  it('with a reason for each, also for those left out', async () => {
    const { reasons } = await guess('uid,checked,colour\na,yes,red\nb,no,blue\n');
    expect(reasons).toEqual([
      'Heading says uid; 2 different values',
      'Values look like outcomes, but no rule has such a name',
      'Not known by its heading or values',
    ]);
  });
});
