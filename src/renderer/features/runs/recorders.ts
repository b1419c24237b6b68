import { useMemo } from 'react';
import { authorsOf, KIND_WORDS, type RunAuthors } from '../../../shared/domain/run-authors.ts';
import type { Recorder } from '../../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { useQuery } from '../../state/query.ts';
import { t, tOf } from '../../text/t.ts';

/**
 * An author in one text: the name, what it is the name of, the key where it is known, and who
 * accepted it.
 */
export function recorderWords({
  kind: of,
  name,
  key_id: key,
  accepted_by: person,
}: Recorder): string {
  const kind = tOf(KIND_WORDS[of]);
  if (key === undefined)
    return person === undefined
      ? `${name} (${kind})`
      : t('{name} ({kind}, accepted by {person})', { name, kind, person });
  return person === undefined
    ? t('{name} ({kind}, key {key})', { name, kind, key })
    : t('{name} ({kind}, key {key}, accepted by {person})', { name, kind, key, person });
}

/**
 * `loading` until it is known whether it is known; `authors` is undefined where it is not, and
 * `failed` says that it could not be asked.
 */
export interface AuthorsQuery {
  loading: boolean;
  failed: boolean;
  authors: RunAuthors | undefined;
}

export function useRunAuthors(run: RunRecord): AuthorsQuery {
  const { run_uid, content_hash } = run;
  const query = useQuery(`run-recorders/${run_uid}/${content_hash}`, (library) =>
    library.runRecorders(run_uid, content_hash),
  );
  const stated = query.data?.recorders;
  const authors = useMemo(
    () => (stated === undefined || stated === null ? undefined : authorsOf(run, stated)),
    [run, stated],
  );
  return {
    loading: query.data === undefined && query.failure === undefined,
    failed: query.data === undefined && query.failure !== undefined,
    authors,
  };
}
