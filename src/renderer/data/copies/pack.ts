/** Stands for what JSON has no word for: an object whose only member this is. */
const MARK = '$';
const LENGTH_BYTES = 4;

const BINARY = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array } as const;
type Kind = keyof typeof BINARY;
const KINDS: readonly Kind[] = ['u8', 'u16', 'u32'];

type Members = Record<string, unknown>;
const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Typed arrays of a value, in the order in which they are met. */
class Parts {
  readonly all: Uint8Array[] = [];
  #bytes = 0;
  add(view: Uint8Array | Uint16Array | Uint32Array): number {
    const at = this.#bytes;
    this.all.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    this.#bytes += view.byteLength;
    return at;
  }
}

function marked(value: unknown, parts: Parts): unknown {
  if (value === undefined) return { [MARK]: ['undefined'] };
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : { [MARK]: ['number', Object.is(value, -0) ? '-0' : String(value)] };
  if (typeof value !== 'object' || value === null) {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    throw new TypeError(`A ${typeof value} cannot be stored.`);
  }
  if (Array.isArray(value)) return value.map((member) => marked(member, parts));
  for (const kind of KINDS) {
    const Type = BINARY[kind];
    if (value instanceof Type) return { [MARK]: [kind, parts.add(value), value.length] };
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || Object.prototype.toString.call(value) !== '[object Object]') throw new TypeError('Only plain values and typed arrays can be stored.');
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, marked(member, parts)]));
  return Object.hasOwn(members, MARK) ? { [MARK]: ['object', members] } : members;
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
  const Type = KINDS.includes(kind as Kind) ? BINARY[kind as Kind] : undefined;
  if (Type === undefined || typeof first !== 'number' || typeof length !== 'number') throw new TypeError('A stored value is malformed.');
  // Copied, since a wider array must begin at a multiple of its width.
  return new Type(bytes.slice(first, first + length * Type.BYTES_PER_ELEMENT).buffer, 0, length);
}
const members = (value: Members, bytes: Uint8Array): Members => Object.fromEntries(Object.entries(value).map(([key, member]) => [key, meant(member, bytes)]));

/** A row of the browser's store as bytes: the length of its JSON, the JSON, and its typed arrays one after another. */
export function pack(row: unknown): Uint8Array {
  const parts = new Parts();
  // JSON escapes what UTF-8 cannot say, such as half of a surrogate pair.
  const json = new TextEncoder().encode(JSON.stringify(marked(row, parts)));
  const packed = new Uint8Array(parts.all.reduce((sum, part) => sum + part.length, LENGTH_BYTES + json.length));
  new DataView(packed.buffer).setUint32(0, json.length);
  packed.set(json, LENGTH_BYTES);
  let at = LENGTH_BYTES + json.length;
  for (const part of parts.all) {
    packed.set(part, at);
    at += part.length;
  }
  return packed;
}

export function unpack(packed: Uint8Array): unknown {
  const length = new DataView(packed.buffer, packed.byteOffset, packed.byteLength).getUint32(0);
  const json: unknown = JSON.parse(new TextDecoder().decode(packed.subarray(LENGTH_BYTES, LENGTH_BYTES + length)));
  return meant(json, packed.subarray(LENGTH_BYTES + length));
}
