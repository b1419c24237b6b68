import pino, { type DestinationStream, type Logger } from 'pino';

const SECRET = /evs_[A-Za-z0-9_]{10,}|([?&]token=)[A-Za-z0-9_-]+/g;

/** Replaces every key and sign-in token in a text. */
export function redact(text: string): string {
  return text.replace(SECRET, (_, name: string | undefined) =>
    name === undefined ? 'evs_***' : `${name}***`,
  );
}

/**
 * JSON lines. Secrets are replaced in the finished line, so that no field, message or stack can
 * carry one past.
 */
export function createLogger(options: { level: string; destination: DestinationStream }): Logger {
  const { destination } = options;
  return pino(
    { level: options.level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => destination.write(redact(line)) },
  );
}

/**
 * What the log says of an error: its kind and where it was thrown. The message is left out, since
 * it may quote input.
 */
export function describeError(error: unknown): { name: string; code: unknown; stack: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, code: undefined, stack: [] };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    code: 'code' in error ? error.code : undefined,
    stack: frames.slice(0, 12).map((line) => line.trim()),
  };
}
