import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/**
 * What a thread does, and the size of its young generation in bytes, two halves of the same size.
 * By default it grows to 128 MiB.
 */
const YOUNG = {
  /** Hands requests to the store's thread and answers on: it stays as V8 has begun it. */
  front: 0,
  /** With less, objects that a request needs for a moment would be moved to the old generation. */
  store: 16 * MIB,
  /** A hosted server, which has a machine for itself and answers many requests at once. */
  hosted: 64 * MIB,
} as const;
/**
 * Blocks of 32 KiB that may be allocated to make the young generation grow; they live for a few
 * milliseconds.
 */
const BLOCKS = 1_024;

function youngSize(): number {
  return (
    getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ??
    YOUNG.hosted
  );
}

/**
 * The size of the young generation can be set only when V8 starts. Later it grows by this factor
 * once enough objects survive in it.
 */
function growYoung(size: number, factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  const kept: unknown[] = [];
  while (youngSize() < size && kept.length < BLOCKS)
    kept.push(new Array<number>(4_096).fill(kept.length));
}

/**
 * Settings of V8 for a process that has to stay small. Without them a request of 10,000 cells
 * leaves garbage until the heap is several times what is in use. They are hints: only memory and
 * speed depend on them. Measured in docs/decisions/0011 and, for a hosted server, in 0036.
 */
export function keepHeapSmall(work: keyof typeof YOUNG): void {
  // Collect the old generation when it has grown by 70 % instead of quadrupled.
  setFlagsFromString('--heap-growing-percent=70');
  growYoung(Math.min(YOUNG[work], YOUNG.store), 8);
  growYoung(YOUNG[work], 2);
  // The client of HTTP reads the heads of answers by WebAssembly. Optimised, that takes 0.01 ms less a
  // request; to optimise it takes 20 MB, of which 14 stay.
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  // With a factor of one it never grows.
  setFlagsFromString('--semi-space-growth-factor=1');
}
