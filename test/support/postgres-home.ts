import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from './find-program.ts';

const DEBIAN = '/usr/lib/postgresql';
const PROGRAMS = [
  'postgres',
  'initdb',
  'pg_basebackup',
  'pg_dump',
  'pg_restore',
  'pg_rewind',
  'psql',
];

const homes = (): string[] =>
  (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
    .map((version) => path.join(DEBIAN, version))
    .filter((folder) => PROGRAMS.every((name) => existsSync(path.join(folder, 'bin', name))));

/**
 * Where a whole PostgreSQL is, with the programs that keep and copy one, as Debian installs it;
 * undefined where there is none. They read no server that is newer than themselves.
 */
export function findPostgresHome(): string | undefined {
  const program = findProgram({
    variable: 'PG_DUMP_PATH',
    places: () => homes().map((folder) => path.join(folder, 'bin/pg_dump')),
    debian: 'postgresql',
  });
  return program && path.resolve(program, '../..');
}
