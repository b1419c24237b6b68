type Contextual<C> = (ctx: C, ...args: never[]) => unknown;

/** Functions that take a context first, by the names under which callers reach them. */
export type Repositories<C> = Readonly<
  Record<string, Contextual<C> | Readonly<Record<string, Contextual<C>>>>
>;

/** Each function without its first argument, the context. */
export type Bound<T> = {
  readonly [K in keyof T]: T[K] extends (ctx: never, ...args: infer A) => infer R
    ? (...args: A) => R
    : Bound<T[K]>;
};

const CONTEXT = Symbol('context');
const PARTS = Symbol('parts');
interface Binding {
  readonly [CONTEXT]: object;
  readonly [PARTS]: Record<string, unknown>;
}

/**
 * Binds repositories to a context. A transaction uses few of them, so each is bound when it is
 * first reached: a copy by spreading would leave them out.
 */
export function binder<C extends object, T extends Repositories<C>>(
  repositories: T,
): (ctx: C) => Bound<T> {
  const functions: [name: string, fn: Contextual<C>][] = [];
  const prototype: object = {};
  for (const [name, part] of Object.entries(repositories)) {
    if (typeof part === 'function') {
      functions.push([name, part]);
      continue;
    }
    const entries = Object.entries(part);
    Object.defineProperty(prototype, name, {
      get(this: Binding): unknown {
        return (this[PARTS][name] ??= boundTo(this[CONTEXT] as C, entries));
      },
    });
  }
  return (ctx) => {
    const binding: Bound<T> = Object.assign(
      Object.create(prototype),
      { [CONTEXT]: ctx, [PARTS]: {} },
      boundTo(ctx, functions),
    );
    return binding;
  };
}

function boundTo<C>(
  ctx: C,
  functions: readonly (readonly [name: string, fn: Contextual<C>])[],
): Record<string, unknown> {
  const bound: Record<string, unknown> = {};
  for (const [name, fn] of functions) bound[name] = fn.bind(undefined, ctx);
  return bound;
}
