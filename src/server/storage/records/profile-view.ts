import type { AccountId, ProfileUid } from '../../../shared/contract/ids.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import { profileDigest } from '../../../shared/domain/profile.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { NamedDocument } from '../../../sync/status.ts';
import type { WriteContext } from '../db/context.ts';
import { HeadMap, type RegisterBinding } from '../log/head-map.ts';
import { flushStream, type Stream } from '../log/change-log.ts';
import { appliedEntries, type ValidatedChange, type LogView } from '../log/log-view.ts';
import { insertProfile } from './profiles.ts';
import { RegisterMap } from '../log/register-map.ts';

interface DocumentChoice {
  profile: ProfileUid;
  version: string;
  digest?: string;
  contested?: boolean;
}

/**
 * An account's profiles while a transaction works on their log. Every document that is announced is
 * stored, under its digest; none is published by that. What a version means where several stand
 * under it is what a person has settled on.
 */
export class ProfileView implements LogView {
  readonly stream: Stream;
  readonly registers: RegisterMap;
  readonly heads: HeadMap;
  readonly #ctx: WriteContext;
  readonly #choices = new Map<string, DocumentChoice>();
  readonly #retired = new Map<ProfileUid, boolean>();

  constructor(ctx: WriteContext, stream: Stream) {
    this.#ctx = ctx;
    this.stream = stream;
    this.registers = new RegisterMap(ctx.session, stream.pk);
    this.heads = new HeadMap(ctx.session, stream.pk, stream.changes);
  }

  async prepare(changes: readonly ValidatedChange[]): Promise<void> {
    const choices = changes.flatMap((change) =>
      [...appliedEntries(change)].filter(
        ({ register }) => register.kind === 'version' || register.kind === 'retired',
      ),
    );
    if (choices.length === 0) return;
    const regs = [...new Set(choices.map(({ entry }) => entry.reg))];
    await this.registers.load(regs);
    await this.heads.load(regs);
    await this.stream.changes.loadIds(
      choices.flatMap(({ entry }) =>
        entry.parents.map((name) => name.slice(0, name.lastIndexOf('#'))),
      ),
    );
    await this.stream.changes.loadSeqs(this.registers.seqs());
  }

  overfull(): undefined {}

  /** The register of what a version means. */
  binding(profile: ProfileUid, version: string): RegisterBinding {
    const reg = `version/${profile}@${version}`;
    const choice = this.#choices.get(reg) ?? { profile, version };
    this.#choices.set(reg, choice);
    return this.registers.binding(
      reg,
      (value) => (choice.digest = (value as NamedDocument).digest),
      (_, contested) => (choice.contested = contested),
    );
  }

  /** The register of whether a profile is retired. */
  retiredBinding(profile: ProfileUid): RegisterBinding {
    return this.registers.binding(
      `retired/${profile}`,
      (value) => void this.#retired.set(profile, value === true),
    );
  }

  async apply(change: ValidatedChange, seq: number): Promise<void> {
    for (const { index, entry, register } of appliedEntries(change)) {
      const { parents, value } = entry;
      if (register.kind === 'version')
        await this.heads.apply(this.binding(register.profile, register.version), {
          seq,
          index,
          parents,
          value,
        });
      if (register.kind === 'retired')
        await this.heads.apply(this.retiredBinding(register.profile), {
          seq,
          index,
          parents,
          value,
        });
      if (register.kind === 'profile')
        await addAnnounced(
          this.#ctx,
          this.stream.account,
          (entry.value as { document: ProfileDocument }).document,
        );
    }
  }

  async flush(): Promise<void> {
    await this.registers.flush();
    await this.heads.flush();
    for (const { profile, version, digest, contested } of this.#choices.values()) {
      const set = {
        ...(digest !== undefined && { digest }),
        ...(contested !== undefined && { contested: contested ? 1 : 0 }),
      };
      if (Object.keys(set).length === 0) continue;
      const { session } = this.#ctx;
      const account = session.numberOf(this.stream.account);
      const key = { account, profile_uid: profile, version };
      await session.db
        .insertInto('profile_choices')
        .values({ ...key, digest: digest ?? '', contested: 0, ...set })
        .onConflict((oc) => oc.columns(['account', 'profile_uid', 'version']).doUpdateSet(set))
        .execute();
    }
    this.#choices.clear();
    for (const [profile, isRetired] of this.#retired) await this.#retire(profile, isRetired);
    this.#retired.clear();
    await flushStream(this.#ctx, this.stream);
  }

  async #retire(profile_uid: ProfileUid, isRetired: boolean): Promise<void> {
    const { session } = this.#ctx;
    const account = session.numberOf(this.stream.account);
    if (isRetired)
      await session.db
        .insertInto('retired_profiles')
        .values({ account, profile_uid })
        .onConflict((oc) => oc.doNothing())
        .execute();
    else
      await session.db
        .deleteFrom('retired_profiles')
        .where('account', '=', account)
        .where('profile_uid', '=', profile_uid)
        .execute();
  }
}

/**
 * Stores a document that the account's log announces, unless it is one that comes with the
 * application.
 */
export async function addAnnounced(
  ctx: WriteContext,
  account: AccountId,
  document: ProfileDocument,
): Promise<void> {
  const digest = profileDigest(document, ctx.ports.hasher);
  const shipped = await ctx.session.db
    .selectFrom('profiles')
    .select('profile_pk')
    .where('account_id', 'is', null)
    .where('profile_uid', '=', document.profileUid)
    .where('version', '=', document.version)
    .where('digest', '=', digest)
    .executeTakeFirst();
  if (shipped === undefined)
    await insertProfile(ctx, account, document, canonicalJson(document), { digest });
}
