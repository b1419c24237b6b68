import type { z } from 'zod';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { useQuery, type Query } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';

/** An answer of the API that is not kept for offline pages. */
export function useCalled<E extends Endpoint>(
  key: string,
  endpoint: E,
): Query<z.output<E['response']>> {
  const { call, clock } = useServices();
  return useQuery(key, async () => ({ data: await call(endpoint), stale: false, at: clock.now() }));
}
