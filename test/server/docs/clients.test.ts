import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, makeKey, ROOT, serve, type Served, signedIn } from '../../support/served.ts';
import type { Json } from '../../support/json.ts';

const CLIENTS = path.join(ROOT, 'clients');
const PROFILE = 'general_claim_evidence';
const run = promisify(execFile);

const works = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );
const hasPython = await works('python3', ['-c', 'import urllib.request']);
const hasR = await works('Rscript', ['-e', 'library(curl); library(jsonlite)']);

let folder: string;
let server: Served;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-clients-'));
  key = await makeKey(folder);
  server = await serve(folder);
});
afterAll(async () => {
  await server.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

const WORKFLOW = `
import json, os
from evidence_studio import EvidenceStudio, Refused
studio = EvidenceStudio(os.environ["URL"], os.environ["KEY"])
rules = [rule["ruleUid"] for rule in studio.get("profiles/${PROFILE}")["rules"]]
project = studio.post("projects", {"name": "Clients", "domain": "general"})
studio.post("cases", {"project_id": project["project_id"], "case_uid": "python:1", "title": "Clients"})
cells = [(f"claim-{row}", rule, ["TRUE", "FALSE", "NA"][(row + at) % 3]) for row in range(300) for at, rule in enumerate(rules)]
receipts = studio.record("python:1", "${PROFILE}", cells[:-1])
read = studio.outcomes("python:1", "${PROFILE}")
assert len(read) == 300 and sum(map(len, read.values())) == len(cells) - 1
assert all(read[item][rule] == outcome for item, rule, outcome in cells[:-1])
try:
    studio.record("python:1", "${PROFILE}", [("claim-1", "no_such_rule", "TRUE")])
except Refused as refusal:
    code, places = refusal.code, refusal.details
print(json.dumps({"run": studio.run("python:1", "${PROFILE}")["content_hash"], "code": code, "places": len(places)}))
`;

describe('clients/evidence_studio.py', () => {
  it.skipIf(!hasPython)('records, reads, is refused with a code, and freezes a run', async () => {
    const { stdout } = await run('python3', ['-c', WORKFLOW], {
      cwd: CLIENTS,
      env: { ...process.env, URL: server.url, KEY: key, PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(JSON.parse(stdout)).toEqual({
      run: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      code: 'validation_failed',
      places: 1,
    });
  });
});

const MATRIX = `
source("evidence_studio.R")
studio <- evidence_studio(Sys.getenv("URL"), Sys.getenv("KEY"))
project <- evidence_call(studio, "POST", "projects", list(name = "R", domain = "general"))
made <- evidence_call(studio, "POST", "cases", list(project_id = project$project_id, case_uid = "r:1", title = "R"))
rule <- evidence_call(studio, "GET", "profiles/${PROFILE}")$rules[[1]]$ruleUid
items <- lapply(c("FALSE", "TRUE", "NA"), function(outcome) list(
  item_uid = paste0("item-", outcome),
  evidence = list(list(rule_uid = rule, raw_outcome = outcome))
))
written <- evidence_call(studio, "POST", "evidence", list(case_uid = "r:1", profile_uid = "${PROFILE}", items = items))
cat(evidence_matrix(studio, "r:1", "${PROFILE}")[, rule], evidence_outcomes(studio, "r:1", "${PROFILE}")[, rule])
`;

describe('clients/evidence_studio.R', () => {
  // Debian: r-base-core, r-cran-curl and r-cran-jsonlite.
  it.skipIf(!hasR)('records, and reads a matrix as quantbayes takes it', async () => {
    const { stdout } = await run('Rscript', ['-e', MATRIX], {
      cwd: CLIENTS,
      env: { ...process.env, URL: server.url, KEY: key },
    });
    expect(stdout.trim()).toBe('1 0 0 FALSE TRUE NA');
  });
});

const IN_TYPESCRIPT = `
import { EvidenceStudio, Refused } from '${path.join(CLIENTS, 'evidence_studio.ts')}';
const studio = new EvidenceStudio(process.env.URL, process.env.KEY);
const { rules } = await studio.get('profiles/${PROFILE}');
const { project_id } = await studio.post('projects', { name: 'TypeScript', domain: 'general' });
await studio.post('cases', { project_id, case_uid: 'typescript:1', title: 'Clients' });
const cells = Array.from({ length: 300 }, (_, row) => rules.map(({ ruleUid }, at) => ({
  item_uid: 'claim-' + row, rule_uid: ruleUid, raw_outcome: ['TRUE', 'FALSE', 'NA'][(row + at) % 3],
}))).flat();
await studio.record('typescript:1', '${PROFILE}', cells.slice(1));
let recorded = 0;
const path = 'cases/typescript%3A1/cells';
for await (const { raw_outcome } of studio.pages(path, { profile_uid: '${PROFILE}', limit: 200 }))
  if (raw_outcome !== null) recorded += 1;
const open = await studio.toJudge('typescript:1', '${PROFILE}');
const refusal = await studio.record('typescript:1', '${PROFILE}', [{ ...cells[0], rule_uid: 'no_such_rule' }]).catch((error) => error);
const { content_hash } = await studio.post('runs', { case_uid: 'typescript:1', profile_uid: '${PROFILE}' });
console.log(JSON.stringify({ left: cells.length - recorded, open: open.cells.length, refused: refusal instanceof Refused && refusal.code, run: content_hash }));
`;

describe('clients/evidence_studio.ts', () => {
  it('records, reads page by page, is refused with a code, and freezes a run', async () => {
    const program = path.join(folder, 'workflow.mts');
    await writeFile(program, IN_TYPESCRIPT);
    const env = { ...process.env, URL: server.url, KEY: key };
    const { stdout } = await run(process.execPath, [program], { env });
    expect(JSON.parse(stdout)).toEqual({
      left: 1,
      open: 1,
      refused: 'validation_failed',
      run: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });
});

describe('clients/read_papers.ts', () => {
  const CASE = 'papers:1';
  const cases = `/api/v1/cases/${encodeURIComponent(CASE)}`;
  const TEXTS = {
    'paper-1': 'Methods\nReads were deposited under accession PRJ12.\nNo conflict is known.',
    'paper-2': 'Nothing of the kind.',
    'paper-3': 'Counts were deposited under accession PRJ13.\nNo conflict is known.',
  };

  it('waits for papers, suggests with the words it read, and looks no more for what was refused', async () => {
    const asKey = (method: string, where: string, body?: unknown) =>
      call(server.url, key, method, where, body);
    const { rules } = (await asKey('GET', `/api/v1/profiles/${PROFILE}`)).body;
    const [first, second] = rules.map(({ ruleUid }: Json) => ruleUid);
    const words = path.join(folder, 'words.json');
    await writeFile(
      words,
      JSON.stringify([
        { rule_uid: first, raw_outcome: 'FALSE', words: 'Deposited under' },
        { rule_uid: second, raw_outcome: 'FALSE', words: 'no conflict' },
      ]),
    );
    for (const [item, text] of Object.entries(TEXTS))
      await writeFile(path.join(folder, `${item}.txt`), text);
    const { project_id } = (await asKey('POST', '/api/v1/projects', { name: 'Papers' })).body;
    await asKey('POST', '/api/v1/cases', { project_id, case_uid: CASE, title: 'Papers' });
    const add = (...items: string[]) =>
      asKey('POST', `${cases}/evidence`, {
        profile_uid: PROFILE,
        items: items.map((item_uid) => ({ item_uid })),
      });
    const told = async (item_uid: string): Promise<Json[]> =>
      (
        await asKey('GET', `${cases}/suggestions?profile_uid=${PROFILE}&item_uid=${item_uid}`)
      ).body.data.map(({ rule_uid, raw_outcome, quote, locator, suggestion_id }: Json) => ({
        rule_uid,
        raw_outcome,
        quote,
        locator,
        suggestion_id,
      }));
    await add('paper-1', 'paper-2', '../words');
    const apiKey = await makeKey(folder, 'suggest');
    const readPapers = (seconds: number) =>
      run(process.execPath, [path.join(CLIENTS, 'read_papers.ts'), CASE, PROFILE, folder, words], {
        env: { ...process.env, URL: server.url, KEY: apiKey, SECONDS: String(seconds) },
      });
    const agent = readPapers(50);
    const ended: Promise<{ stdout: string }> = agent.catch((killed: unknown) => killed as never);
    await expect.poll(async () => (await told('paper-1')).length).toBe(2);
    const suggested = await told('paper-1');
    expect(suggested.find(({ rule_uid }) => rule_uid === first)).toMatchObject({
      raw_outcome: 'FALSE',
      quote: 'Reads were deposited under accession PRJ12.',
      locator: 'line 2',
    });
    expect(await told('paper-2')).toEqual([]);
    const refuse = suggested.find(({ rule_uid }) => rule_uid === second);
    const decided = await fetch(`${server.url}${cases}/suggestions/decisions`, {
      method: 'POST',
      headers: await signedIn(server.url, folder),
      body: JSON.stringify({
        profile_uid: PROFILE,
        decisions: [
          { suggestion_id: refuse.suggestion_id, verdict: 'refuse', reason: 'A phrase of style.' },
        ],
      }),
    });
    expect(decided.status).toBe(200);
    await add('paper-3');
    await expect.poll(async () => (await told('paper-3')).length).toBe(1);
    expect((await told('paper-3'))[0]?.rule_uid).toBe(first);
    agent.child.kill();
    expect((await ended).stdout).toContain(`refused: paper-1 ${second}: A phrase of style.`);
    // Where nothing comes it ends by itself.
    expect((await readPapers(1)).stdout).toContain('suggested');
  });
});
