import type { z } from 'zod';
import type { StudioCalls } from './studio.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** What a tool may do to what is stored, for hosts that ask their person by it. */
export type Effect = 'reads' | 'adds' | 'overwrites';

/** A tool: what the model reads about it, and what it does by operations of the API. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  effect: Effect;
  /** Listed only for a key that may write. */
  needsWrite: boolean;
  run(studio: StudioCalls, input: unknown): Promise<object>;
}

/** Keeps the types of input and output together. */
export function tool<I extends z.ZodObject<Shape>, O extends z.ZodObject<Shape>>(definition: {
  name: string;
  title: string;
  description: string;
  input: I;
  output: O;
  effect: Effect;
  needsWrite?: boolean;
  run(studio: StudioCalls, input: z.output<I>): Promise<z.input<O>>;
}): Tool {
  return {
    needsWrite: false,
    ...definition,
    run: (studio, input) =>
      definition.run(studio, definition.input.parse(input)) as Promise<object>,
  };
}
