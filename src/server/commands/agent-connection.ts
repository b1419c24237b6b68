import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { Scope } from '../../shared/contract/v1/account.ts';
import { collectKey, type StartedPairing, startPairing } from '../../shared/contract/v1/pairing.ts';
import { covers } from '../../shared/contract/rights.ts';
import { hasCode, replaceFile } from '../instance/atomic-file.ts';
import { problemOf, ToolProblem } from '../mcp/problems.ts';
import { nodeFetch } from '../network/node-fetch.ts';
import {
  createStudio,
  type StudioCalls,
  type StudioRequest,
  type StudioResponse,
} from '../mcp/studio.ts';
import { provenServer } from './running.ts';

/** How long a call waits for a person, ms: hosts give up after a minute. */
const WAIT_MS = 20_000;

/** The key of a program, by the name under which it was let in. */
const AgentKey = z.strictObject({ key: z.string(), key_id: z.string(), scopes: z.array(Scope) });
type AgentKey = z.infer<typeof AgentKey>;

const NO_STUDIO = new ToolProblem(
  'not_running',
  'Evidence Studio does not run on this computer. Ask the person to open it, or to start "evidence-studio serve", then call again.',
);
/** After these a key is of no use any more. */
const KEY_ENDED = new Set(['invalid_key', 'key_revoked', 'key_expired', 'user_disabled']);

async function send(
  url: string,
  key: string | undefined,
  { method, path: to, headers, body }: StudioRequest,
): Promise<StudioResponse> {
  const response = await nodeFetch(url + to, {
    method,
    headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    redirect: 'error',
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    text: await response.text(),
    header: (name) => response.headers.get(name),
  };
}

interface ConnectionOptions {
  folder: string;
  /** What the program calls itself to the person, and its key is called. */
  name: string;
  /** What it asks for. */
  scopes: z.input<typeof startPairing.body & object>['scopes'];
}

/**
 * The studio on this computer, for a program that is let in by a person: finds it by `server.json`,
 * asks it which one it is before anything is sent there, and pairs at the first call. The key is
 * kept in the data folder, which only its owner can read; the secret of a pairing only in memory.
 */
export class AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #file: string;
  #kept: AgentKey | undefined;
  #pairing: StartedPairing | undefined;
  /** What calls that come together wait for: one request is enough for all of them. */
  #asking: Promise<AgentKey> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const name = createHash('sha256').update(options.name).digest('hex').slice(0, 16);
    this.#file = path.join(options.folder, `agent-${name}.key`);
    this.#kept = this.#read();
  }

  /** Whether its key may write; before there is one, whether it asks for that. */
  get mayWrite(): boolean {
    return covers(this.#kept?.scopes ?? this.#options.scopes ?? [], ['write']);
  }

  #read(): AgentKey | undefined {
    try {
      return AgentKey.safeParse(JSON.parse(readFileSync(this.#file, 'utf8'))).data;
    } catch (error) {
      if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  #keep(kept: AgentKey): void {
    this.#kept = kept;
    replaceFile(this.#file, `${JSON.stringify(kept)}\n`);
  }

  /** The studio with this program's key. Throws ToolProblem while nobody has let it in. */
  async studio(): Promise<StudioCalls> {
    const found = await provenServer(this.#options.folder).catch(() => {
      throw problemOf({ kind: 'no_answer', reason: 'timeout' });
    });
    if (found === undefined) throw NO_STUDIO;
    const { url } = found;
    const { key, key_id } = (this.#kept ??= this.#read()) ?? (await this.#ask(url));
    return createStudio(async (request) => {
      const response = await send(url, key, request);
      if (response.status === 401) this.#forgetEnded(response.text);
      return response;
    }, key_id);
  }

  /** After a key was taken back, only the next call asks for another one. */
  #forgetEnded(text: string): void {
    const code = /"error":"(\w+)"/.exec(text)?.[1];
    if (code === undefined || !KEY_ENDED.has(code)) return;
    this.#kept = undefined;
    rmSync(this.#file, { force: true });
  }

  #ask(url: string): Promise<AgentKey> {
    return (this.#asking ??= this.#pair(url).finally(() => {
      this.#asking = undefined;
    }));
  }

  async #pair(url: string): Promise<AgentKey> {
    const studio = createStudio((request) => send(url, undefined, request), undefined);
    const pending = this.#pairing;
    if (pending === undefined || Date.parse(pending.expires_at) <= Date.now()) {
      const { name, scopes } = this.#options;
      this.#pairing = await studio.call(startPairing, { body: { name, scopes } });
      throw this.#waiting(this.#pairing);
    }
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const { state, api_key } = await this.#collect(studio, pending);
      if (api_key !== null) {
        this.#pairing = undefined;
        const { key, key_id, scopes } = api_key;
        const kept = { key, key_id, scopes };
        this.#keep(kept);
        return kept;
      }
      if (state === 'refused') {
        this.#pairing = undefined;
        throw new ToolProblem(
          'refused',
          'The person refused to let this agent in. Do not call again unless they ask you to.',
        );
      }
      if (Date.now() >= until) throw this.#waiting(pending);
      await wait(pending.poll_after_seconds * 1_000);
    }
  }

  async #collect(studio: StudioCalls, { pairing_id, secret }: StartedPairing) {
    try {
      return await studio.call(collectKey, {
        params: { pairingId: pairing_id },
        body: { secret },
      });
    } catch (error) {
      // The studio was started again, or the five minutes are over: the next call asks again.
      if (error instanceof ToolProblem && error.code === 'not_found') this.#pairing = undefined;
      throw error;
    }
  }

  #waiting({ code, expires_at }: StartedPairing): ToolProblem {
    return new ToolProblem(
      'waiting_for_person',
      `A person has to let this agent in. Tell them, word for word: "Evidence Studio asks whether ${this.#options.name} may come in. Allow it if the code there is ${code}." Then call this tool again; the request ends at ${expires_at}.`,
    );
  }
}
