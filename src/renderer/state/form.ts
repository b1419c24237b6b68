import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { z } from 'zod';
import { describeFailure, type Failure } from './failure.ts';

interface FormOptions<V, I> {
  initial: V;
  /** What the server will check, checked here first. */
  schema: z.ZodType<I, unknown>;
  toInput: (values: V) => unknown;
  submit: (input: I) => Promise<void>;
  /** The field that a refusal belongs to although it names none, such as a taken identifier. */
  placeFailure?: (failure: Failure) => { field: keyof V & string; message: string } | undefined;
}

export interface Form<V> {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  errors: Partial<Record<string, string>>;
  failure: Failure | undefined;
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

export function useForm<V extends object, I>({
  initial,
  schema,
  toInput,
  submit,
  placeFailure,
}: FormOptions<V, I>): Form<V> {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Partial<Record<string, string>>>({});
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isRefused = useRef(false);

  const refuse = (found: Record<string, string>) => {
    isRefused.current = true;
    setErrors(found);
  };
  // The fields must be drawn as refused before one of them can be found.
  useEffect(() => {
    if (!isRefused.current) return;
    isRefused.current = false;
    form.current
      ?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] button')
      ?.focus();
  }, [errors]);
  const send = async () => {
    setFailure(undefined);
    const checked = schema.safeParse(toInput(values));
    if (!checked.success) {
      refuse(
        firstOfEach(
          checked.error.issues.map((issue) => ({
            field: String(issue.path[0] ?? ''),
            message: issue.message,
          })),
        ),
      );
      return;
    }
    setErrors({});
    setBusy(true);
    try {
      await submit(checked.data);
    } catch (error) {
      const described = describeFailure(error);
      const placed = placeFailure?.(described);
      const found =
        placed === undefined
          ? described.details.map((detail) => ({
              field: fieldOf(detail.path),
              message: detail.message,
            }))
          : [placed];
      const own = found.filter((entry) => Object.hasOwn(values, entry.field));
      refuse(firstOfEach(own));
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
      setValues((former) => ({ ...former, [name]: value }));
      setErrors(({ [name as string]: _gone, ...rest }) => rest);
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

function firstOfEach(found: readonly { field: string; message: string }[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { field, message } of found) errors[field] ??= message;
  return errors;
}
