/**
 * What the members of records say: projects, cases, profiles, items, cells and their history. A
 * name means the same wherever it stands; `Schema.name` or `outer.name` says where it does not.
 */
export const RECORD_MEANINGS: Readonly<Record<string, string>> = {
  data: 'The entries of this page.',
  next_cursor: 'Pass it as `cursor` for the next page; null on the last one.',
  created_at: 'When it was created, RFC 3339 in UTC with milliseconds.',
  updated_at: 'When it was last changed, RFC 3339 in UTC with milliseconds.',
  version: 'Grows by one with each change; the entity tag is `"v<version>"`.',
  reason: 'Why; kept in the history.',

  project_id: 'The project, as the server named it when it was created.',
  'Project.name': 'Unique in the account; a project is found again by it.',
  'ProjectInput.name': 'Unique in the account; a project is found again by it.',
  description: 'Free text for readers.',
  domain: 'The field that it belongs to; it only sorts lists.',
  archived: 'Present where it is archived: lists leave it out unless they are asked for it.',
  state: 'What it is at the moment.',
  before: 'What it was before this request: an undo sends it.',
  'RecordStateInput.state':
    '`archived`: left out of lists, otherwise as before. `deleted`: hidden with all that stands in it, which is kept; to and from it a key needs the scope `delete`. `active`: neither.',
  'ItemsStateInput.state':
    '`deleted` removes the items with their outcomes, `active` brings them back.',
  'ProfileStateInput.state': '`retired`: not offered for new cases. Cases that use it keep it.',
  'RunStateInput.state': '`hidden`: left out of lists. The run itself never changes.',

  case_uid: 'The case, by the name that its creator chose.',
  title: 'Name of it that people read.',
  case_title: 'Title of the case that it stands in.',
  case_type: 'What kind of case it is; free text.',
  metadata: 'A free-form JSON object of at most 64 KiB, kept as it was sent.',
  profile_uid: 'The evidence profile whose rules are the columns of the matrix.',
  profile_version:
    'Version of the profile, `1.0`. In a request: the one in use, else the newest, if not said.',
  'Case.profile_uid':
    'The profile in use: chosen on the case, or taken from the first evidence recorded.',
  requires_source:
    'Whether suggestions and outcomes of agents must show what they rest on (422 `citation_required` otherwise).',
  stage: 'How far the case is: in progress, in review, approved, or amended (opened again).',
  next: 'The stages that it may be moved to from here.',
  moves: 'How it came there, newest first.',
  unaware: 'Moves that do not count beside the one that is shown.',
  later:
    'Changes of the record that were written, or came here, after an approval; they are in no run that was approved before. At most 100.',
  after_by:
    '`clock`: written under the approval by its author’s clock. `receipt`: that clock is earlier, and it came here later.',
  outcomes_suggested:
    'In an approved case: so many outcomes wait as suggestions of whoever sent them.',
  progress:
    'How much is recorded under the profile in use; null without one, while its document is not here, and while an open round hides some of it from you.',
  last_change: 'Who last wrote in the case, and when this server received it.',
  cells: 'How many cells: items times rules.',
  recorded: 'Cells with an outcome.',
  unrecorded: 'Cells that nobody has recorded. In a result they count as 0, like NA.',
  deleted: 'Present where the case was deleted: what stands in it can still be read.',
  deletion: 'Who deleted it, when and why; null where it is not deleted.',
  copy: 'What is taken over.',
  copied_from: 'The case that was duplicated.',
  case: 'The case that was made.',
  conflicts:
    'Conflicts of the case that was duplicated: of each the value that is shown was copied.',
  beneath:
    'Contested cells that were written beneath a deletion by somebody who did not know of it.',
  'ContestedMatrix.cells': 'Contested cells.',

  profileUid: 'Identifier of the profile.',
  'ProfileDocument.version':
    'Two or three numbers, `1.0`. A version never changes once it is published.',
  'ProfileEntry.version':
    'Two or three numbers, `1.0`. A version never changes once it is published.',
  'ProfileDocument.name': 'Name of the profile.',
  'ProfileDocument.description': 'What the profile is for.',
  'ProfileEntry.name': 'Name of the profile.',
  'ProfileRule.name': 'Name of the rule: the problem that it looks for.',
  'ProfileRule.description': 'What is checked.',
  'ProfileRule.ruleOrder': 'Place of the rule among the columns, from 1.',
  'ProfileRule.ruleUid': 'Identifier of the rule in this profile.',
  evidenceMeaning: 'What an outcome of FALSE (evidence present) says under this rule.',
  problemMeaning: 'What an outcome of TRUE (problem found) says under this rule.',
  notAvailableMeaning: 'What an outcome of NA (not available) says under this rule.',
  visibility:
    'Who is meant to see the profile: everybody (`community`) or the account (`private`).',
  access:
    '`public`: shipped with the program; `community`: published here; `private`: of this account.',
  standard: 'The public standard: rules are failure checks, FALSE is evidence present.',
  standardVersion: 'Version of the standard.',
  scope: 'What the profile may be applied to.',
  maintainer: 'Who looks after the profile.',
  sourceUrl: 'Where the profile comes from; empty: not said.',
  rule_count: 'How many rules the profile has.',
  digest: '`sha256:` and hex over the canonical JSON of the profile document.',
  set_aside:
    'True where the name or the version means another document. Cases that name this one keep it.',
  retired: 'True where the account has retired the profile: it is not offered for new cases.',
  older_versions: 'Where the newest versions alone are listed: how many older ones there are.',
  'ProfileEntry.contested':
    'True where several documents stand under this version and nobody has settled which it is.',
  'ProfileCollision.kind':
    '`shipped_name`, `name_of_another`: under a name that is not the account’s. `several_documents`: others stand under the same version.',
  'ProfileCollision.version': 'Version that the document says it is.',
  'ProfileCollision.name': 'Name of the profile.',
  'ProfileCollision.cases': 'Cases of the account whose matrix is of this document.',
  own: 'False for a document of another account that cases of this one use.',
  decision: 'What was decided; null where nothing is.',
  documents: 'The documents that are known under this version.',
  'CaseDocument.state':
    '`named`: the case names its document. `fallback`: it names none, one is known. `undecided`: several are known. `contested`: people named different ones. `missing`: the named one has not come. While undecided or contested nothing can be recorded or frozen.',
  'CaseDocument.digest': 'The document that is shown; null where it has not come here yet.',

  item_uid:
    'The item, a row of the matrix, by the name that its creator chose; unique in the case.',
  item_type: 'What kind of item it is; free text.',
  label: 'Name of the item that people read.',
  position: 'Rank of the row; ties are ordered by item_uid. A new item without one is placed last.',
  rule_uid: 'The rule, a column of the matrix.',
  'Contested.rule_uid': 'The rule; null for a field of the item.',
  'Reverted.rule_uid': 'The rule; null where it is not about a cell.',
  'CaseStep.rule_uid': 'The rule; null where it is not about a cell.',
  rules: 'Identifiers of the rules in the order of the profile.',
  items: 'The items, in the order of the rows.',
  item: 'The item itself.',
  evidence: 'Recorded cells. A rule that is not listed is unrecorded.',
  outcomes: 'Cells, each with item, rule and outcome.',
  summary: 'Counts over the whole matrix, not only this page.',
  'Summary.items': 'Items of the case.',
  'Summary.rules': 'Rules of the profile.',
  'CaseProgress.items': 'Items of the case.',
  'CaseProgress.rules': 'Rules of the profile.',
  evidence_present: 'Cells with FALSE (evidence present).',
  problem_found: 'Cells with TRUE (problem found).',
  not_available: 'Cells with NA (not available).',
  raw_outcome: 'What the check of this rule found on this item.',
  matrix_value: 'Value in the matrix: 1 for FALSE, 0 for TRUE and for NA, null where unrecorded.',
  source_value:
    'The value from which the outcome derives, as it was read. Left out with another outcome than recorded: null, since it proved that one.',
  notes: 'Remarks on the cell. They stay when the outcome changes.',
  provenance:
    'Where the value came from: a text or an object. Left out with another outcome than recorded: null, since it proved that one.',
  if_revision:
    'The `revision` of the cell as you read it; 0: only where it is unrecorded. Another one is 412, or skipped with `on_conflict`.',
  revision: 'Grows with each writing of the cell; 0 where nothing was ever written.',
  updated_by: 'Who last wrote in the cell.',
  recorded_by:
    'Whose word the outcome is, with the kind of author; null where there are notes alone.',
  accepted_by: 'The person who accepted an agent’s suggestion.',
  contested:
    'True where people wrote different values without seeing each other’s and nobody has settled it.',
  kind: 'Kind of author: a person, an agent with a key, or an import of a file.',
  name: 'Name that people read.',
  key_id: 'The API key that was used; null or left out where it was none, and for viewers.',
  profile_digest: 'The document that the matrix uses: `sha256:` and hex.',
  profile_unsettled:
    'True where several documents have this version and a person has yet to settle which one this matrix uses.',
  items_created: 'Items that did not exist before.',
  named_items:
    'Items that were sent without `item_uid`, and what the server called them. Absent where none was.',
  'NamedItem.path': 'Where the item stands in the request, as a JSON Pointer.',
  items_updated: 'Existing items whose fields were changed.',
  outcomes_written: 'Cells that say something else now.',
  outcomes_unchanged: 'Cells that said so already; nothing was written for them.',
  outcomes_skipped:
    'Cells left as they are, since another revision stands there (`on_conflict: skip`).',
  changes: 'Names of the changes of the case’s log that this made: a revert takes them back.',
  'EvidenceReceipt.outcomes':
    'What became of each outcome, in the order of the request; where it names a revision or `on_conflict`.',
  status: 'What became of it.',
  'OutcomeAnswer.status':
    '`written`: it says this now. `suggested`: in an approved case, it waits for a person. ' +
    '`unchanged`: it did before. `skipped`: another revision stands there, and nothing was written.',
  present:
    'The cell that was skipped, as it is; null where it is unrecorded; in an approved case it is not told.',
  item_uids: 'The items that are meant.',
  changed: 'How many were changed.',
  unchanged: 'How many were as asked for already.',

  entry: 'Name of one writing in the case’s log.',
  entries: 'Names of writings in the case’s log.',
  at: 'When it was written, by the author’s clock.',
  received_at: 'When this server received it, by its own clock.',
  clock_differs: 'Whether the two clocks are more than five minutes apart.',
  sent_by: 'Who brought it here; null where this server’s own operations wrote it.',
  'sent_by.name': 'Name of the person; null where this server does not know it.',
  'Sender.name': 'Name of the person; null where this server does not know it.',
  key_name: 'Name of the key; null where it was none.',
  relayed: 'Whether its author is another than who sent it.',
  by: 'Name of the author.',
  user: 'The person, by user_id, in whose name it was written.',
  user_id: 'The person, as this server names them.',
  restores: 'The writing whose value an undo brought back, or null.',
  restored: 'Who brought the value back by an undo, and when; null where nobody did.',
  field: 'Which field was written.',
  old: 'What the author saw there; null: nothing.',
  new: 'What was written; null: cleared.',
  current: 'Whether it is what is shown now, or one of several that contradict each other.',
  replica: 'The device or store that wrote it.',
  heads: 'Writings that stand side by side, the displayed one first.',
  displayed: 'Whether it is the one that is shown meanwhile.',
  value: 'What it says.',
  fields: 'Fields of which people wrote different values without seeing each other’s.',
  take: 'The writing that holds from now on.',
  writers: 'Who wrote each of the entries.',
  reverted: 'How many say again what they said before.',
  'RevertReceipt.entries': 'What became of each thing that was to be taken back.',
  'Reverted.status':
    '`reverted`: it says again what it said before. `written_since`: something later stands. `contested`: a person has to settle it. `kept`: not taken back by this.',
  left: 'What was not done, to be looked at or sent again.',
  'RevertReceipt.left':
    'Changes that were not looked at because there are too many: send them in another request.',
  seq: 'Position in the log, from 1.',
  index: 'Place within the change, from 0.',
  change: 'Name of the change in the case’s log.',
  run_uid: 'The run, by its name.',
  applied: 'False for what this version keeps without understanding it.',
  log: 'The position of the case’s log up to which the steps go.',
  steps: 'Everything that was written, oldest first.',
  after: 'Where the next call goes on.',
  latest: 'Where the log stands.',
  last_at: 'When this server received their last change.',
  'Activity.changes': 'Changes of the case’s log.',
  'Activity.more': 'Present where the case has more changes since then than were looked at.',
  'SearchResponse.data.kind': 'What was found.',
  profile_name: 'Name of the profile that has the rule.',
  'ProfileDocument.rules': 'The rules in the order of the columns.',
  'CaseCopy.items': 'How many items were copied.',
  'CaseCopy.outcomes': 'How many outcomes were copied.',
  'CaseCopy.recorded_by': 'Whose outcomes were copied, most first.',
  'CaseCopy.recorded_by.outcomes': 'How many of them were theirs.',
};
