import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;
/**
 * Size of V8's young generation, bytes: two halves of 8 MiB. By default it grows to 128 MiB; with
 * less than this, objects that a request needs for a moment would be moved to the old generation.
 */
const YOUNG = 16 * MIB;
/** On a hosted server, which has a machine for itself and answers many requests at once. */
const YOUNG_HOSTED = 64 * MIB;
/**
 * Blocks of 32 KiB that may be allocated to make the young generation grow; they live for a few
 * milliseconds.
 */
const BLOCKS = 1_024;

function youngSize(): number {
  return (
    getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ??
    YOUNG_HOSTED
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
export function keepHeapSmall({ hosted }: { hosted: boolean }): void {
  // Collect the old generation when it has doubled instead of quadrupled.
  setFlagsFromString('--heap-growing-percent=100');
  growYoung(YOUNG, 8);
  if (hosted) growYoung(YOUNG_HOSTED, 2);
  // With a factor of one it never grows.
  setFlagsFromString('--semi-space-growth-factor=1');
}
