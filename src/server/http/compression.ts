import type { HttpAnswer, RequestContext } from '../context/request.ts';
import { zip } from '../network/gzip.ts';

const WORTH_BYTES = 1_024;

/** Paths of replication between servers: their bodies may be compressed in both directions. */
export function isSyncPath(path: string): boolean {
  return path.startsWith('/api/v1/sync/');
}

/**
 * Compresses the answer where the caller accepts that and it saves something. Inside the process
 * nothing would be gained.
 */
export async function packAnswer(
  { req, path, inProcess }: RequestContext,
  answer: HttpAnswer,
): Promise<HttpAnswer> {
  const accepts = /(?:^|[\s,])gzip(?:$|[\s,;])/i.test(String(req.headers['accept-encoding'] ?? ''));
  if (inProcess || !accepts || !isSyncPath(path) || answer.body.length <= WORTH_BYTES)
    return answer;
  const body = await zip(answer.body);
  return {
    ...answer,
    body,
    headers: { ...answer.headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
  };
}
