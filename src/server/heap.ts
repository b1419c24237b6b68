import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Size of the young generation, bytes: two halves of 8 MiB. Left alone it grows to 32 or 96 MiB; with less, what a request needs for a moment would grow old. */
const YOUNG = 16 * 1024 * 1024;
/** Blocks of 32 KiB that may be spent on making it so: they live for a few milliseconds. */
const BLOCKS = 256;

function youngSize(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? YOUNG;
}

/**
 * Settings of V8 for a process that is to stay small. Without them a request of 10,000 cells leaves garbage until the heap is several times what is in
 * use. They are hints: whatever an engine does with them, nothing but memory and speed depends on it. Measured in docs/decisions/0011.
 */
export function keepHeapSmall(): void {
  // The old generation is collected when it has doubled, not when it has quadrupled.
  setFlagsFromString('--heap-growing-percent=100');
  // The young one can be set at an engine's start only, but grows by this factor once enough survives in it, and not at all by a factor of one.
  setFlagsFromString('--semi-space-growth-factor=8');
  const kept: unknown[] = [];
  while (youngSize() < YOUNG && kept.length < BLOCKS) kept.push(new Array<number>(4_096).fill(kept.length));
  setFlagsFromString('--semi-space-growth-factor=1');
}
