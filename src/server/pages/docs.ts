import { ERROR_STATUS } from '../../shared/contract/errors.ts';
import type { JsonSchema, OpenApiDocument, OperationDocument } from '../openapi/shapes.ts';
import { DOCS_PATH, escapeHtml, MARK, plainPage } from './layout.ts';

type Schemas = Record<string, JsonSchema>;
/** Where each object is described. */
type Addresses = ReadonlyMap<string, string>;

/** Text with `code` in backquotes, for HTML. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

function refName(schema: JsonSchema): string | undefined {
  return typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
}

/**
 * Names of all objects that a part of the document leads to, in the order in which they are met.
 */
function namesIn(part: unknown, schemas: Schemas, found: Set<string> = new Set()): Set<string> {
  if (typeof part !== 'object' || part === null) return found;
  const name = Array.isArray(part) ? undefined : refName(part as JsonSchema);
  if (name !== undefined && !found.has(name)) namesIn(schemas[name], schemas, found.add(name));
  for (const inner of Object.values(part)) namesIn(inner, schemas, found);
  return found;
}

/** What a value is, in a few words; objects by name where they have one. */
function typeWords(schema: JsonSchema, addresses: Addresses): string {
  const name = refName(schema);
  const words = (inner: JsonSchema): string => typeWords(inner, addresses);
  if (name !== undefined) {
    const address = addresses.get(name);
    return address === undefined
      ? name === 'JsonValue'
        ? 'any JSON'
        : name
      : `<a href="${address}">${name}</a>`;
  }
  if (Array.isArray(schema['anyOf']))
    return [...new Set((schema['anyOf'] as JsonSchema[]).map(words))].join(' or ');
  if (Array.isArray(schema['enum']))
    return (schema['enum'] as unknown[])
      .map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`)
      .join(', ');
  if ('const' in schema) return `<code>${escapeHtml(JSON.stringify(schema['const']))}</code>`;
  if (Array.isArray(schema['prefixItems']))
    return `[${(schema['prefixItems'] as JsonSchema[]).map(words).join(', ')}]`;
  if (schema['type'] === 'array') return `list of ${words((schema['items'] ?? {}) as JsonSchema)}`;
  if (schema['format'] === 'date-time') return 'time (RFC 3339, UTC, ms)';
  if (Array.isArray(schema['type'])) return (schema['type'] as string[]).join(' or ');
  return typeof schema['type'] === 'string' ? schema['type'] : 'any JSON';
}

function limits(schema: JsonSchema): string {
  const words = [
    typeof schema['pattern'] === 'string' && schema['format'] === undefined
      ? `pattern <code>${escapeHtml(schema['pattern'])}</code>`
      : '',
    typeof schema['maxLength'] === 'number' ? `at most ${schema['maxLength']} characters` : '',
    typeof schema['maxItems'] === 'number' ? `at most ${schema['maxItems']}` : '',
  ];
  return words.filter((word) => word !== '').join('; ');
}

/** The description of a parameter, or its limits where it has none. */
function describe(description: string | undefined, schema: JsonSchema): string {
  const words = description ?? schema['description'];
  return typeof words === 'string' ? inline(words) : limits(schema);
}

/** What a field means, and its limits. */
function meaning(field: JsonSchema): string {
  const words = typeof field['description'] === 'string' ? inline(field['description']) : '';
  return [words, limits(field)].filter((part) => part !== '').join(' ');
}

function namesTable(head: readonly string[], rows: readonly string[]): string {
  const cells = head.map((words) => `<th scope="col">${words}</th>`).join('');
  return (
    `<div class="scroll"><table class="names"><thead><tr>${cells}</tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>`
  );
}

function fieldsTable(schema: JsonSchema, addresses: Addresses): string {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as string[];
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td>${typeWords(field, addresses)}</td>` +
      `<td>${required.includes(name) ? 'required' : ''}</td><td>${meaning(field)}</td></tr>`,
  );
  if (rows.length === 0) return '<p>An empty object.</p>';
  return namesTable(['Field', 'Value', 'Required', 'Meaning'], rows);
}

