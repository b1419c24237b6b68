import { z } from 'zod';
import type { ErrorCode, ErrorDetail } from '../../shared/contract/errors.ts';
import { MAX_DETAILS } from '../../shared/contract/errors.ts';
import { MAX_OUTCOMES } from '../../shared/contract/v1/evidence.ts';
import { ApiError } from '../context/errors.ts';

/**
 * Names that may be repeated in an answer: those of fields. Nothing else of the input is repeated.
 */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * JSON Pointer of an issue, cut before the first key that does not look like the name of a field.
 */
function pointer(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part !== 'number' && !PLAIN_NAME.test(String(part))) break;
    text += `/${String(part)}`;
  }
  return text;
}

/** A rule is not merely a field more: without one an entry says nothing. */
const requiredWords = (field: PropertyKey | undefined): string =>
  field === 'rule_uid'
    ? 'An entry without a rule states nothing: name the rule that it is about.'
    : 'This field is required.';

function toDetails(raw: z.core.$ZodRawIssue): ErrorDetail[] {
  const issue = z.core.util.finalizeIssue(raw, undefined, z.core.config());
  const path = pointer(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_DETAILS).map((key) => ({
      path: pointer([...issue.path, key]),
      code: 'unknown_field',
      message: 'This field is not known here.',
    }));
  }
  if (issue.code === 'invalid_type' && raw.input === undefined)
    return [{ path, code: 'required', message: requiredWords(issue.path.at(-1)) }];
  if (issue.code === 'invalid_union')
    return [{ path, code: 'invalid_type', message: 'None of the accepted types fits.' }];
  if (issue.code === 'custom') return [{ path, code: 'invalid_value', message: issue.message }];
  return [{ path, code: issue.code, message: issue.message }];
}

/** So many places are found, and most of them only counted. */
const MAX_ISSUES = 1_000;

/**
 * Most entries of all lists in one body together: as many items and as many outcomes as one request
 * may write.
 */
const MAX_ENTRIES = 2 * MAX_OUTCOMES;

interface Context extends z.core.ParseContextInternal {
  /**
   * How many more issues may be found, and list entries looked at, before the rest of the lists is
   * skipped.
   */
  budget: { issues: number; entries: number };
}

const bounded = new WeakSet<z.core.$ZodType>();

/**
 * Makes the lists inside a schema stop once a parse has found more issues than an answer names,
 * since it has failed in any case. Otherwise a body with millions of bad entries would make
 * millions of issues and block the event loop for many seconds.
 */
function boundLists(schema: z.core.$ZodType): void {
  if (bounded.has(schema)) return;
  bounded.add(schema);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') for (const field of Object.values(def.shape)) boundLists(field);
  if (def.type === 'optional' || def.type === 'nullable') boundLists(def.innerType);
  if (def.type === 'array') {
    const { element } = def;
    if (!bounded.has(element)) {
      const { run } = element._zod;
      element._zod.run = (payload, context) => {
        const { budget } = context as Partial<Context>;
        if (budget === undefined) return run(payload, context);
        if (budget.issues < 0) return payload;
        budget.entries -= 1;
        if (budget.entries < 0) {
          budget.issues = -1;
          payload.issues.push({
            code: 'custom',
            input: undefined,
            message: `The lists of one request hold at most ${MAX_ENTRIES} entries together.`,
          });
          return payload;
        }
        const before = budget.issues;
        const result = run(payload, context);
        // Those of lists within it are among them, and have been counted.
        if (!(result instanceof Promise)) budget.issues = before - result.issues.length;
        return result;
      };
    }
    boundLists(element);
  }
}

/**
 * Parses with a schema; a failure is an ApiError with the places, of which an answer lists some.
 */
export function parseWith<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: ErrorCode,
  pathOf: (path: string) => string = (path) => path,
): z.output<S> {
  boundLists(schema);
  const context: Context = { async: false, budget: { issues: MAX_ISSUES, entries: MAX_ENTRIES } };
  // Not safeParse: that would go on for every issue of every list.
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new TypeError('Schemas of the contract are synchronous.');
  if (result.issues.length === 0) return result.value as z.output<S>;
  const details = result.issues.slice(0, MAX_ISSUES).flatMap(toDetails);
  throw new ApiError(code, {
    details: details.map((detail) => ({ ...detail, path: pathOf(detail.path) })),
  });
}
