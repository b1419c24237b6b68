import type { AccountId, CaseUid } from '../../shared/contract/ids.ts';
import type { TrailOwner } from '../storage/db/schema/account-tables.ts';
import type { Credential } from '../../shared/contract/rights.ts';
import type { AuditEvent, CaseStep } from '../../shared/contract/v1/audit.ts';
import { csvText } from '../../shared/lib/spreadsheet-text.ts';
import type { Store } from '../storage/store.ts';
import type { AuditEntry, AuditOrigin } from '../storage/db/audit-entry.ts';
import { ApiError } from '../context/errors.ts';
import type { FileAnswer } from '../context/request.ts';

const EVENTS_AT_ONCE = 500;

export interface Exporting<Owner extends TrailOwner = TrailOwner> {
  store: Store;
  by: AuditOrigin<Owner>;
  /** Milliseconds since 1970. */
  now: number;
  format: 'json' | 'csv';
}

/** A column of the CSV form. */
type CsvColumns<T> = readonly (readonly [header: string, of: (row: T) => string | number])[];

const words = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

/** The part of a value that has a column of its own; the other parts of an outcome have theirs. */
function outcomeOf({ field }: CaseStep, value: unknown): string {
  return field === 'outcome' &&
    typeof value === 'object' &&
    value !== null &&
    'raw_outcome' in value
    ? words(value.raw_outcome)
    : words(value);
}
function restOf({ field }: CaseStep, value: unknown): string {
  if (
    field !== 'outcome' ||
    typeof value !== 'object' ||
    value === null ||
    !('raw_outcome' in value)
  )
    return '';
  const { raw_outcome: _, ...rest } = value;
  return Object.values(rest).every((member) => member === null) ? '' : words(rest);
}

const STEP_COLUMNS: CsvColumns<CaseStep> = [
  ['seq', (step) => step.seq],
  ['index', (step) => step.index],
  ['at', (step) => step.at],
  ['received_at', (step) => step.received_at],
  ['clock_differs', (step) => String(step.clock_differs)],
  ['by', (step) => step.by],
  ['user', (step) => step.user],
  ['kind', (step) => step.kind],
  ['key_id', (step) => words(step.key_id)],
  ['sent_by', (step) => words(step.sent_by?.name ?? step.sent_by?.user_id)],
  ['sent_by_user', (step) => words(step.sent_by?.user_id)],
  ['sent_by_key', (step) => words(step.sent_by?.key_id)],
  ['sent_by_key_name', (step) => words(step.sent_by?.key_name)],
  ['relayed', (step) => String(step.relayed)],
  ['reason', (step) => words(step.reason)],
  ['field', (step) => step.field],
  ['item_uid', (step) => words(step.item_uid)],
  ['rule_uid', (step) => words(step.rule_uid)],
  ['profile_uid', (step) => words(step.profile_uid)],
  ['profile_version', (step) => words(step.profile_version)],
  ['run_uid', (step) => words(step.run_uid)],
  ['old', (step) => outcomeOf(step, step.old)],
  ['new', (step) => outcomeOf(step, step.new)],
  ['old_source', (step) => restOf(step, step.old)],
  ['new_source', (step) => restOf(step, step.new)],
  ['applied', (step) => String(step.applied)],
  ['change', (step) => step.change],
  ['recorded_by', (step) => step.recorded_by.name],
  ['recorded_by_kind', (step) => step.recorded_by.kind],
  ['recorded_by_key_id', (step) => words(step.recorded_by.key_id)],
  ['accepted_by', (step) => words(step.recorded_by.accepted_by)],
  ['restores', (step) => words(step.restores)],
];

const EVENT_COLUMNS: CsvColumns<AuditEvent> = [
  ['seq', (event) => event.seq],
  ['at', (event) => event.at],
  ['action', (event) => event.action],
  ['object', (event) => words(event.object)],
  ['by', (event) => event.by.name],
  ['kind', (event) => event.by.kind],
  ['user_id', (event) => words(event.by.user_id)],
  ['key_id', (event) => words(event.by.key_id)],
  ['session', (event) => words(event.by.session)],
  ['address', (event) => words(event.by.address)],
  ['request_id', (event) => words(event.request_id)],
  ['detail', (event) => words(event.detail)],
  ['hash', (event) => event.hash],
];

