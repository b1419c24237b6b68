import path from 'node:path';
import type { Json } from '../support/json.ts';
import { call, makeKey, serve, signedIn } from '../support/served.ts';
import { OTHER_CASE, prepareCase, PROFILE_UID } from './evidence.ts';
import type { Figure } from './figure.ts';
import { median, temporary, time } from './measure.ts';

const [ITEMS, RULES, TURNS] = [100, 50, 7];
const CELLS = ITEMS * RULES;

const items = Array.from({ length: ITEMS }, (_, at) => ({ item_uid: `item_${at}` }));
const cells = items.flatMap(({ item_uid }) =>
  Array.from({ length: RULES }, (_, column) => ({
    item_uid,
    rule_uid: `rule_number_${column + 1}`,
    raw_outcome: 'FALSE',
    source_value: `page ${column}`,
  })),
);
const rule = { verdict: 'accept', filter: { raw_outcome: 'FALSE', min_confidence: 0.9 } };

interface Turn {
  accept: number;
  undo: number;
  record: number;
}

/** Accepted by a rule and taken back, beside the same outcomes recorded by request, by turns. */
async function play(send: (path: string, body: object) => Promise<Json>): Promise<Turn[]> {
  const own = `/api/v1/cases/bench`;
  const turns: Turn[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const seen = await send(`${own}/suggestions/decisions`, {
      profile_uid: PROFILE_UID,
      rule,
      preview: true,
    });
    const suggestion_ids = (seen.decisions as Json[]).map((one) => one.suggestion_id as string);
    if (suggestion_ids.length !== CELLS) throw new Error(`${suggestion_ids.length} are open.`);
    let changes: string[] = [];
    const accept = await time(async () => {
      const answer = await send(`${own}/suggestions/decisions`, {
        profile_uid: PROFILE_UID,
        rule: { ...rule, suggestion_ids },
      });
      if (answer.decided !== CELLS) throw new Error(JSON.stringify(answer).slice(0, 500));
      changes = answer.changes as string[];
    });
    const undo = await time(async () => {
      const { reverted } = await send(`${own}/reverts`, { changes, reason: 'again' });
      if (reverted !== 2 * CELLS) throw new Error(`${reverted} were taken back.`);
    });
    const record = await time(() =>
      send(`/api/v1/cases/${OTHER_CASE}/evidence`, {
        profile_uid: PROFILE_UID,
        items,
        outcomes: cells.map((cell) => ({ ...cell, source_value: `turn ${turn}` })),
      }),
    );
    turns.push({ accept, undo, record });
  }
  return turns;
}

export async function suggestionsBench(): Promise<Figure[]> {
  return temporary(async (folder) => {
    const data = path.join(folder, 'data');
    const key = await makeKey(data);
    const server = await serve(data);
    try {
      await prepareCase(server.url, key);
      const headers = await signedIn(server.url, data);
      const send = async (address: string, body: object): Promise<Json> => {
        const answer = await fetch(server.url + address, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        const value = (await answer.json()) as Json;
        if (answer.status !== 200) throw new Error(JSON.stringify(value));
        return value;
      };
      await send('/api/v1/cases/bench/evidence', { profile_uid: PROFILE_UID, items });
      const said = await call(server.url, key, 'POST', '/api/v1/cases/bench/suggestions', {
        profile_uid: PROFILE_UID,
        suggestions: cells.map((cell, at) => ({ ...cell, confidence: 0.9 + (at % 10) / 100 })),
      });
      if (said.body.written !== CELLS) throw new Error(JSON.stringify(said.body).slice(0, 500));
      const turns = await play(send);
      const of = (what: keyof Turn): number => median(turns.map((turn) => turn[what]));
      const [accept, undo, record] = [of('accept'), of('undo'), of('record')];
      return [
        figure('5,000 suggestions accepted by a previewed rule', accept, record),
        figure('the same taken back in one step', undo, record),
      ];
    } finally {
      await server.kill('SIGTERM');
    }
  });
}

/** Each is twice as many entries as the floor writes, and has to be found by name first. */
const figure = (what: string, ours: number, record: number): Figure => ({
  what,
  ours: `${ours.toFixed(0)} ms`,
  floor: `${record.toFixed(0)} ms to record the same outcomes by request`,
  compared: `${(ours / record).toFixed(1)} times`,
  gate: 'under 2 s, at most 12 times',
  met: ours < 2_000 && ours / record <= 12,
});