function parametersTable({ parameters }: OperationDocument): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: where, required, description, schema }) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td>${where}</td>` +
      `<td>${required ? 'required' : ''}</td><td>${describe(description, schema)}</td></tr>`,
  );
  return `<h4>Parameters</h4>${namesTable(['Name', 'In', 'Required', 'Meaning'], rows)}`;
}

function requestPart({ requestBody }: OperationDocument, addresses: Addresses): string {
  const media = requestBody?.content['application/json'];
  if (media === undefined) return '';
  const example =
    media.example === undefined
      ? ''
      : `<pre>${escapeHtml(JSON.stringify(media.example, undefined, 2))}</pre>`;
  return `<h4>Body</h4><p>${typeWords(media.schema, addresses)}</p>${example}`;
}

/** The answers of an operation and, behind a click, its error codes. */
function responsesPart({ responses }: OperationDocument, addresses: Addresses): string {
  const answers: string[] = [];
  const refusals: string[] = [];
  for (const [status, { description, content }] of Object.entries(responses)) {
    const schema = content?.['application/json']?.schema;
    if (schema !== undefined && refName(schema) === 'Error')
      refusals.push(`<dt>${status}</dt><dd>${escapeHtml(description.replaceAll('`', ''))}</dd>`);
    else
      answers.push(
        `<dt>${status}</dt><dd>${schema === undefined ? inline(description) : typeWords(schema, addresses)}</dd>`,
      );
  }
  return `<h4>Answers</h4><dl>${answers.join('')}</dl><details><summary>Errors</summary><dl>${refusals.join('')}</dl></details>`;
}

function operationPart(
  path: string,
  method: string,
  operation: OperationDocument,
  addresses: Addresses,
): string {
  return `<section class="operation" id="${escapeHtml(operation.operationId)}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h3>
<p>${inline(operation.summary)}. ${inline(operation.description ?? '')}</p>
${parametersTable(operation)}${requestPart(operation, addresses)}${responsesPart(operation, addresses)}
</section>`;
}

const START = `<h2 id="start">Start</h2>
<p>Make a key on the account page, or with <code>evidence-studio key create --name agent</code>.
It is shown once. Send it with every request:</p>
<pre>curl -H "Authorization: Bearer $KEY" http://127.0.0.1:$PORT/api/v1/profiles</pre>
<p>Then: create a project, create a case in it, write items and outcomes, and start a run.
A raw outcome is exactly one of the strings <code>"FALSE"</code> (evidence present),
<code>"TRUE"</code> (problem found) and <code>"NA"</code> (not available),
or <code>null</code> to clear the cell.</p>
<p>Bodies are <code>application/json</code> in UTF-8; unknown fields are refused.
Lists answer <code>{"data": [...], "next_cursor": ...}</code> and take <code>limit</code> (1 to 200)
and <code>cursor</code>. A write is on disk when it is answered with 2xx.
The machine-readable form of this page is
<a href="/api/v1/openapi.json">openapi.json</a>.</p>`;

function errorsPart(): string {
  const rows = Object.entries(ERROR_STATUS).map(
    ([code, status]) => `<dt>${status}</dt><dd>${code}</dd>`,
  );
  return (
    '<h2 id="errors">Errors</h2>' +
    '<p>Every error is <code>{"error", "message", "details", "request_id"}</code>. ' +
    'Codes never change their meaning.</p>' +
    `<dl>${rows.join('')}</dl>`
  );
}

interface DocumentedOperation {
  path: string;
  method: string;
  operation: OperationDocument;
}
/** The operations of one page, with the objects that no earlier page describes. */
interface DocsGroup {
  name: string;
  address: string;
  own: readonly DocumentedOperation[];
  objects: readonly string[];
}

/** The groups in the order of the document, and where each object is described. */
function groupsOf(document: OpenApiDocument): {
  groups: readonly DocsGroup[];
  addresses: Addresses;
} {
  const { schemas } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const addresses = new Map([['RawOutcome', `${DOCS_PATH}#start`]]);
  const groups = document.tags.map(({ name }) => {
    const address = `${DOCS_PATH}/${name.toLowerCase()}`;
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const objects = [...namesIn(own, schemas)].filter(
      (object) => schemas[object]?.['type'] === 'object' && !addresses.has(object),
    );
    for (const object of objects) addresses.set(object, `${address}#schema-${object}`);
    return { name, address, own, objects };
  });
  return { groups, addresses };
}

