import { type ClientRequest, type RequestOptions, request } from 'node:http';
import { PresenceEvent } from '../../src/shared/contract/presence.ts';

/** A reader of the stream of events who has cases open. */
export interface Reader {
  status: number;
  /** What was last said of a case; undefined where nothing was. */
  here(caseUid: string): PresenceEvent | undefined;
  /** How often anything was said of any case. */
  told: number;
  leave(): void;
}

/** Opens the stream; resolves once it is open, or refused. */
export function openReader(
  server: Pick<RequestOptions, 'host' | 'port' | 'createConnection'>,
  open: readonly string[],
  headers: Record<string, string>,
): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const said = new Map<string, PresenceEvent>();
    const asking: ClientRequest = request(
      {
        ...server,
        path: `/api/v1/sync/events?open=${open.join(',')}`,
        headers,
      },
      (response) => {
        const reader: Reader = {
          status: response.statusCode ?? 0,
          here: (caseUid) => said.get(caseUid),
          told: 0,
          leave: () => asking.destroy(),
        };
        let rest = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines.filter((one) => one.startsWith('data: '))) {
            const event = PresenceEvent.safeParse(JSON.parse(line.slice(6)));
            if (!event.success) continue;
            reader.told += 1;
            said.set(event.data.case, event.data);
          }
        });
        response.on('error', () => undefined);
        resolve(reader);
      },
    );
    asking.once('error', reject);
    asking.end();
  });
}
