import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Check, overHttp, runConformance, withKey } from '../../support/conformance.ts';
import { ERAS } from '../../support/mcp.ts';
import { bootServer } from '../../support/server.ts';
import { BIN } from '../../support/served.ts';

/** Scenarios about the protocol itself, whatever a server's tools are. */
const APPLIES = {
  '2025-11-25': [
    'dns-rebinding-protection',
    'ping',
    'prompts-list',
    'resources-list',
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
    'server-sse-polling',
    'tools-list',
  ],
  '2026-07-28': [
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
    'prompts-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'server-sse-multiple-streams',
    'server-stateless',
    'tools-list',
  ],
} as const;
/** Those that do not ask about HTTP. */
const OVER_STDIO = {
  '2025-11-25': ['ping', 'prompts-list', 'resources-list', 'server-initialize', 'tools-list'],
  '2026-07-28': [
    'caching',
    'prompts-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'tools-list',
  ],
} as const;

/** Of what the suite brings along for its own servers: tools, prompts and resources by name. */
const FIXTURE =
  /\b(?:Tool|Prompt) \w+ not found|'json_schema_2020_12_tool' not found|Resource not found: test:|x-mcp-header|inputRequests|InputRequiredResult/;
/** What a server may declare and this one does not; it is not found then, as the protocol asks. */
const NOT_DECLARED =
  /^(?:completion-complete|logging-set-level|resources-(?:un)?subscribe|tools-call-with-logging)$/;
/** An extension of the protocol that is not declared either. */
const EXTENSION = /^tasks-/;

const isOfSuite = ({ scenario, message, isUntestable }: Check): boolean =>
  isUntestable ||
  FIXTURE.test(message) ||
  EXTENSION.test(scenario) ||
  (NOT_DECLARED.test(scenario) && message.includes('Method not found'));
const failed = (checks: readonly Check[]): Check[] =>
  checks.filter(({ status }) => status === 'FAILURE');

describe.each(ERAS)('the conformance suite of %s', { timeout: 1_200_000 }, (era) => {
  it('finds nothing wrong over HTTP but that its own tools are missing', async () => {
    await using server = await bootServer();
    const front = await withKey(server.url, server.key);
    try {
      const checks = await runConformance(front.url, ['--requirements', era]);
      expect(failed(checks).filter((check) => !isOfSuite(check))).toEqual([]);
      for (const scenario of APPLIES[era]) {
        const own = checks.filter((check) => check.scenario === scenario);
        expect(own, scenario).not.toEqual([]);
        expect(failed(own).filter(({ isUntestable }) => !isUntestable)).toEqual([]);
      }
    } finally {
      front.close();
    }
  });

  it('finds nothing wrong over standard input and output', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'evidence-conformance-'));
    const front = await overHttp([process.execPath, BIN, 'mcp', '--data', folder]);
    try {
      for (const scenario of OVER_STDIO[era]) {
        const args = ['--scenario', scenario, '--spec-version', era];
        const checks = await runConformance(front.url, args);
        expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
        expect(failed(checks), scenario).toEqual([]);
      }
    } finally {
      front.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
