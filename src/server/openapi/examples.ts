const project_id = 'prj_01k9z3v7w8x5n2m4q6r8t0y1zb';
const case_uid = 'trio-0042';
const profile_uid = 'trio_rare_disease';

/** One request body for each operation that takes one, so that a reader can start by copying. */
export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  upsertProject: {
    name: 'Rare disease review',
    description: 'Candidate variants of the November trios',
    domain: 'clinical_genetics',
  },
  createProfile: {
    name: 'Minimal claim check',
    profileUid: 'minimal_claim_check',
    version: '1.0',
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'Does a claim have a source that can be read?',
    scope: 'Written claims',
    maintainer: 'Example lab',
    rules: [
      {
        ruleOrder: 1,
        ruleUid: 'source_unavailable',
        name: 'Source unavailable',
        description: 'The source of the claim cannot be read.',
        evidenceMeaning: 'The source was read.',
        problemMeaning: 'The source cannot be read.',
        notAvailableMeaning: 'Nobody has looked.',
      },
    ],
  },
  decideProfileCollision: {
    profile_uid,
    profile_version: '9.0',
    digest: `sha256:${'0f'.repeat(32)}`,
    decision: 'keep',
    reason: 'Two cases of last year use it',
  },
  settleCaseDocument: {
    profile_uid,
    profile_version: '1.0',
    digest: `sha256:${'0f'.repeat(32)}`,
    heads: ['c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU#0'],
    reason: 'The rules that the laboratory agreed on',
  },
  upsertCase: {
    project_id,
    case_uid,
    title: 'Trio 42',
    case_type: 'trio',
    metadata: { assembly: 'GRCh38' },
  },
  setProjectState: { state: 'archived', reason: 'The study is closed' },
  setCaseState: { state: 'deleted', reason: 'Made twice by mistake' },
  duplicateCase: { case_uid: `${case_uid}-b`, title: 'Trio 42, second reading', copy: 'items' },
  carryForward: { profile_uid, from_version: '1.1', to_version: '1.2', use: true },
  signRun: {
    content_hash: `sha256:${'0f'.repeat(32)}`,
    meaning: 'review',
    password: 'correct horse battery',
  },
  createSubscription: {
    way: 'webhook',
    url: 'https://chat.example.org/hooks/evidence',
    events: ['mentioned', 'decisions'],
  },
  moveCase: { stage: 'in_review', reason: 'All cells are recorded' },
  openRound: {
    title: 'Second reading',
    recorders: ['usr_01k9z3v7w8x5n2m4q6r8t0y1zb', 'usr_01k9z3v7w8x5n2m4q6r8t0y1zc'],
    profile_uid,
    items: 'all',
    rules: ['variant_not_confirmed'],
    quorum: 2,
    record: 'hidden',
  },
  recordInRound: {
    outcomes: [
      {
        item_uid: '7-117559592-CTT--_AR',
        rule_uid: 'variant_not_confirmed',
        raw_outcome: 'FALSE',
        source_value: 'Sanger 2026-03-02',
      },
    ],
  },
  finishRound: {},
  importLayer: {
    format: 'evidence-studio layer 1',
    case_uid: 'trio-2026-014',
    round_id: 'rnd_47DEQpj8HBSa-_TImW-5JCeuQe',
    recorder: 'usr_01k9z3v7w8x5n2m4q6r8t0y1zc',
    done: { id: 'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU', change: '{}' },
    changes: [],
  },
  releaseRound: { reason: 'One recorder has left the laboratory' },
  removeRecorder: {
    recorder: 'usr_01k9z3v7w8x5n2m4q6r8t0y1zc',
    reason: 'Left the laboratory',
  },
  openThread: {
    place: {
      on: 'cell',
      profile_uid,
      profile_version: '1.0',
      rule_uid: 'parents_genotype_missing',
      item_uid: '7-117559592-CTT--_AR',
    },
    kind: 'query',
    text: 'Was the mother sequenced in the second batch?',
    assigned_to: 'usr_01k9z3v7w8x5n2m4q6r8t0y1zc',
  },
  addToThread: { does: 'answer', text: 'Yes, batch 2, lane 4.' },
  assignPlaces: {
    places: [{ on: 'item', item_uid: '7-117559592-CTT--_AR' }],
    to: 'usr_01k9z3v7w8x5n2m4q6r8t0y1zc',
  },
  setItemsState: {
    item_uids: ['7-117559592-CTT--_AR'],
    state: 'deleted',
    reason: 'Outside of the panel',
  },
  setRunState: { state: 'hidden', reason: 'Frozen before the last item was recorded' },
  setProfileState: { state: 'retired', reason: 'Replaced by the panel of 2027' },
  recordEvidence: {
    profile_uid,
    items: [{ item_uid: '7-117559592-CTT--_AR', label: 'CFTR F508del' }],
    outcomes: [
      {
        item_uid: '7-117559592-CTT--_AR',
        rule_uid: 'parents_genotype_missing',
        raw_outcome: 'FALSE',
        source_value: '0/1, 0/1',
        provenance: { source: 'joint.vcf.gz', method: 'read' },
      },
    ],
    reason: 'First pass',
  },
  recordEvidenceBatch: {
    case_uid,
    profile_uid,
    items: [
      {
        item_uid: 'item_001',
        label: 'Variant 1',
        evidence: [
          { rule_uid: 'parents_genotype_missing', raw_outcome: 'FALSE' },
          {
            rule_uid: 'de_novo_origin_open',
            raw_outcome: 'NA',
            notes: 'Mother not sequenced',
          },
        ],
      },
    ],
  },
  revertChanges: {
    changes: ['c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'],
    reason: 'The sheet was of another sample',
  },
  suggestOutcomes: {
    profile_uid,
    suggestions: [
      {
        item_uid: '7-117559592-CTT--_AR',
        rule_uid: 'parents_genotype_missing',
        raw_outcome: 'FALSE',
        source_value: '0/1, 0/0',
        quote: 'Mother 0/1, father 0/0, both above 30 reads',
        locator: 'trio-0042.vcf, line 2417',
        confidence: 0.94,
        model: { name: 'reader', version: '2026-05' },
        if_revision: 0,
      },
    ],
  },
  decideSuggestions: {
    profile_uid,
    rule: {
      verdict: 'accept',
      filter: { source: 'k7d2m4q6r8', raw_outcome: 'FALSE', min_confidence: 0.9 },
    },
    preview: true,
  },
  setCasePolicy: { requires_source: true, reason: 'The protocol asks for it' },
  listWriters: { entries: ['c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU#0'] },
  settleField: {
    field: 'title',
    heads: [
      'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU#0',
      'c1_Tn0Nd1dmtZqzLBL0y0oPDoM7lFCuyCXEAdSFSoo6BnI#0',
    ],
    take: 'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU#0',
    reason: 'The name on the tube',
  },
  settleProjectField: {
    field: 'name',
    heads: [
      'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU#0',
      'c1_Tn0Nd1dmtZqzLBL0y0oPDoM7lFCuyCXEAdSFSoo6BnI#0',
    ],
    take: 'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU#0',
    reason: 'The name in the grant',
  },
  createRun: { case_uid, profile_uid, settings: { prior_alpha: 1, prior_beta: 1, ci_level: 0.95 } },
  startPairing: { name: 'Annotation agent', scopes: ['suggest'] },
  decidePairing: { decision: 'allow', scopes: ['read'], expires_days: 90 },
  collectKey: { secret: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg' },
  limitKey: { suggestions_a_day: 500, open_suggestions: 200 },
  createKey: { name: 'Annotation agent', scopes: ['read', 'write'], expires_days: 90 },
  createStudioKey: { name: "Ada's laptop" },
  letKeySync: {},
  createSample: {},
  switchAccount: { account_id: 'acc_01k9z3v7w8x5n2m4q6r8t0y1zb' },
  confirmSession: { password: 'the password of this person' },
  changeMember: { role: 'viewer' },
  createInvitation: { role: 'member', name: 'Ada from sequencing' },
  changePassword: {
    current: 'the password of this person',
    next: 'a longer one that nobody guesses',
  },
  createAccount: { name: 'Second laboratory' },
  renameAccount: { name: 'First laboratory' },
  connectUplink: { url: 'https://evidence.example.org', key: 'evs_ and the rest of the key' },
  shareProject: { shared: true },
  syncUplink: {},
  syncMissing: { ids: ['c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'] },
  syncAncestor: {
    points: [{ seq: 0, chain: '0000000000000000000000000000000000000000000000000000000000000000' }],
  },
  syncBatch: {
    parts: [
      { operation: 'changes', stream: case_uid, query: { after: '0', limit: '1000' } },
      {
        operation: 'missing',
        stream: 'trio-0043',
        body: { ids: ['c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'] },
      },
    ],
  },
  syncMissingBlobs: { names: ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'] },
  syncMissingRuns: {
    content_hashes: ['sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  },
  syncPutBlobs: {
    blobs: [
      {
        sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        blob: '{"rows":[]}',
      },
    ],
  },
  syncPutBlob: { blob: '{"rows":[]}' },
  syncPutRun: {
    manifest: '{"case":{},"chunks":[],"content_hash":"sha256:...","v":1}',
    run: {
      run_uid: 'run_01k9z3v7w8x5n2m4q6r8t0y1zb',
      project_id,
      created_at: '2026-01-02T03:04:05.678Z',
      created_by: 'Annotation agent',
      engine: { name: 'evidence-studio', version: '0.1.0' },
    },
    recorders: {
      authors: [
        { kind: 'agent', name: 'Annotation agent' },
        { kind: 'human', name: 'Ada' },
      ],
      cells: '0x12,1,0x3',
    },
  },
  syncPush: {
    protocol: 1,
    changes: [
      {
        id: 'c1_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
        change: '{"at":{},"by":{},"case":"trio-0042","entries":[]}',
      },
    ],
  },
};
