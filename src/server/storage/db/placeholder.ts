import { type Expression, ValueNode } from 'kysely';

/** The place in a query of a value that each call brings. */
export class Placeholder<T> implements Expression<T> {
  readonly #name: string;
  readonly #encode: (value: T) => unknown;

  constructor(name: string, encode: (value: T) => unknown = (value) => value) {
    this.#name = name;
    this.#encode = encode;
  }

  get expressionType(): T | undefined {
    return undefined;
  }
  toOperationNode(): ValueNode {
    return ValueNode.create(this);
  }
  /** The same place, where the value is bound in another form. */
  encodedBy(encode: (value: T) => unknown): Placeholder<T> {
    return new Placeholder(this.#name, encode);
  }
  boundIn(values: object): unknown {
    return this.#encode((values as Record<string, T>)[this.#name]!);
  }
}
export type Placeholders<V> = { readonly [K in keyof V]: Placeholder<V[K]> };
