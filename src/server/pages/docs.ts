import { ERROR_STATUS } from '../../shared/contract/errors.ts';
import type { OpenApiDocument, OperationDocument } from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { escapeHtml, MARK, plainPage } from './layout.ts';

/** Text with `code` in backquotes, for HTML. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function refName(schema: JsonSchema): string | undefined {
  return typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
}

/** What a value is, in a few words; objects by name where they have one. */
function typeWords(schema: JsonSchema): string {
  const name = refName(schema);
  if (name !== undefined) return name === 'JsonValue' ? 'any JSON' : `<a href="#schema-${name}">${name}</a>`;
  if (Array.isArray(schema['anyOf'])) return [...new Set((schema['anyOf'] as JsonSchema[]).map(typeWords))].join(' or ');
  if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[]).map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(', ');
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema['const']))}</code>`;
  if (Array.isArray(schema['prefixItems'])) return `[${(schema['prefixItems'] as JsonSchema[]).map(typeWords).join(', ')}]`;
  if (schema['type'] === 'array') return `list of ${typeWords((schema['items'] ?? {}) as JsonSchema)}`;
  if (schema['format'] === 'date-time') return 'time (RFC 3339, UTC, ms)';
  if (Array.isArray(schema['type'])) return (schema['type'] as string[]).join(' or ');
  return typeof schema['type'] === 'string' ? schema['type'] : 'any JSON';
}

function limits(schema: JsonSchema): string {
  const words = [
    typeof schema['pattern'] === 'string' && schema['format'] === undefined ? `pattern <code>${escapeHtml(schema['pattern'])}</code>` : '',
    typeof schema['maxLength'] === 'number' ? `at most ${schema['maxLength']} characters` : '',
    typeof schema['maxItems'] === 'number' ? `at most ${schema['maxItems']}` : '',
  ];
  return words.filter((word) => word !== '').join('; ');
}

/** A parameter in words, or by its form where nobody has written any. */
function describe(description: string | undefined, schema: JsonSchema): string {
  const words = description ?? schema['description'];
  return typeof words === 'string' ? inline(words) : limits(schema);
}

function fieldsTable(schema: JsonSchema): string {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as string[];
  const rows = Object.entries(properties).map(([name, field]) => `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${typeWords(field)}</td><td>${required.includes(name) ? 'required' : ''}</td><td>${limits(field)}</td></tr>`);
  if (rows.length === 0) return '<p>An empty object.</p>';
  return `<div class="scroll"><table><thead><tr><th scope="col">Field</th><th scope="col">Value</th><th scope="col">Required</th><th scope="col">Limits</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function parametersTable({ parameters }: OperationDocument): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: where, required, description, schema }) => `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${where}</td><td>${required ? 'required' : ''}</td><td>${describe(description, schema)}</td></tr>`);
  return `<h4>Parameters</h4><div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Required</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function requestPart({ requestBody }: OperationDocument, schemas: Record<string, JsonSchema>): string {
  const media = requestBody?.content['application/json'];
  if (media === undefined) return '';
  const schema = schemas[refName(media.schema) ?? ''] ?? media.schema;
  const example = media.example === undefined ? '' : `<pre><code>${escapeHtml(JSON.stringify(media.example, undefined, 2))}</code></pre>`;
  return `<h4>Body</h4>${fieldsTable(schema)}${example}`;
}

function responsesPart({ responses }: OperationDocument): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const schema = content?.['application/json']?.schema;
    const what = schema === undefined || refName(schema) === 'Error' ? inline(description) : typeWords(schema);
    return `<tr><th scope="row">${status}</th><td>${what}</td></tr>`;
  });
  return `<details><summary>Answers</summary><div class="scroll"><table><tbody>${rows.join('')}</tbody></table></div></details>`;
}

function operationPart(path: string, method: string, operation: OperationDocument, schemas: Record<string, JsonSchema>): string {
  return `<section class="operation" id="${escapeHtml(operation.operationId)}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h3>
<p>${inline(operation.summary)}. ${inline(operation.description ?? '')}</p>
${parametersTable(operation)}${requestPart(operation, schemas)}${responsesPart(operation)}
</section>`;
}

const START = `<h2 id="start">Start</h2>
<p>Make a key on the account page, or with <code>evidence-studio key create --name agent</code>. It is shown once. Send it with every request:</p>
<pre><code>curl -H "Authorization: Bearer $KEY" http://127.0.0.1:$PORT/api/v1/profiles</code></pre>
<p>Then: create a project, create a case in it, write items and outcomes, and start a run. A raw outcome is exactly one of the strings
<code>"FALSE"</code> (evidence present), <code>"TRUE"</code> (problem found) and <code>"NA"</code> (not available), or <code>null</code> to clear the cell.</p>
<p>Bodies are <code>application/json</code> in UTF-8; unknown fields are refused. Lists answer <code>{"data": [...], "next_cursor": ...}</code> and take
<code>limit</code> (1 to 200) and <code>cursor</code>. A write is on disk when it is answered with 2xx. The machine-readable form of this page is
<a href="/api/v1/openapi.json">openapi.json</a>.</p>`;

function errorsPart(): string {
  const rows = Object.entries(ERROR_STATUS).map(([code, status]) => `<tr><th scope="row"><code>${code}</code></th><td>${status}</td></tr>`);
  return `<h2 id="errors">Errors</h2><p>Every error is <code>{"error", "message", "details", "request_id"}</code>. Codes never change their meaning.</p><div class="scroll"><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** The OpenAPI description for reading. */
export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  const { schemas } = document.components;
  const groups = document.tags.map(({ name }) => ({ name, own: operations.filter(({ operation }) => operation.tags.includes(name)) }));
  const links = groups.map(({ name, own }) => `<li><a href="#tag-${name}">${name}</a><ul>${own.map(({ operation }) => `<li><a href="#${operation.operationId}">${escapeHtml(operation.operationId)}</a></li>`).join('')}</ul></li>`);
  const sections = groups.map(({ name, own }) => `<h2 id="tag-${name}">${name}</h2>${own.map(({ path, method, operation }) => operationPart(path, method, operation, schemas)).join('\n')}`);
  const objects = Object.entries(schemas)
    .filter(([, schema]) => schema['type'] === 'object')
    .map(([name, schema]) => `<section class="operation" id="schema-${name}"><h3>${name}</h3>${fieldsTable(schema)}</section>`);
  return plainPage(
    'API',
    `<nav aria-label="Contents"><a class="brand" href="/docs">${MARK}Evidence Studio API</a><ul><li><a href="#start">Start</a></li>${links.join('')}<li><a href="#objects">Objects</a></li><li><a href="#errors">Errors</a></li></ul></nav>
<main><h1>Evidence Studio API <small>${escapeHtml(document.info.version)}</small></h1><p>${inline(document.info.description)}</p>
${START}${sections.join('\n')}<h2 id="objects">Objects</h2>${objects.join('\n')}${errorsPart()}</main>`,
    true,
  );
}
