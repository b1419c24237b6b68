import {
  PROTOCOL,
  type push,
  type syncCases,
  type WireChange,
} from '../../../src/shared/contract/sync.ts';
import type { z } from 'zod';
import { batchesOf } from './changes.ts';

type Pushed = z.output<typeof push.response>;

/**
 * The least client of the contract: sends and reads changes over HTTP with a key, and believes the
 * answers.
 */
export function syncClient(url: string, key: string) {
  let witness: string | undefined;
  async function call<T>(method: string, path: string, body?: string): Promise<T> {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(witness === undefined ? {} : { 'sync-witness': witness }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const pathOf = (caseUid: string, verb: string): string =>
    `/api/v1/sync/cases/${encodeURIComponent(caseUid)}/${verb}`;

  async function send(caseUid: string, batch: readonly WireChange[]): Promise<Pushed> {
    const answer = await call<Pushed>(
      'POST',
      pathOf(caseUid, 'push'),
      JSON.stringify({ protocol: PROTOCOL, changes: batch }),
    );
    witness = `${answer.epoch};${answer.seq};${answer.chain}`;
    return answer;
  }
  return {
    send,
    /** Sends all of them, a request at a time; the next one is made meanwhile. */
    async sendAll(caseUid: string, all: Iterable<WireChange>): Promise<void> {
      let under: Promise<unknown> = Promise.resolve();
      for (const batch of batchesOf(all)) {
        await under;
        under = send(caseUid, batch);
      }
      await under;
    },
    /** How long a log is. */
    async seq(caseUid: string): Promise<number> {
      const { cases } = await call<z.output<typeof syncCases.response>>(
        'GET',
        '/api/v1/sync/cases',
      );
      return cases.find(({ case_uid }) => case_uid === caseUid)?.seq ?? 0;
    },
  };
}
