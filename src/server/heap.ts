import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Size of V8's young generation, bytes: two halves of 8 MiB. By default it grows to 32 or 96 MiB; with less, objects that a request needs for a moment would be
 * moved to the old generation.
 */
const YOUNG = 16 * 1024 * 1024;
/** Blocks of 32 KiB that may be allocated to make the young generation grow; they live for a few milliseconds. */
const BLOCKS = 256;

function youngSize(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? YOUNG;
}

/**
 * Settings of V8 for a process that has to stay small. Without them a request of 10,000 cells leaves garbage until the heap is several times what is in use.
 * They are hints: only memory and speed depend on them. Measured in docs/decisions/0011.
 */
export function keepHeapSmall(): void {
  // Collect the old generation when it has doubled instead of quadrupled.
  setFlagsFromString('--heap-growing-percent=100');
  // The size of the young generation can be set only when V8 starts. Later it grows by this factor once enough objects survive in it; with a factor of one it
  // never grows.
  setFlagsFromString('--semi-space-growth-factor=8');
  const kept: unknown[] = [];
  while (youngSize() < YOUNG && kept.length < BLOCKS) kept.push(new Array<number>(4_096).fill(kept.length));
  setFlagsFromString('--semi-space-growth-factor=1');
}
