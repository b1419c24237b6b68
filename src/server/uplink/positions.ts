import type { z } from 'zod';
import type { CallResult } from '../../shared/contract/call.ts';
import { syncCases } from '../../shared/contract/sync.ts';
import { listProjects } from '../../shared/contract/v1/projects.ts';
import type { BlockReason } from '../../sync/answers.ts';
import { projectOf } from '../../sync/register.ts';
import { type UpstreamConnection, type LinkStep, stepOf } from './connection.ts';
import type { LinkRow } from '../storage/replication/links.ts';
import type { ProjectId, StreamName } from '../../shared/contract/ids.ts';

type StreamPosition = z.output<typeof syncCases.response>['cases'][number];

/** How often all positions are asked for, though the other side can tell what has moved, ms. */
const WHOLE_MS = 3_600_000;

/** Where the other side's logs stand, according to its latest answers. */
export class Positions {
  #etag: string | null = null;
  #projects = new Map<ProjectId, string>();
  /** When the other side last reported the positions of all its logs, ms since 1970. */
  #saidAt: number | null = null;
  /** When it last reported all, and not only what had moved, in elapsed time. */
  #wholeAt = -Infinity;
  readonly streams = new Map<StreamName, StreamPosition>();
  epoch = '';
  role: 'owner' | 'member' | 'viewer' = 'member';
  /** Whether the other side takes the key for a studio's. */
  studio = true;

  /** Why nothing may be sent to the other side; null where it may. */
  get sendingBlocked(): BlockReason | null {
    return this.role === 'viewer' ? 'read_only' : this.studio ? null : 'not_a_studio';
  }

  /** Names of the other side's projects by id, '' where a project has no name. */
  get projects(): ReadonlyMap<ProjectId, string> {
    return this.#projects;
  }

  /**
   * Asks for all positions: the one request that an idle studio makes. `moved`: something has
   * changed since the last answer.
   */
  async ask(connection: UpstreamConnection): Promise<{ step: LinkStep; moved: boolean }> {
    const askedAt = connection.now();
    if (connection.elapsed() - this.#wholeAt >= WHOLE_MS) this.forget();
    const since = this.#etag;
    const seen: StreamPosition[] = [];
    let after: string | undefined;
    let etag: string | null = null;
    let isWhole = true;
    do {
      const asked = await connection.client.callTagged(
        syncCases,
        {
          query:
            after !== undefined
              ? { after }
              : since !== null && connection.tellsSince()
                ? { since }
                : {},
          signal: connection.signal,
        },
        after === undefined ? this.#etag : null,
      );
      if (asked.kind === 'unchanged') {
        this.#saidAt = askedAt;
        return { step: { kind: 'done' }, moved: false };
      }
      if (asked.result.kind !== 'ok') {
        connection.failed(null, 'cases', asked.result);
        return { step: stepOf(asked.result, 'pull'), moved: false };
      }
      const { body } = asked.result;
      etag ??= asked.etag;
      isWhole &&= body.since === undefined;
      this.epoch = body.epoch;
      this.role = body.role;
      this.studio = body.studio ?? true;
      seen.push(...body.cases);
      after = body.next ?? undefined;
    } while (after !== undefined);
    if (isWhole) {
      this.streams.clear();
      this.#wholeAt = connection.elapsed();
    }
    for (const position of seen) this.streams.set(position.case_uid, position);
    this.#etag = etag;
    this.#saidAt = askedAt;
    return { step: await this.#nameProjects(connection), moved: true };
  }

  /**
   * When the other side last reported exactly the position that this link has read to; null where
   * its log stands elsewhere.
   */
  equalAt(
    stream: StreamName,
    { epoch, pull_seq, pull_chain }: Pick<LinkRow, 'epoch' | 'pull_seq' | 'pull_chain'>,
  ): number | null {
    const there = this.streams.get(stream);
    return this.epoch === epoch && there?.seq === pull_seq && there.chain === pull_chain
      ? this.#saidAt
      : null;
  }

  /**
   * Takes in a hint that a log has grown. Returns its previous position, or undefined for a log
   * that is not known yet.
   */
  grown(stream: StreamName, seq: number): StreamPosition | undefined {
    const position = this.streams.get(stream);
    if (position !== undefined && seq > position.seq)
      this.streams.set(stream, { ...position, seq });
    return position;
  }

  /** Notes that a cycle has read the log up to this position. */
  readTo(stream: StreamName, seq: number, chain: string): void {
    const position = this.streams.get(stream);
    if (position !== undefined) this.streams.set(stream, { ...position, seq, chain });
  }

  /** Makes the next question complete, without the tag of the last answer. */
  forget(): void {
    this.#etag = null;
  }

  async #nameProjects(connection: UpstreamConnection): Promise<LinkStep> {
    const ids = [...this.streams.values()].flatMap(
      ({ case_uid, project_id }) => projectOf(case_uid) ?? project_id ?? [],
    );
    if (ids.every((id) => this.#projects.has(id))) return { kind: 'done' };
    const named = new Map(ids.map((id) => [id, '']));
    let cursor: string | null = null;
    do {
      const result: CallResult<z.output<typeof listProjects.response>> =
        await connection.client.call(listProjects, {
          query: { limit: '200', ...(cursor !== null && { cursor }) },
          signal: connection.signal,
        });
      if (result.kind !== 'ok') return stepOf(result, 'pull');
      for (const { project_id, name } of result.body.data) named.set(project_id, name);
      cursor = result.body.next_cursor;
    } while (cursor !== null);
    this.#projects = named;
    return { kind: 'done' };
  }
}
