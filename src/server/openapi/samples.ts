import { INTERPRETATION_BOUNDARY } from '../../shared/domain/result.ts';
import type { JsonSchema } from './shapes.ts';

const HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const CHANGE = 'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const TIME = '2026-11-24T08:30:00.000Z';

/** Values of members in examples of answers, by name: they fit each other and those of requests. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  account_id: ['acc_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  address: ['192.0.2.10'],
  app: ['0.3.0'],
  author: ['Ada'],
  basis: [null],
  beside: [[HASH]],
  browser: ['Firefox on Linux'],
  by: ['Ada', 'usr_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  case_title: ['Trio 42'],
  case_type: ['trio'],
  case_uid: ['trio-0042'],
  cells: [12, '0x12,1,0x3', []],
  chain: [HASH],
  change: [CHANGE],
  change_id: [CHANGE],
  changes: [[CHANGE], 3],
  chunk: ['{"items":[]}'],
  ci_level: [0.95],
  clocks: [[]],
  code: ['CFTR-BDKM'],
  content_hash: [`sha256:${HASH}`],
  contested: [false],
  copied_from: ['trio-0041'],
  created_by: ['Ada'],
  deletion: [null],
  description: ['Candidate variants of the November trios'],
  detail: [{}],
  digest: [`sha256:${HASH}`],
  document: [`sha256:${HASH}`],
  domain: ['clinical_genetics'],
  email: ['ada@example.org'],
  engine: [undefined, 'sqlite'],
  entry: [`${CHANGE}#0`],
  epoch: ['ep_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  evidenceMeaning: ['Both genotypes of the parents were read.'],
  event_id: ['evt_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  features: [['batch', 'events']],
  hash: [HASH],
  head: [`${CHANGE}#0`],
  id: [CHANGE],
  instance_id: ['ins_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  interpretation_boundary: [INTERPRETATION_BOUNDARY],
  invitation_id: ['inv_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  item_uid: ['7-117559592-CTT--_AR'],
  item_type: ['variant'],
  key: ['evs_ and the rest of the key'],
  key_id: ['k7d2m4q6r8'],
  key_name: [null],
  label: ['CFTR F508del'],
  left: [0, []],
  link: ['case:4f1a'],
  locator: ['trio-0042.vcf, line 2417'],
  maintainer: ['Example lab'],
  manifest: ['{"case":{},"chunks":[],"v":1}'],
  material: [false],
  matrix_value: [1],
  metadata: [{ assembly: 'GRCh38' }],
  month: ['2026-11'],
  name: ['Ada'],
  names: [[]],
  next: [null],
  next_cursor: [null],
  nonce: ['0f'.repeat(16)],
  notAvailableMeaning: ['The parents were not sequenced.'],
  notes: [null, 'Mother not sequenced'],
  object: [null],
  opened_by: ['usr_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  pairing_id: ['pair_01k9z3v7w8x5n2m4q6r8t0'],
  position: [1],
  prefix: ['evs_k7d2m4q6r8'],
  problem: [null, 'The hosted server has no room left.'],
  problemMeaning: ['A genotype of a parent is missing.'],
  profile_name: ['Trio, rare disease'],
  profile_uid: ['trio_rare_disease'],
  profileUid: ['trio_rare_disease'],
  profile_version: ['1.0'],
  project_id: ['prj_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  prompt_sha256: [HASH],
  provenance: [{ source: 'joint.vcf.gz', method: 'read' }],
  public_key: [`RW${'A'.repeat(54)}`],
  quote: ['Mother 0/1, father 0/0, both above 30 reads'],
  ratings: ['F-'],
  raw: [undefined, 'F-'],
  reason: ['First pass'],
  recorder: ['usr_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  recorders: [undefined, ['usr_01k9z3v7w8x5n2m4q6r8t0y1zb', 'k7d2m4q6r8']],
  replica: ['rep_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  request_id: ['req_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  restored: [null],
  restores: [null],
  revision: [1],
  revoked_at: [null],
  round_id: ['rnd_47DEQpj8HBSa-_TImW-5JCeuQe'],
  rule: ['parents_genotype_missing'],
  rules: [undefined, ['parents_genotype_missing'], 12],
  rule_uid: ['parents_genotype_missing'],
  ruleUid: ['parents_genotype_missing'],
  run_uid: ['run_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  scope: ['Trios with one affected child'],
  sent_by: [null],
  secret: ['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg'],
  session: [null],
  session_id: ['ses_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  sha256: [HASH],
  source: ['k7d2m4q6r8'],
  source_value: ['0/1, 0/0'],
  sourceUrl: ['https://example.org/profiles/trio'],
  status: [undefined, 200],
  store: ['sto_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  stream: ['trio-0042'],
  suggestion_id: [`${CHANGE}#0`],
  sum: [HASH],
  take: [`${CHANGE}#0`],
  theta_lower: [0.55],
  theta_mean: [0.79],
  theta_upper: [0.95],
  thread_id: ['thr_47DEQpj8HBSa-_TImW-5JCeuQe'],
  title: ['Trio 42'],
  updated_by: ['Ada'],
  url: ['http://127.0.0.1:4177'],
  user: [undefined, 'usr_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  user_id: ['usr_01k9z3v7w8x5n2m4q6r8t0y1zb'],
  version: [1, '1.0'],
  witness: ['ep_1;0;0'],
};

type Schemas = Readonly<Record<string, JsonSchema>>;

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** The types of a schema, with `number` for whole ones. */
const typesOf = ({ type }: JsonSchema): string[] =>
  ((Array.isArray(type) ? type : type === undefined ? [] : [type]) as string[]).map((name) =>
    name === 'integer' ? 'number' : name,
  );