/** Marks an entry: a link that has only the name as its fragment, and not the page, leads to it. */
const landing = (name: string): string => ` id="${name}"`;

function operationLinks({ address, own }: DocsGroup, mark = (_name: string): string => ''): string {
  const links = own.map(
    ({ operation: { operationId } }) =>
      `<li${mark(operationId)}><a href="${address}#${operationId}">${operationId}</a></li>`,
  );
  return `<ul>${links.join('')}</ul>`;
}

function pageWithContents(
  groups: readonly DocsGroup[],
  here: string,
  title: string,
  body: string,
): string {
  const contents = groups.map(
    (group) =>
      `<li><a href="${group.address}"${group.address === here ? ' aria-current="page"' : ''}>` +
      `${group.name}</a>${group.address === here ? operationLinks(group) : ''}</li>`,
  );
  return plainPage(
    title,
    '<nav aria-label="Contents">' +
      `<a class="brand" href="${DOCS_PATH}">${MARK}Evidence Studio API</a><ul><li>` +
      `<a href="${DOCS_PATH}#start">Start</a></li>${contents.join('')}<li>` +
      `<a href="${DOCS_PATH}#objects">Objects</a></li><li>` +
      `<a href="${DOCS_PATH}#errors">Errors</a></li></ul></nav>\n<main>${body}</main>`,
    { wide: true },
  );
}

/** The first page: how to start, and the lists of all operations, objects and errors. */
function firstPage(
  { info }: OpenApiDocument,
  groups: readonly DocsGroup[],
  addresses: Addresses,
): string {
  const lists = groups.map(
    (group) =>
      `<section><h3><a href="${group.address}">${group.name}</a></h3>` +
      `${operationLinks(group, landing)}</section>`,
  );
  const objects = [...addresses]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([name, address]) => `<li${landing(`schema-${name}`)}><a href="${address}">${name}</a></li>`,
    );
  return [
    `<h1>Evidence Studio API <small>${escapeHtml(info.version)}</small></h1>` +
      `<p>${inline(info.description)}</p>`,
    `${START}<h2 id="operations">Operations</h2><div class="groups">${lists.join('\n')}</div>`,
    `<h2 id="objects">Objects</h2><ul class="names">${objects.join('')}</ul>${errorsPart()}`,
  ].join('\n');
}

function groupPage(
  { name, own, objects }: DocsGroup,
  schemas: Schemas,
  addresses: Addresses,
): string {
  const parts = own.map(({ path, method, operation }) =>
    operationPart(path, method, operation, addresses),
  );
  const described = objects.map(
    (object) =>
      `<section class="operation" id="schema-${object}"><h3>${object}</h3>${fieldsTable(schemas[object] ?? {}, addresses)}</section>`,
  );
  return (
    `<h1>${name}</h1>` +
    `<h2 id="operations">Operations</h2>${parts.join('\n')}` +
    `${objects.length === 0 ? '' : `<h2 id="objects">Objects</h2>${described.join('\n')}`}`
  );
}

/**
 * Pages of the API documentation by address: the first page, and one for each group of operations
 * with the objects that no earlier page describes.
 */
export function docsPages(document: OpenApiDocument): ReadonlyMap<string, string> {
  const { schemas } = document.components;
  const { groups, addresses } = groupsOf(document);
  const first = firstPage(document, groups, addresses);
  return new Map([
    [DOCS_PATH, pageWithContents(groups, DOCS_PATH, 'API', first)],
    ...groups.map((group): [string, string] => {
      const body = groupPage(group, schemas, addresses);
      return [group.address, pageWithContents(groups, group.address, `${group.name}, API`, body)];
    }),
  ]);
}
