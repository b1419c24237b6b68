import type { Failure } from '../../shared/contract/call.ts';

/** Why a tool could not do what it was asked for, in words for the model that asked. */
export class ToolProblem extends Error {
  override name = 'ToolProblem';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What to do next, by the code of a refusal. */
const NEXT: Readonly<Record<string, string>> = {
  missing_credentials: 'Ask the person to connect this agent on the page "Connect an agent".',
  invalid_key: 'Ask the person to connect this agent again on the page "Connect an agent".',
  key_revoked:
    'A person has taken this access back. Stop, and tell them; call again only if they ask you to.',
  key_paused: 'A person has paused this agent. Stop, and tell them.',
  key_expired: 'Ask the person to connect this agent again on the page "Connect an agent".',
  insufficient_scope:
    'What this key lacks only a person can give. Use suggest_outcomes, or ask the person to record or freeze it themselves.',
  read_only_role: 'Whose key this is may not write here. Tell the person.',
  not_found:
    'Take identifiers from find_cases, list_profiles, next_open_items or an earlier answer; this key may also be limited to other projects.',
  not_here_yet: 'Its content is still on its way from another computer. Try again later.',
  citation_required:
    'Give each suggestion a source_value or a quote, with its locator. Where there is none, leave the cell open.',
  precondition_failed: 'Read the cell again with next_open_items, then decide again.',
  contested_cells:
    'People recorded different values. Show list_conflicts to a person: only they can settle it.',
  contested_profile: 'A person has to settle which document of the profile is meant.',
  unused_profile: 'Use the profile that read_case names, or ask the person.',
  empty_matrix: 'The case has no items. Ask the person to add some.',
  quota_exceeded: 'Stop, and tell the person.',
  read_only: 'The studio takes no writes now. Tell the person.',
  unavailable: 'Try again in a moment.',
};

const MOST_PLACES = 10;

/** A refusal, or no answer, in words for the model. */
export function problemOf(failure: Failure): ToolProblem {
  if (failure.kind === 'no_answer')
    return new ToolProblem(
      'no_answer',
      'The studio does not answer. Call again in a moment; if that does not help, ask the person to look at Evidence Studio.',
    );
  if (failure.kind === 'unreadable')
    return new ToolProblem('unreadable', 'The answer of the studio could not be read. Call again.');
  const { code, message, details, retryAfter } = failure;
  const places = details
    .slice(0, MOST_PLACES)
    .map(({ path, message: what }) => `- ${path}: ${what}`);
  const more = details.length - places.length;
  return new ToolProblem(
    code,
    [
      `${code}: ${message}`,
      ...places,
      ...(more > 0 ? [`- and ${more} more`] : []),
      ...(retryAfter !== null ? [`Wait ${retryAfter} s before you call again.`] : []),
      ...(NEXT[code] === undefined ? [] : [NEXT[code]]),
    ].join('\n'),
  );
}
