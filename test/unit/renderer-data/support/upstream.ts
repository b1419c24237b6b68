import type { ProfileDocument } from '../../../../src/shared/domain/profile.ts';
import {
  type Change,
  type Entry,
  entryName,
  seal,
  type SealedChange,
  unseal,
} from '../../../../src/sync/change.ts';
import { HLC_ZERO, nextHlc } from '../../../../src/sync/clock.ts';
import { compareHeads, type HeadEntry } from '../../../../src/sync/heads.ts';
import { addToSum, nextChain } from '../../../../src/sync/log.ts';
import {
  formatRegister,
  ITEM_FIELDS,
  parseRegister,
  type Register,
} from '../../../../src/sync/register.ts';
import { appliedRegister } from '../../../../src/sync/status.ts';
import { testHasher } from '../../../support/hasher.ts';
import { asKey, asStream, asUser } from '../../../support/ids.ts';

type Head = HeadEntry & {
  value: unknown;
  parents: readonly string[];
  wall: string;
  why: string | null;
  by: Change['by'];
};
export type Fault =
  | 'offline'
  | 'ack_lost'
  | 'truncate'
  | 'swap'
  | 'html'
  | { status: number; code: string; headers?: Record<string, string> }
  | null;

const ZERO = '0'.repeat(64);
const WALL = '2026-01-02T03:04:05.000Z';

/**
 * A server of one case in memory, by the definitions: heads are the applied entries that no applied
 * entry of their register names.
 */
export class Upstream {
  epoch = 'e1';
  log: SealedChange[] = [];
  chains = [ZERO];
  sum = ZERO;
  chunkItems = 500;
  pageChanges = 1_000;
  hlc = HLC_ZERO;
  requests: { method: string; path: string; search: string; status: number | 'lost' }[] = [];
  /** Asked before each request; a fault spoils it. */
  fault: (method: string, path: string) => Fault = () => null;
  /** Awaited before each answer: for holding one back. */
  gate: (path: string) => Promise<void> = () => Promise.resolve();
  /** Who is signed in. */
  user: { user_id: string; name: string; role: string; formerly?: string[] } = {
    user_id: 'u_me',
    name: 'Me',
    role: 'owner',
  };
  /** The account that is open, of a hosted server; null on a desktop. */
  account: { account_id: string; name: string } | null = null;
  /** Entries that it keeps and does not apply. */
  quarantines: (text: string) => number[] = () => [];
  /** A server with its own mind about a change. */
  refuses: (text: string) => boolean = () => false;
  /** A server with a defect: a push that holds such a change is answered 500. */
  failsOn: (text: string) => boolean = () => false;
  /** What becomes of a snapshot's chunk on its way, after it was hashed. */
  spoilsChunk: (text: string) => string = (text) => text;
  #registers = new Map<string, Map<string, Head>>();
  #items = new Set<string>();
  #nonce = 0;
  readonly caseUid: string;
  readonly profile: ProfileDocument;
  readonly now: () => number;

  constructor(caseUid: string, profile: ProfileDocument, now: () => number) {
    this.caseUid = caseUid;
    this.profile = profile;
    this.now = now;
  }

  get rules(): string[] {
    return this.profile.rules.map((rule) => rule.ruleUid);
  }

  append(sealed: SealedChange): number {
    this.log.push(sealed);
    this.chains.push(nextChain(this.chains.at(-1) ?? ZERO, sealed.id, testHasher));
    this.sum = addToSum(this.sum, sealed.id);
    const { change } = sealed;
    change.entries.forEach((entry, index) => {
      const register = appliedRegister(change, index);
      if (register === undefined) return;
      if (register.kind === 'item' || register.kind === 'assertion' || register.kind === 'notes')
        this.#items.add(register.item);
      const entries = this.#registers.get(entry.reg) ?? new Map<string, Head>();
      this.#registers.set(entry.reg, entries);
      const name = entryName(sealed.id, index);
      entries.set(name, {
        name,
        hlc: change.hlc,
        value: entry.value,
        parents: entry.parents,
        wall: change.wall,
        why: change.why,
        by: change.by,
      });
    });
    return this.log.length;
  }

