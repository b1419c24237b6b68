import { DatabaseSync } from 'node:sqlite';
import { PostgresSession } from '../../src/server/storage/db/postgres/postgres-session.ts';

/** Listens to every statement that the stores of this process ask, until it is disposed of. */
export function hearStatements(): Disposable & { heard: ReadonlySet<string> } {
  const heard = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  const { ask, note } = PostgresSession.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
    heard.add(given[0]);
    return prepare.apply(this, given);
  };
  PostgresSession.prototype.ask = function (this: PostgresSession, ...given) {
    heard.add(given[0]);
    return ask.apply(this, given);
  };
  PostgresSession.prototype.note = function (this: PostgresSession, ...given) {
    heard.add(given[0]);
    note.apply(this, given);
  };
  return {
    heard,
    [Symbol.dispose]: () => {
      DatabaseSync.prototype.prepare = prepare;
      Object.assign(PostgresSession.prototype, { ask, note });
    },
  };
}
