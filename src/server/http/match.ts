import { ApiError } from '../context/errors.ts';

interface RouteEntry<T> {
  segments: readonly string[];
  template: string;
  methods: Map<string, T>;
}

export interface Match<T> {
  template: string;
  methods: ReadonlyMap<string, T>;
  /** Path parameters as sent. */
  raw: readonly (readonly [name: string, value: string])[];
}

/**
 * Sorts paths of one length: those that name a segment before those that take any, from the left.
 */
const orderOf = (segments: readonly string[]): string =>
  segments.map((segment) => (segment.startsWith('{') ? '1' : '0')).join('');

/**
 * Finds operations by path: case-sensitive, no optional slash, nothing decoded. Path parameters are
 * decoded later, so the answer to an unknown path never depends on how it was spelt. A path that
 * names a segment goes before one that takes any, in whatever order they are given.
 */
export function createMatcher<T extends { method: string; path: string }>(
  operations: readonly T[],
): (path: string) => Match<T> | undefined {
  const entries = new Map<string, RouteEntry<T>>();
  for (const operation of operations) {
    const entry = entries.get(operation.path) ?? {
      segments: operation.path.split('/'),
      template: operation.path,
      methods: new Map<string, T>(),
    };
    if (entry.methods.has(operation.method))
      throw new TypeError(`Two operations at ${operation.method} ${operation.path}.`);
    entry.methods.set(operation.method, operation);
    entries.set(operation.path, entry);
  }
  const inOrder = [...entries.values()].toSorted((a, b) =>
    orderOf(a.segments) < orderOf(b.segments) ? -1 : 1,
  );
  return (path) => {
    const parts = path.split('/');
    for (const { segments, template, methods } of inOrder) {
      if (segments.length !== parts.length) continue;
      const raw: [string, string][] = [];
      const fits = segments.every((segment, index) => {
        const part = parts[index]!;
        if (!segment.startsWith('{')) return segment === part;
        raw.push([segment.slice(1, -1), part]);
        return part !== '';
      });
      if (fits) return { template, methods, raw };
    }
    return undefined;
  };
}

export function decodeParams(raw: Match<unknown>['raw']): Record<string, string> {
  return Object.fromEntries(
    raw.map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw new ApiError('invalid_path');
      }
    }),
  );
}

/** Methods of a path for `Allow`. */
export function allowed(methods: ReadonlyMap<string, unknown>): string {
  return [...methods.keys()]
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat('OPTIONS')
    .join(', ');
}