  /** Heads of a register, the displayed one first. */
  heads(register: Register): Head[] {
    const entries = [...(this.#registers.get(formatRegister(register))?.values() ?? [])];
    const named = new Set(entries.flatMap((entry) => entry.parents));
    return entries.filter((entry) => !named.has(entry.name)).sort((a, b) => compareHeads(b, a));
  }
  cell(item: string, rule: string, kind: 'assertion' | 'notes' = 'assertion'): Head[] {
    return this.heads({
      kind,
      profile: this.profile.profileUid,
      version: this.profile.version,
      rule,
      item,
    });
  }
  outcome(item: string, rule: string): string | null {
    return (
      (this.cell(item, rule)[0]?.value as { raw_outcome: string | null } | undefined)
        ?.raw_outcome ?? null
    );
  }

  /** An agent's write, straight into the log. Cites what is displayed unless told otherwise. */
  write(
    writes: readonly { register: Register; value: unknown; parents?: string[] }[],
    why: string | null = null,
    append = true,
  ): SealedChange {
    this.hlc = nextHlc(this.hlc, this.now());
    const entries = writes.map(({ register, value, parents }): Entry => ({
      op: 'set',
      parents:
        parents ??
        this.heads(register)
          .slice(0, 1)
          .map((head) => head.name),
      reg: formatRegister(register),
      value,
    }));
    const sealed = seal(
      {
        v: 1,
        case: asStream(this.caseUid),
        hlc: this.hlc,
        wall: new Date(this.now()).toISOString(),
        by: { user: asUser('u_agent'), kind: 'agent', agent: 'agent', key: asKey('agentskey1') },
        at: { replica: 'r_server', app: 'test', schema: 1 },
        txn: `txn_${this.#nonce}`,
        why,
        nonce: (this.#nonce++).toString(16).padStart(32, '0'),
        entries,
      },
      testHasher,
    );
    if (append) this.append(sealed);
    return sealed;
  }
  writeCell(
    item: string,
    rule: string,
    raw_outcome: string | null,
    parents?: string[],
  ): SealedChange {
    const register: Register = {
      kind: 'assertion',
      profile: this.profile.profileUid,
      version: this.profile.version,
      rule,
      item,
    };
    return this.write([
      { register, value: { raw_outcome }, ...(parents === undefined ? {} : { parents }) },
    ]);
  }
  addItems(uids: readonly string[]): void {
    for (let at = 0; at < uids.length; at += 1_000) {
      this.write(
        uids.slice(at, at + 1_000).flatMap((item, k) => [
          { register: { kind: 'item', field: 'x', item }, value: { deleted: false }, parents: [] },
          { register: { kind: 'item', field: 'position', item }, value: at + k + 1, parents: [] },
        ]),
      );
    }
  }

  dump(): { log: SealedChange[] } {
    return { log: [...this.log] };
  }
  /** As a restored backup: the same epoch, an older log. */
  restore({ log }: { log: SealedChange[] }): void {
    this.log = [];
    this.chains = [ZERO];
    this.sum = ZERO;
    this.#registers.clear();
    this.#items.clear();
    for (const sealed of log) this.append(sealed);
  }

  readonly fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://studio.test');
    const method = init.method ?? 'GET';
    const request: Upstream['requests'][number] = {
      method,
      path: url.pathname,
      search: url.search,
      status: 'lost',
    };
    this.requests.push(request);
    const fault = this.fault(method, url.pathname);
    if (fault === 'offline') throw new TypeError('fetch failed');
    if (fault === 'html')
      return new Response('<h1>Sign in to the guest network</h1>', {
        headers: { 'content-type': 'text/html' },
      });
    if (fault !== null && typeof fault === 'object') {
      request.status = fault.status;
      return Response.json(
        { error: fault.code, message: `Refused: ${fault.code}.`, details: [], request_id: 'r' },
        { status: fault.status, headers: fault.headers ?? {} },
      );
    }
    if (
      method === 'POST' &&
      url.pathname.endsWith('/push') &&
      typeof init.body === 'string' &&
      this.failsOn(init.body)
    ) {
      request.status = 500;
      return Response.json(
        { error: 'internal_error', message: 'Something went wrong.', details: [], request_id: 'r' },
        { status: 500 },
      );
    }
    const answer = this.#answer(
      method,
      url,
      new Headers(init.headers),
      typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
    );
    if (fault === 'truncate' && Array.isArray(answer.body.changes)) answer.body.changes.pop();
    if (fault === 'swap' && Array.isArray(answer.body.changes) && answer.body.changes.length > 1) {
      const [first, second] = answer.body.changes as { seq: number }[];
      Object.assign(answer.body.changes, [
        { ...second, seq: first?.seq },
        { ...first, seq: second?.seq },
      ]);
    }
    await this.gate(url.pathname);
    init.signal?.throwIfAborted();
    if (fault === 'ack_lost') throw new TypeError('socket closed');
    request.status = answer.status;
    return Response.json(answer.body, { status: answer.status });
  };

  #answer(
    method: string,
    url: URL,
    headers: Headers,
    body: unknown,
  ): { status: number; body: { changes?: unknown; [member: string]: unknown } } {
    const refuse = (status: number, error: string) => ({
      status,
      body: { error, message: `Refused: ${error}.`, details: [], request_id: 'r' },
    });
    const path = url.pathname;
    if (path === '/api/v1/session')
      return {
        status: 200,
        body: {
          ...SESSION,
          ...(this.account !== null && { home: 'hosted', account: this.account }),
          user: { email: null, ...this.user },
        },
      };
    const owner =
      this.account === null ? this.user.user_id : `${this.user.user_id}@${this.account.account_id}`;
    if ((headers.get('sync-user') ?? owner) !== owner) return refuse(409, 'other_user');
    if (method === 'POST' && this.user.role === 'viewer') return refuse(403, 'read_only_role');
    if (path === `/api/v1/profiles/${this.profile.profileUid}`)
      return { status: 200, body: this.profile };
    const root = `/api/v1/sync/cases/${this.caseUid}/`;
    if (path === `/api/v1/cases/${this.caseUid}/history`)
      return { status: 200, body: this.#history(url) };
    if (path === `/api/v1/cases/${this.caseUid}/writers`)
      return { status: 200, body: this.#writers(body as { entries: string[] }) };
    if (!path.startsWith(root)) return refuse(404, 'not_found');
    const witness = headers.get('sync-witness')?.split(';');
    if (
      witness !== undefined &&
      (witness[0] !== this.epoch || this.chains[Number(witness[1])] !== witness[2])
    )
      return refuse(409, 'diverged');
    const action = path.slice(root.length);
    if (method === 'POST' && action === 'push')
      return this.#push(body as { changes: { id: string; change: string }[] });
    if (action === 'changes')
      return { status: 200, body: this.#changes(Number(url.searchParams.get('after'))) };
    if (action === 'snapshot')
      return { status: 200, body: this.#snapshot(Number(url.searchParams.get('after') ?? '0')) };
    return refuse(404, 'not_found');
  }
  #position() {
    return {
      epoch: this.epoch,
      seq: this.log.length,
      chain: this.chains.at(-1),
      count: this.log.length,
      sum: this.sum,
    };
  }
  #push({ changes }: { changes: { id: string; change: string }[] }) {
    const results: unknown[] = [];
    if (changes.some(({ change }) => this.refuses(change)))
      return {
        status: 422,
        body: {
          error: 'validation_failed',
          message: 'A change is not taken.',
          details: [],
          request_id: 'r',
        },
      };
    let sealed: SealedChange[];
    try {
      sealed = changes.map(({ id, change }) => unseal(id, change, testHasher));
    } catch {
      return {
        status: 422,
        body: {
          error: 'hash_mismatch',
          message: 'A change is damaged.',
          details: [],
          request_id: 'r',
        },
      };
    }
    for (const change of sealed) {
      const at = this.log.findIndex((known) => known.id === change.id);
      const seq = at >= 0 ? at + 1 : this.append(change);
      results.push({
        id: change.id,
        status: at >= 0 ? 'duplicate' : 'applied',
        seq,
        quarantined: this.quarantines(change.text),
      });
    }
    return { status: 200, body: { results, ...this.#position() } };
  }
  #changes(after: number) {
    const part = this.log.slice(after, after + this.pageChanges);
    const to = after + part.length;
    return {
      epoch: this.epoch,
      from: after,
      to,
      n: part.length,
      chain: this.chains[to],
      more: to < this.log.length,
      count: this.log.length,
      sum: this.sum,
      changes: part.map(({ id, text }, at) => ({
        seq: after + at + 1,
        received_at: WALL,
        actor: 'u',
        quarantined: [],
        id,
        change: text,
      })),
    };
  }

  #snapshot(after: number) {
    const { profileUid: profile, version } = this.profile;
    const field = <T>(
      item: string,
      name: 'label' | 'item_type' | 'metadata' | 'position' | 'x',
      fallback: T,
    ): T =>
      (this.heads({ kind: 'item', field: name, item })[0]?.value as T | undefined) ?? fallback;
    const existence = (item: string) => {
      const { deleted, covers } = field<{ deleted: boolean; covers?: string[] }>(item, 'x', {
        deleted: false,
      });
      return { deleted, ...(deleted && covers !== undefined ? { covers } : {}) };
    };
    const all = [...this.#items]
      .map((item) => ({
        item_uid: item,
        item_type: field(item, 'item_type', 'item'),
        label: field(item, 'label', ''),
        metadata: field(item, 'metadata', {}),
        position: field(item, 'position', 0),
        ...existence(item),
        heads: Object.fromEntries(
          (['label', 'item_type', 'metadata', 'position', 'x'] as const).flatMap((name) =>
            this.heads({ kind: 'item', field: name, item })
              .slice(0, 1)
              .map((head) => [name, head.name] as const),
          ),
        ),
      }))
      .sort((a, b) => a.position - b.position || (a.item_uid < b.item_uid ? -1 : 1));
    const items = all.slice(after, after + this.chunkItems);
    const names = new Map<string, number>();
    const placeOf = ({ name }: Head): number => {
      const id = name.slice(0, name.indexOf('#'));
      if (!names.has(id)) names.set(id, names.size);
      return names.get(id) ?? 0;
    };
    const further: { reg: string; head: string; value: unknown }[] = [];
    const addFurther = (register: Register, [shown, ...others]: readonly Head[]): void => {
      if (shown !== undefined) placeOf(shown);
      for (const other of others) {
        placeOf(other);
        further.push({ reg: formatRegister(register), head: other.name, value: other.value });
      }
    };
    const runs: [number, number, number, number][] = [];
    const details: unknown[] = [];
    let raw = '';
    for (const { item_uid } of items)
      for (const name of ITEM_FIELDS)
        addFurther(
          { kind: 'item', field: name, item: item_uid },
          this.heads({ kind: 'item', field: name, item: item_uid }),
        );
    items.forEach((item, row) =>
      this.rules.forEach((rule, column) => {
        const [head] = this.cell(item.item_uid, rule);
        const [note] = this.cell(item.item_uid, rule, 'notes');
        const at = { profile, version, rule, item: item.item_uid };
        addFurther({ kind: 'assertion', ...at }, this.cell(item.item_uid, rule));
        addFurther({ kind: 'notes', ...at }, this.cell(item.item_uid, rule, 'notes'));
        const value = (head?.value ?? { raw_outcome: null }) as {
          raw_outcome: string | null;
          source_value?: string;
          provenance?: unknown;
        };
        raw += value.raw_outcome === null ? '-' : value.raw_outcome.charAt(0);
        if (head === undefined) runs.push([-1, 0, 0, 1]);
        else {
          const [place, index] = [
            placeOf(head),
            Number(head.name.slice(head.name.indexOf('#') + 1)),
          ];
          const last = runs.at(-1);
          if (
            last !== undefined &&
            last[0] === place &&
            last[2] === 1 &&
            last[1] + last[3] === index
          )
            last[3] += 1;
          else runs.push([place, index, 1, 1]);
        }
        if (
          value.source_value === undefined &&
          value.provenance === undefined &&
          note === undefined
        )
          return;
        details.push({
          row,
          column,
          source_value: value.source_value ?? null,
          notes: note?.value ?? null,
          provenance: value.provenance ?? null,
          notes_head: note?.name ?? null,
          updated_at: WALL,
          updated_by: 'u',
        });
      }),
    );
    const next = after + items.length < all.length ? String(after + items.length) : null;
    const chunk = JSON.stringify({
      ...this.#position(),
      profile_uid: profile,
      profile_version: version,
      rules: this.rules,
      names: [...names.keys()],
      clocks: [...names.keys()].map(
        (id) => this.log.find((change) => change.id === id)?.change.hlc ?? HLC_ZERO,
      ),
      authors: [...names.keys()].map((id) => this.#author(id)),
      by: [...names.keys()].map((_, place) => place),
      restored: [],
      dangling: [],
      items,
      raw,
      heads: runs,
      details,
      further,
      next,
    });
    return { n: items.length, sha256: testHasher.sha256Hex(chunk), chunk: this.spoilsChunk(chunk) };
  }

  #author(id: string) {
    const by = this.log.find((change) => change.id === id)?.change.by;
    return { kind: by?.kind ?? 'human', name: by?.agent ?? by?.user ?? '' };
  }

  #writers({ entries }: { entries: string[] }) {
    return {
      writers: entries.flatMap((entry) => {
        const change = this.log.find(({ id }) => entry.startsWith(id))?.change;
        if (change === undefined) return [];
        const { by, wall, why, at } = change;
        return {
          entry,
          at: new Date(wall).toISOString(),
          received_at: WALL,
          clock_differs: false,
          sent_by: null,
          relayed: false,
          by: by.agent ?? by.user,
          user: by.user,
          kind: by.kind,
          key_id: by.key,
          replica: at.replica,
          reason: why,
          restored: null,
        };
      }),
    };
  }
  #history(url: URL) {
    const at = {
      profile: this.profile.profileUid,
      version: this.profile.version,
      rule: url.searchParams.get('rule_uid') ?? '',
      item: url.searchParams.get('item_uid') ?? '',
    };
    const data = (['assertion', 'notes'] as const).flatMap((kind) => {
      const entries =
        this.#registers.get(formatRegister({ kind, ...at })) ?? new Map<string, Head>();
      const heads = new Set(this.heads({ kind, ...at }).map((head) => head.name));
      return [...entries.values()].map((entry) => ({
        entry: entry.name,
        at: new Date(entry.wall).toISOString(),
        received_at: WALL,
        clock_differs: false,
        sent_by: null,
        relayed: false,
        by: entry.by.user,
        kind: entry.by.kind,
        key_id: entry.by.key,
        reason: entry.why,
        recorded_by: { kind: entry.by.kind, name: entry.by.user },
        restores: null,
        field: kind === 'notes' ? 'notes' : 'outcome',
        old: entries.get(entry.parents[0] ?? '')?.value ?? null,
        new: entry.value,
        current: heads.has(entry.name),
      }));
    });
    return { data: data.reverse(), next_cursor: null };
  }
  /** Every cell register the log has written, for comparing whole states. */
  cells(): { item: string; rule: string }[] {
    return [...this.#registers.keys()].flatMap((address) => {
      const register = parseRegister(address);
      return register?.kind === 'assertion' ? [{ item: register.item, rule: register.rule }] : [];
    });
  }
}

const SESSION = {
  account: { account_id: 'acc', name: 'Team' },
  accounts: [{ account_id: 'acc', name: 'Team', role: 'owner' }],
  sign_in: 'none',
  home: 'desktop',
  server: {
    operator_only: { accounts: false, publishing: false },
    version: '0.1.0',
    url: 'http://127.0.0.1:1',
    instance_id: 'i',
    store: 's',
    read_only: false,
    read_only_reason: null,
    backups: [],
  },
};
