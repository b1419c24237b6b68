import {
  BaseResolver,
  createConfig,
  lintDocument,
  makeDocumentFromString,
} from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OUTCOME_MEANING } from '../../src/server/openapi/meanings/describe.ts';
import type {
  JsonSchema,
  OpenApiDocument,
  OperationDocument,
} from '../../src/server/openapi/shapes.ts';
import { ROUTES } from '../../src/server/v1/routes.ts';
import { API } from '../../src/shared/contract/api.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errors.ts';
import { createContractCheck } from '../support/openapi.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let document: OpenApiDocument;
let operations: OperationDocument[];
beforeAll(async () => {
  server = await bootServer();
  document = (await server.call('GET', '/api/v1/openapi.json', { key: null })).body;
  operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
});
afterAll(() => server.close());

function refs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    key === '$ref' ? [String(entry)] : refs(entry),
  );
}

/** A schema without those of its members, which are told of by themselves. */
const shallow = ({ properties: _, ...schema }: JsonSchema): JsonSchema =>
  'items' in schema ? { ...schema, items: shallow(schema['items'] as JsonSchema) } : schema;

function eachMember(
  schema: unknown,
  where: string,
  look: (where: string, member: JsonSchema) => void,
): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword !== 'properties') eachMember(inner, where, look);
    else
      for (const [name, member] of Object.entries(inner as Record<string, JsonSchema>)) {
        look(`${where}.${name}`, member);
        eachMember(member, `${where}.${name}`, look);
      }
  }
}

/** The address is the server's own, and only one operation needs no key. */
const LINT_RULES = {
  'no-server-example.com': 'off',
  'no-empty-servers': 'off',
  'operation-4xx-response': 'error',
  'no-ambiguous-paths': 'off',
  // Examples are compared with their schemas above.
  'no-invalid-media-type-examples': 'off',
} as const;

describe('the OpenAPI document', () => {
  it('is open, and describes every operation of the contract', () => {
    expect(document.openapi).toBe('3.1.0');
    const described = operations.map((operation) => operation.operationId);
    expect(new Set(described).size).toBe(described.length);
    expect(described.toSorted()).toEqual(
      [...API.map((endpoint) => endpoint.id), 'syncEvents'].toSorted(),
    );
    expect(ROUTES.map((route) => route.endpoint)).toEqual(API);
  });

  it('refers to nothing that it does not hold', () => {
    for (const ref of new Set(refs(document))) {
      expect(ref).toMatch(/^#\/components\/(schemas|headers|examples)\//);
      expect(document).toHaveProperty(ref.slice('#/'.length).split('/'));
    }
  });

  it('holds schemas that compile, and examples that fit them', () => {
    const check = createContractCheck(document);
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect(() => check.compile(schema), name).not.toThrow();
    const fits = (schema: unknown, example: unknown, where: string): void => {
      const validate = check.compile(schema);
      expect(validate(example) || validate.errors, where).toBe(true);
    };
    for (const { operationId, requestBody, responses } of operations) {
      const asked = requestBody?.content['application/json'];
      if (asked !== undefined) {
        expect(asked, operationId).toHaveProperty('example');
        fits(asked.schema, asked.example, operationId);
      }
      for (const [status, { content }] of Object.entries(responses)) {
        const answered = content?.['application/json'];
        if (answered === undefined) continue;
        if (Number(status) < 300)
          fits(answered.schema, answered.example, `${operationId} ${status}`);
        else expect(Object.keys(answered.examples ?? {}), operationId).not.toEqual([]);
      }
    }
    for (const [code, { value }] of Object.entries(document.components.examples))
      fits({ $ref: '#/components/schemas/Error' }, value, code);
  });

  it('says what every member and parameter means, and of every outcome what TRUE, FALSE and NA do', () => {
    const lacking: string[] = [];
    const tell = (where: string, words: unknown, schema: JsonSchema): void => {
      const isOutcome = /RawOutcome|"unrecorded"/.test(JSON.stringify(shallow(schema)));
      if (typeof words !== 'string' || words.length < 5) lacking.push(where);
      else if (isOutcome && !words.includes(OUTCOME_MEANING)) lacking.push(`${where}: outcome`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas))
      eachMember(schema, name, (where, member) => tell(where, member['description'], member));
    for (const { operationId, parameters } of operations)
      for (const { name, description, schema } of parameters)
        tell(`${operationId} ${name}`, description, schema);
    expect(lacking).toEqual([]);
  });

  it('bounds every number of a parameter or request', () => {
    const unbounded: string[] = [];
    const look = (where: string, schema: JsonSchema): void => {
      const { type, minimum, maximum } = schema;
      if ('const' in schema) return;
      if ((type === 'integer' || type === 'number') && (minimum ?? maximum) === undefined)
        unbounded.push(where);
    };
    for (const { operationId, parameters } of operations)
      for (const { name, schema } of parameters) look(`${operationId} ${name}`, schema);
    for (const [name, schema] of Object.entries(document.components.schemas))
      if (/(Input|Request)$/.test(name)) eachMember(schema, name, look);
    expect(unbounded).toEqual([]);
  });

  it('passes a linter', async () => {
    const results = await lintDocument({
      document: makeDocumentFromString(JSON.stringify(document), 'openapi.json'),
      config: await createConfig({ extends: ['recommended-strict'], rules: LINT_RULES }),
      externalRefResolver: new BaseResolver(),
    });
    expect(
      results.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    ).toEqual([]);
  });

  it('names path parameters as its paths do, requires security, and lists every error code somewhere', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const operation of Object.values(methods)) {
        const named = operation.parameters
          .filter((parameter) => parameter.in === 'path')
          .map((parameter) => `{${parameter.name}}`);
        expect(named).toEqual(path.match(/\{\w+\}/g) ?? []);
        expect(operation.security.length, operation.operationId).toBeGreaterThan(0);
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(
            ['200', '400', '401', '403', '405', '429', '500', '503'].slice(
              operation.responses[200] === undefined ? 1 : 0,
            ),
          ),
        );
      }
    }
    const told = JSON.stringify(operations.map((operation) => operation.responses));
    for (const code of Object.keys(ERROR_STATUS)) expect(told, code).toContain(`\`${code}\``);
  });

  it('is as strict on unknown fields as the service', () => {
    for (const [name, schema] of Object.entries(document.components.schemas))
      if (schema['type'] === 'object' && schema['properties'] !== undefined)
        expect(schema['additionalProperties'], name).toBe(false);
  });
});

