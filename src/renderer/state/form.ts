import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { z } from 'zod';
import { describeFailure, type ShownFailure } from './failure.ts';
import { schemaWords } from './refusal-words.ts';
import { useStillHere } from './use-still-here.ts';

interface FormOptions<V, I> {
  initial: V;
  /** What the server will check, checked here first. */
  schema: z.ZodType<I, unknown>;
  toInput: (values: V) => unknown;
  /** `isHere`: see useStillHere. */
  submit: (input: I, isHere: () => boolean) => Promise<void>;
  /** The field that a refusal belongs to although it names none, such as an ID that is taken. */
  placeFailure?: (
    failure: ShownFailure,
  ) => { field: keyof V & string; message: string } | undefined;
}

export interface Form<V> {
  values: V;
  /** A function gets what is there by then. */
  set: <K extends keyof V>(name: K, value: V[K] | ((now: V[K]) => V[K])) => void;
  errors: Partial<Record<string, string>>;
  failure: ShownFailure | undefined;
  busy: boolean;
  /** For the `<form>`: its `ref`, `onSubmit` and `noValidate`. */
  props: {
    ref: (form: HTMLFormElement | null) => void;
    onSubmit: (event: FormEvent) => void;
    noValidate: true;
  };
}

/** The field named by a path: the first segment of a JSON Pointer or of a zod path. */
function fieldOf(path: string): string {
  return (path.startsWith('/') ? path.slice(1) : path).split('/')[0] ?? '';
}

interface FoundProblem {
  field: string;
  message: string;
}

const issuesIn = (error: z.ZodError): FoundProblem[] =>
  error.issues.map(({ path, message }) => ({
    field: String(path[0] ?? ''),
    message: schemaWords(message),
  }));

const detailsIn = (failure: ShownFailure): FoundProblem[] =>
  failure.details.map(({ path, message }) => ({
    field: fieldOf(path),
    message: schemaWords(message),
  }));

/** The errors of the fields; the first refused field gets the focus once it is drawn as such. */
function useFieldErrors() {
  const [errors, setErrors] = useState<Partial<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const isRefused = useRef(false);
  useEffect(() => {
    if (!isRefused.current) return;
    isRefused.current = false;
    form.current
      ?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] button')
      ?.focus();
  }, [errors]);
  const refuse = (found: readonly FoundProblem[]): void => {
    isRefused.current = true;
    setErrors(firstOfEach(found));
  };
  return { errors, setErrors, refuse, form };
}

export function useForm<V extends object, I>({
  initial,
  schema,
  toInput,
  submit,
  placeFailure,
}: FormOptions<V, I>): Form<V> {
  const [values, setValues] = useState(initial);
  const [failure, setFailure] = useState<ShownFailure>();
  const [busy, setBusy] = useState(false);
  const { errors, setErrors, refuse, form } = useFieldErrors();
  const begin = useStillHere();
  const send = async () => {
    setFailure(undefined);
    const checked = schema.safeParse(toInput(values));
    if (!checked.success) {
      refuse(issuesIn(checked.error));
      return;
    }
    setErrors({});
    setBusy(true);
    try {
      await submit(checked.data, begin());
    } catch (error) {
      const described = describeFailure(error);
      const placed = placeFailure?.(described);
      const found = placed === undefined ? detailsIn(described) : [placed];
      const own = found.filter((entry) => Object.hasOwn(values, entry.field));
      refuse(own);
      if (own.length === 0) setFailure(described);
    } finally {
      setBusy(false);
    }
  };
  return {
    values,
    errors,
    failure,
    busy,
    set: (name, value) => {
      setValues((previous) => ({
        ...previous,
        [name]: value instanceof Function ? value(previous[name]) : value,
      }));
      setErrors(({ [name as string]: _cleared, ...rest }) => rest);
    },
    props: {
      ref: (element) => {
        form.current = element;
      },
      onSubmit: (event) => {
        event.preventDefault();
        if (!busy) void send();
      },
      noValidate: true,
    },
  };
}

function firstOfEach(found: readonly FoundProblem[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { field, message } of found) errors[field] ??= message;
  return errors;
}
