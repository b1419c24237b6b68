/** Stands for what JSON has no word for: an object whose only member this is. */
const MARK = '$';
/** One byte, and the length of the JSON. */
const HEAD_BYTES = 5;

const BINARY = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array } as const;
type BinaryKind = keyof typeof BINARY;
const KINDS: readonly BinaryKind[] = ['u8', 'u16', 'u32'];

type Members = Record<string, unknown>;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What JSON has no word for in a value: typed arrays, in the order in which they are met, and
 * whether there is anything of that kind.
 */
class Rest {
  readonly parts: Uint8Array[] = [];
  #bytes = 0;
  isEmpty = true;
  mark(...words: unknown[]): Members {
    this.isEmpty = false;
    return { [MARK]: words };
  }
  add(kind: BinaryKind, view: Uint8Array | Uint16Array | Uint32Array): Members {
    const at = this.#bytes;
    this.parts.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    this.#bytes += view.byteLength;
    return this.mark(kind, at, view.length);
  }
}

/**
 * Most values are returned as they are: only what holds something that JSON has no word for is
 * copied.
 */
function marked(value: unknown, rest: Rest): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return rest.mark('undefined');
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : rest.mark('number', Object.is(value, -0) ? '-0' : String(value));
    case 'object':
      return value === null ? null : markedObject(value, rest);
    default:
      throw new TypeError(`A ${typeof value} cannot be stored.`);
  }
}
function markedObject(value: object, rest: Rest): unknown {
  for (const kind of KINDS) if (value instanceof BINARY[kind]) return rest.add(kind, value);
  if (!Array.isArray(value) && Object.prototype.toString.call(value) !== '[object Object]')
    throw new TypeError('Only plain values and typed arrays can be stored.');
  let copy: object | undefined;
  for (const [key, member] of Object.entries(value)) {
    const written = marked(member, rest);
    if (Object.is(written, member)) continue;
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    // Defined, not assigned: a member may be named __proto__.
    Object.defineProperty(copy, key, {
      value: written,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return Object.hasOwn(value, MARK) ? rest.mark('object', copy ?? value) : (copy ?? value);
}

function meant(value: unknown, bytes: Uint8Array): unknown {
  if (Array.isArray(value)) return value.map((member) => meant(member, bytes));
  if (!isMembers(value)) return value;
  const mark = Object.hasOwn(value, MARK) ? value[MARK] : undefined;
  if (mark === undefined) return members(value, bytes);
  if (!Array.isArray(mark)) throw new TypeError('A stored value is malformed.');
  const [kind, first, length]: unknown[] = mark;
  if (kind === 'undefined') return undefined;
  if (kind === 'number') return Number(first);
  if (kind === 'object' && isMembers(first)) return members(first, bytes);
  const Type = KINDS.includes(kind as BinaryKind) ? BINARY[kind as BinaryKind] : undefined;
  if (Type === undefined || typeof first !== 'number' || typeof length !== 'number')
    throw new TypeError('A stored value is malformed.');
  // Copied, since a wider array must begin at a multiple of its width.
  return new Type(bytes.slice(first, first + length * Type.BYTES_PER_ELEMENT).buffer, 0, length);
}
const members = (value: Members, bytes: Uint8Array): Members =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, meant(member, bytes)]));

/**
 * A row of the browser's store as bytes: whether its JSON stands for more than it says, its length,
 * the JSON, and typed arrays one after another.
 */
export function pack(row: unknown): Uint8Array {
  const rest = new Rest();
  // JSON escapes what UTF-8 cannot say, such as half of a surrogate pair.
  const json = new TextEncoder().encode(JSON.stringify(marked(row, rest)));
  const packed = new Uint8Array(
    rest.parts.reduce((sum, part) => sum + part.length, HEAD_BYTES + json.length),
  );
  packed[0] = rest.isEmpty ? 0 : 1;
  new DataView(packed.buffer).setUint32(1, json.length);
  packed.set(json, HEAD_BYTES);
  let at = HEAD_BYTES + json.length;
  for (const part of rest.parts) {
    packed.set(part, at);
    at += part.length;
  }
  return packed;
}

export function unpack(packed: Uint8Array): unknown {
  const end =
    HEAD_BYTES + new DataView(packed.buffer, packed.byteOffset, packed.byteLength).getUint32(1);
  const json: unknown = JSON.parse(new TextDecoder().decode(packed.subarray(HEAD_BYTES, end)));
  return packed[0] === 0 ? json : meant(json, packed.subarray(end));
}
