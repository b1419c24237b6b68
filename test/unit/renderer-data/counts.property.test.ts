import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, Computer, recount, rest } from './support/windows.ts';
import { addItems } from '../../support/add-items.ts';
import { lengthOf } from '../../support/length.ts';

const ITEMS = ['a', 'b', 'c', 'd'];
const outcome = fc.constantFrom('TRUE', 'FALSE', 'NA', null);
const cell = fc.tuple(fc.constantFrom(...ITEMS), fc.nat(2));
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      cells: fc.array(cell, { minLength: 1, maxLength: 6 }),
      outcome,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('remote' as const),
      cell,
      outcome,
      blind: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('row' as const),
      uid: fc.constantFrom('e', 'f', 'A'),
      gone: fc.boolean(),
      remote: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'undo' as const,
        'redo' as const,
        'sync' as const,
        'offline' as const,
        'online' as const,
        'ack_lost' as const,
        'reopen' as const,
        'backup' as const,
        'restore' as const,
      ),
    }),
  },
);

describe('whatever happens', () => {
  it('kept counts equal a recount, and in the end window and server show the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 25 }), async (acts) => {
        const computer = new Computer(3, ITEMS);
        computer.upstream.chunkItems = 3;
        computer.upstream.pageChanges = 4;
        let { session, layer } = await computer.open();
        let backup = computer.upstream.dump();
        const check = (): void => {
          const { rows, columns, totals } = recount(session);
          expect(session.totals()).toEqual(totals);
          rows.forEach((row, at) => expect(session.rowCounts(at)).toEqual(row));
          columns.forEach((column, at) => expect(session.columnCounts(at)).toEqual(column));
        };
        for (const one of acts) {
          computer.time += 7;
          switch (one.kind) {
            case 'write':
              await session.write(
                'w',
                one.cells.map(([item, rule]) => at(item, rule)),
                { raw_outcome: one.outcome },
              );
              break;
            case 'remote':
              computer.upstream.writeCell(
                one.cell[0],
                at('', one.cell[1]).rule,
                one.outcome,
                one.blind ? [] : undefined,
              );
              break;
            case 'row':
              if (one.remote)
                computer.upstream.write([
                  {
                    register: { kind: 'item', field: 'x', item: one.uid },
                    value: { deleted: one.gone },
                  },
                ]);
              else await addItems(session, [{ item_uid: one.uid }]);
              break;
            case 'undo':
            case 'redo':
              await session[one.kind]();
              break;
            case 'sync':
              await computer.pass(2_500);
              break;
            case 'offline':
            case 'ack_lost':
              computer.upstream.fault = () => one.kind as 'offline' | 'ack_lost';
              break;
            case 'online':
              computer.upstream.fault = () => null;
              break;
            case 'reopen':
              layer.close();
              await rest();
              ({ session, layer } = await computer.open());
              break;
            case 'backup':
              backup = computer.upstream.dump();
              break;
            case 'restore':
              // What only the lost log held, and no window, is gone by rights: agents' writes since
              // the backup.
              computer.upstream.restore(backup);
              break;
          }
          check();
        }
        computer.upstream.fault = () => null;
        await computer.synced(session);
        await computer.pass(400_000);
        await computer.synced(session);
        check();
        for (const item of session.items)
          for (const rule of session.rules) {
            const [row, column] = [session.rowOf(item.item_uid), session.columnOf(rule)];
            expect([item.item_uid, rule, session.state(row, column)]).toEqual([
              item.item_uid,
              rule,
              computer.upstream.outcome(item.item_uid, rule),
            ]);
            const values = new Set(
              computer.upstream.cell(item.item_uid, rule).map((head) => JSON.stringify(head.value)),
            );
            expect(session.contested(row, column)).toBe(values.size > 1);
          }
        expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null });
        layer.close();
      }),
      { numRuns: lengthOf(4, 100) },
    );
  }, 200_000);
});
