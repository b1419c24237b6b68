import type { ProfileDocument } from '../../shared/domain/profile.ts';
import { profileDigest } from '../../shared/domain/profile.ts';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { WriteContext } from './context.ts';
import { flushStream, type Stream } from './ledger.ts';
import { appliedEntries, type Judged, type LogView } from './log-view.ts';
import { insertProfile, resolveProfile } from './profiles.ts';

/**
 * An account's profiles while a transaction works on their log. The first content received under a version is the one in use, since runs and cases refer to it.
 * Another content is kept in the log and noted as a further head of the announcement.
 */
export class ProfileView implements LogView {
  readonly #ctx: WriteContext;
  readonly #stream: Stream;

  constructor(ctx: WriteContext, stream: Stream) {
    this.#ctx = ctx;
    this.#stream = stream;
  }

  async prepare(): Promise<void> {}

  overfull(): undefined {}

  async apply(change: Judged, seq: number): Promise<void> {
    const { session, ports } = this.#ctx;
    const { account, pk } = this.#stream;
    for (const { index, entry, register } of appliedEntries(change)) {
      if (register.kind !== 'profile') continue;
      const { document } = entry.value as { document: ProfileDocument };
      const digest = profileDigest(document, ports.hasher);
      const inUse = await resolveProfile(this.#ctx, account, register.profile, register.version);
      if (inUse === undefined) await insertProfile(this.#ctx, account, document, canonicalJson(document), digest);
      else if (inUse.entry.digest !== digest) await session.insert('extra_heads', ['stream_pk', 'reg', 'seq', 'idx'], [[pk, entry.reg, seq, index]]);
    }
  }

  flush(): Promise<void> {
    return flushStream(this.#ctx, this.#stream);
  }
}
