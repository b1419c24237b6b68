import { createElement, Fragment, type ReactNode } from 'react';
import { formatOf } from './t.ts';

type RichValues = Readonly<Record<string, ReactNode | ((children: ReactNode) => ReactNode)>>;

/**
 * A message with elements in it: `rich('Open <a>the case</a>.', { a: (text) => <Link>…</Link> })`.
 */
export function rich(message: string, values: RichValues): ReactNode {
  const parts = formatOf(message).format<ReactNode>(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'function'
          ? (chunks: ReactNode[]) => value(createElement(Fragment, null, ...chunks))
          : value,
      ]),
    ) as Record<string, ReactNode>,
  );
  return Array.isArray(parts)
    ? createElement(Fragment, null, ...(parts as ReactNode[]))
    : (parts as ReactNode);
}
