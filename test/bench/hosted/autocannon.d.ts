/** The part of autocannon that is used here. */
declare module 'autocannon' {
  export interface Request {
    method?: string;
    path?: string;
    body?: string;
    headers?: Record<string, string>;
    setupRequest?(request: Request, context: object): Request;
  }
  export interface Client {
    setHeaders(headers: Record<string, string>): void;
    setRequests(requests: readonly Request[]): void;
  }
  export interface Result {
    duration: number;
    '2xx': number;
    non2xx: number;
    '5xx': number;
    errors: number;
    timeouts: number;
    latency: { p50: number; p97_5: number; p99: number; max: number };
    requests: { total: number; average: number };
    statusCodeStats: Record<string, { count: number }>;
  }
  export default function autocannon(options: {
    url: string;
    connections: number;
    duration: number;
    requests?: readonly Request[];
    setupClient?(client: Client): void;
  }): Promise<Result>;
}
