import type { AskSql } from './connection.ts';
import { TO } from './stage.ts';

/** Name by which servers of before are connected, and those of this version. */
const BEFORE = 'evidence-studio';
export const APPLICATION_NAME = `${BEFORE}/${TO}`;

export interface ServersBefore {
  connections: number;
  addresses: string[];
}

export async function serversBefore(ask: AskSql): Promise<ServersBefore> {
  const rows = await ask<{ address: string; connections: number }>(
    `SELECT coalesce(host(client_addr), 'this machine') AS address, count(*)::int AS connections
      FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1
      GROUP BY 1 ORDER BY 1`,
    [BEFORE],
  );
  return {
    connections: rows.reduce((sum, row) => sum + row.connections, 0),
    addresses: rows.map(({ address }) => address),
  };
}
