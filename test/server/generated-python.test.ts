import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { asOpenApi30 } from '../support/older-openapi.ts';
import { bootServer } from '../support/server.ts';

/** The one generator of Python clients that npm has whole: it brings a program in Java. */
const GENERATOR = '@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2';
const run = promisify(execFile);
const works = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );
/** Debian: default-jre-headless, python3-urllib3, python3-dateutil, python3-six. */
const isHere =
  (await works('java', ['-version'])) &&
  (await works('python3', ['-c', 'import urllib3, dateutil, six']));

const WORKFLOW = `
import os
import evidence
from evidence import models as m
configuration = evidence.Configuration(host=os.environ["URL"])
configuration.access_token = os.environ["KEY"]
client = evidence.ApiClient(configuration)
uid = "general_claim_evidence"
rules = [rule.rule_uid for rule in evidence.ProfilesApi(client).get_profile(uid).rules]
project = evidence.ProjectsApi(client).upsert_project(m.ProjectInput(name="Python", domain="general"))
evidence.CasesApi(client).upsert_case(
    m.CaseInput(project_id=project.project_id, case_uid="python-1", title="One claim"))
def record(outcome):
    return evidence.EvidenceApi(client).record_evidence("python-1", m.EvidenceInput(
        profile_uid=uid, items=[m.NewItemInput(item_uid="claim-1")], outcomes=[
            m.OutcomeInput(item_uid="claim-1", rule_uid=rule, raw_outcome=outcome) for rule in rules[1:]]))
receipt = record("FALSE")
cells = evidence.CellsApi(client).list_cells("python-1", uid, outcome="unrecorded").data
suggested = evidence.SuggestionsApi(client).suggest_outcomes("python-1", m.SuggestionsInput(
    profile_uid=uid, suggestions=[m.SuggestionInput(
        item_uid=cell.item_uid, rule_uid=cell.rule_uid, raw_outcome="NA", quote="q", if_revision=0)
        for cell in cells]))
runs = evidence.RunsApi(client)
run = runs.get_run(runs.create_run(m.RunInput(case_uid="python-1", profile_uid=uid)).run_uid)
try:
    record("false")
except evidence.ApiException as refusal:
    print(len(rules) - receipt.outcomes_written, len(cells), suggested.written, refusal.status, run.content_hash)
`;

describe.runIf(isHere)('a Python client generated from the OpenAPI document', () => {
  it('does the whole work, and is told what was refused', { timeout: 900_000 }, async () => {
    await using server = await bootServer();
    const folder = await mkdtemp(path.join(tmpdir(), 'evidence-python-'));
    try {
      const { body } = await server.call('GET', '/api/v1/openapi.json', { key: null });
      const file = path.join(folder, 'openapi.json');
      await writeFile(file, JSON.stringify(asOpenApi30(body)));
      const generate = ['generate', '-g', 'python', '-i', file, '-o', folder];
      await run(
        'npm',
        [
          ...['exec', '--yes', `--package=${GENERATOR}`, '--', 'openapi-generator', ...generate],
          ...['--skip-validate-spec', '-p', 'packageName=evidence'],
        ],
        {
          cwd: folder,
          maxBuffer: 2 ** 26,
          env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
        },
      );
      const { stdout } = await run('python3', ['-c', WORKFLOW], {
        cwd: folder,
        env: { ...process.env, URL: server.url, KEY: server.key },
      });
      expect(stdout).toMatch(/^1 1 1 422 sha256:[0-9a-f]{64}$/m);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