describe('the page /docs', () => {
  it('leads to every operation, object and code, on pages small enough to be read, without a script', async () => {
    const found = new Map<string, string[]>();
    const targets: string[] = [];
    const open = async (address: string): Promise<string> => {
      const { status, text, headers } = await server.call('GET', address, { key: null });
      expect(status).toBe(200);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; base-uri 'none'; " +
          "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
          "trusted-types 'none'",
      );
      expect(text).not.toMatch(/<script|\son\w+=|\sstyle=|<style|undefined/);
      expect((text.match(/<[a-z]/g) ?? []).length, address).toBeLessThan(2_500);
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1] ?? '');
      expect(new Set(ids).size).toBe(ids.length);
      found.set(address, ids);
      targets.push(...[...text.matchAll(/href="(\/docs[^"]*)"/g)].map((match) => match[1] ?? ''));
      return text;
    };
    const first = await open('/docs');
    for (const code of Object.keys(ERROR_STATUS)) expect(first).toContain(`<dd>${code}</dd>`);
    for (const { name } of document.tags) await open(`/docs/${name.toLowerCase()}`);
    // Described on one page, and listed on the first by the same fragment: a link that names no
    // page leads there.
    const all = [...found].flatMap(([address, ids]) => (address === '/docs' ? [] : ids));
    const listed = found.get('/docs');
    for (const { operationId } of operations) {
      expect(all.filter((id) => id === operationId)).toHaveLength(1);
      expect(listed).toContain(operationId);
    }
    const used = JSON.stringify(document);
    for (const [name, schema] of Object.entries(document.components.schemas))
      if (schema['type'] === 'object' && used.includes(`/${name}"`))
        expect(
          [all.filter((id) => id === `schema-${name}`).length, listed?.includes(`schema-${name}`)],
          name,
        ).toEqual([1, true]);
    for (const target of targets.filter((address) => address !== '/docs/style.css')) {
      const [address = '', id] = target.split('#');
      expect(id === undefined ? found.has(address) : found.get(address)?.includes(id), target).toBe(
        true,
      );
    }
    const nowhere = await server.call('GET', '/docs/nowhere', {
      key: null,
      headers: { accept: 'text/html' },
    });
    expect([nowhere.status, nowhere.text.includes('<a href="/docs">')]).toEqual([404, true]);
    const style = await server.call('GET', '/docs/style.css', { key: null });
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  });
});