/** Whether a value may stand where the schema does, as far as examples need to know. */
function fits(value: unknown, schema: JsonSchema, schemas: Schemas): boolean {
  if (value === undefined) return false;
  const target = resolve(schema, schemas);
  const either = alternatives(target);
  if (either !== undefined) return either.some((inner) => fits(value, inner, schemas));
  if ('const' in target) return target['const'] === value;
  if (Array.isArray(target['enum'])) return target['enum'].includes(value);
  const { pattern } = target;
  const types = typesOf(target);
  if (types.length === 0) return true;
  if (!types.includes(typeOf(value))) return false;
  if (value === null) return true;
  if (Array.isArray(value) && target['items'] !== undefined)
    return value.every((entry) => fits(entry, target['items'] as JsonSchema, schemas));
  if (typeOf(value) === 'object')
    return Object.keys((target['properties'] ?? {}) as object).length === 0;
  return (
    typeof pattern !== 'string' ||
    typeof value !== 'string' ||
    new RegExp(pattern).test(String(value))
  );
}

const resolve = (schema: JsonSchema, schemas: Schemas): JsonSchema =>
  typeof schema['$ref'] === 'string'
    ? (schemas[schema['$ref'].split('/').at(-1) ?? ''] ?? {})
    : schema;

const alternatives = (schema: JsonSchema): JsonSchema[] | undefined =>
  (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;

function sampleNumber({ minimum }: JsonSchema): number {
  return typeof minimum === 'number' && minimum > 0 ? minimum : 0;
}

function sampleList(schema: JsonSchema, name: string, schemas: Schemas): unknown[] {
  const places = schema['prefixItems'] as JsonSchema[] | undefined;
  if (places !== undefined) return places.map((place) => sampleOf(place, name, schemas));
  const entry = sampleOf((schema['items'] ?? {}) as JsonSchema, name, schemas);
  return Array.from({ length: Number(schema['minItems'] ?? 1) || 1 }, () => entry);
}

function sampleObject(schema: JsonSchema, schemas: Schemas): Record<string, unknown> {
  const members = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(
    required.map((name) => [name, sampleOf(members[name] ?? {}, name, schemas)]),
  );
}

/** An example of what a schema describes, with the members that are always there. */
export function sampleOf(schema: JsonSchema, name: string, schemas: Schemas): unknown {
  if (String(schema['$ref']).endsWith('/RawOutcome')) return 'FALSE';
  const given = VALUES[name]?.find((value) => fits(value, schema, schemas));
  if (given !== undefined) return given;
  const target = resolve(schema, schemas);
  const either = alternatives(target);
  if (either?.[0] !== undefined) return sampleOf(either[0], name, schemas);
  if ('const' in target) return target['const'];
  if (Array.isArray(target['enum'])) return target['enum'][0];
  if (target['format'] === 'date-time') return TIME;
  switch (typesOf(target)[0]) {
    case 'object':
      return sampleObject(target, schemas);
    case 'array':
      return sampleList(target, name, schemas);
    case 'number':
      return sampleNumber(target);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return 'text';
    default:
      return {};
  }
}
