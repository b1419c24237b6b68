import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey, ROOT, serve, type Served } from '../../support/served.ts';

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
