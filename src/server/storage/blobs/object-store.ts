/** Keeps bytes under keys of letters, digits and `._-/`, and knows nothing of what they mean. */
export interface ObjectStore {
  /** The bytes are durably there when it resolves. Throws ObjectStoreError. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Undefined where there is no such object. Throws ObjectStoreError. */
  get(key: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** No blob is larger; an object that is cannot be one. */
export const MAX_OBJECT_BYTES = 64 * 1_048_576;

/**
 * `unreachable`: nothing or nobody answers, which may pass. `refused`: it answers, and not to us: a
 * setting is wrong. `full`: it takes no more.
 */
export type ObjectStoreProblem = 'unreachable' | 'refused' | 'full';

/**
 * The store could not do what it was asked; `message` is a word or two, never an address or a key.
 */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
  readonly problem: ObjectStoreProblem;
  constructor(problem: ObjectStoreProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** The code that an error of Node or of its network carries, at whatever depth. */
export function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as Error & { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return error instanceof Error ? error.name : 'unknown';
}