/**
 * Notes the export in the audit trail before anything is handed out. A store that takes no writes
 * exports all the same: that is when an export is needed most.
 */
async function note({ store, by }: Exporting, entry: AuditEntry): Promise<void> {
  if (!store.health().ok) return;
  await store.transact(async (writer) => {
    writer.audit.by(by);
    writer.audit.add(entry);
  }, by.account_id);
}

async function* csv<T>(
  columns: CsvColumns<T>,
  pages: AsyncIterable<readonly T[]>,
): AsyncGenerator<string> {
  yield `${columns.map(([header]) => header).join(',')}\r\n`;
  for await (const page of pages)
    yield page.map((row) => `${columns.map(([, of]) => csvCell(of(row))).join(',')}\r\n`).join('');
}

const csvCell = (value: string | number): string =>
  typeof value === 'number' ? String(value) : csvText(value);

/**
 * Writes an object as JSON piece by piece. `head` is the object without its last member, which is a
 * list.
 */
async function* json<T>(
  head: object,
  list: string,
  pages: AsyncIterable<readonly T[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"${list}":[`;
  let first = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${first ? '' : ','}\n${page.map((row) => JSON.stringify(row)).join(',\n')}`;
    first = false;
  }
  yield '\n]}\n';
}

function fileOf(name: string, { format }: Exporting, pieces: AsyncIterable<string>): FileAnswer {
  return {
    type: format === 'csv' ? 'text/csv' : 'application/json',
    name: `${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.${format}`,
    pieces,
  };
}

async function* after(
  begin: () => Promise<void>,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  await begin();
  yield* pieces;
}

/**
 * Exports the log of a case, each step as `shown` lets it be seen. Throws not_found. Changes that
 * arrive meanwhile are left out.
 */
export async function exportCase(
  exporting: Exporting<AccountId>,
  caseUid: CaseUid,
  credential: Credential,
  shown: (step: CaseStep) => CaseStep,
): Promise<FileAnswer> {
  const { store, by, now, format } = exporting;
  const { account_id } = by;
  const found = await store.read(
    (reader) => reader.log.position(account_id, caseUid),
    account_id,
    credential,
  );
  if (found === undefined) throw new ApiError('not_found');
  const position = found;
  async function* pages(): AsyncGenerator<CaseStep[]> {
    for (let seq = 0; seq < position.seq;) {
      const from = seq;
      const { steps, to } = await store.read(
        (reader) => reader.auditTrail.caseSteps(account_id, caseUid, from, position.seq),
        account_id,
        credential,
      );
      yield steps.map(shown);
      seq = to;
    }
  }
  const head = {
    case_uid: caseUid,
    exported_at: new Date(now).toISOString(),
    exported_by: by.name,
    log: { epoch: position.epoch, seq: position.seq, chain: position.chain },
  };
  const pieces = format === 'csv' ? csv(STEP_COLUMNS, pages()) : json(head, 'steps', pages());
  return fileOf(
    `history_${caseUid}`,
    exporting,
    after(
      () =>
        note(exporting, {
          action: 'case.exported',
          object: caseUid,
          detail: { format, seq: position.seq, chain: position.chain },
        }),
      pieces,
    ),
  );
}

/** Exports the audit trail of the actor's account up to now. */
export async function exportTrail(exporting: Exporting): Promise<FileAnswer> {
  const { store, by, now, format } = exporting;
  const { account_id } = by;
  const head = await store.read((reader) => reader.auditTrail.head(account_id), account_id);
  async function* pages(): AsyncGenerator<AuditEvent[]> {
    for (let seq = 0; seq < head.seq;) {
      const from = seq;
      const events = await store.read(
        (reader) =>
          reader.auditTrail.after(account_id, from, Math.min(EVENTS_AT_ONCE, head.seq - from)),
        account_id,
      );
      yield events;
      seq = events.at(-1)?.seq ?? head.seq;
    }
  }
  const start = {
    account_id,
    exported_at: new Date(now).toISOString(),
    exported_by: by.name,
    head,
  };
  const pieces = format === 'csv' ? csv(EVENT_COLUMNS, pages()) : json(start, 'events', pages());
  return fileOf(
    'audit',
    exporting,
    after(
      () =>
        note(exporting, {
          action: 'audit.exported',
          object: null,
          detail: { format, seq: head.seq, hash: head.hash },
        }),
      pieces,
    ),
  );
}
