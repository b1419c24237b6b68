import type { AccountId, ProfileUid } from '../../../shared/contract/ids.ts';
import { formatRegister } from '../../../sync/register.ts';
import type { NamedDocument } from '../../../sync/status.ts';
import type { WriteContext } from '../db/context.ts';
import type { RegisterBinding } from '../log/head-map.ts';
import { addMatrix } from './matrices.ts';
import { namedDocuments } from './profile-lines.ts';
import type { RegisterMap } from '../log/register-map.ts';
import { chooseDocument, visibleDocuments } from './profile-read.ts';

interface TouchedDocument {
  profile: ProfileUid;
  version: string;
  digest?: string;
  contested?: boolean;
}

export const documentReg = (profile: ProfileUid, version: string): string =>
  formatRegister({ kind: 'document', profile, version });

/** Which documents the matrices of one case are of, while a transaction works on them. */
export class DocumentMap {
  readonly #ctx: WriteContext;
  readonly #registers: RegisterMap;
  readonly #touched = new Map<string, TouchedDocument>();

  constructor(ctx: WriteContext, registers: RegisterMap) {
    this.#ctx = ctx;
    this.#registers = registers;
  }

  /**
   * Notes that the case uses this version: its matrix keeps the document that the version is here,
   * until its log names one.
   */
  uses(profile: ProfileUid, version: string): TouchedDocument {
    const key = `${profile}@${version}`;
    const known = this.#touched.get(key) ?? { profile, version };
    this.#touched.set(key, known);
    return known;
  }

  binding(profile: ProfileUid, version: string): RegisterBinding {
    const touched = this.uses(profile, version);
    return this.#registers.binding(
      documentReg(profile, version),
      (value) => (touched.digest = (value as NamedDocument).digest),
      (_, contested) => (touched.contested = contested),
    );
  }

  async flush(account: AccountId, casePk: number): Promise<void> {
    const { session } = this.#ctx;
    const { db } = session;
    for (const { profile, version, digest, contested } of this.#touched.values()) {
      const key = { case_pk: casePk, profile_uid: profile, profile_version: version };
      const found = await db
        .selectFrom('matrices')
        .select(['matrix_pk', 'digest'])
        .where('account', '=', session.account)
        .where('case_pk', '=', key.case_pk)
        .where('profile_uid', '=', profile)
        .where('profile_version', '=', version)
        .executeTakeFirst();
      const set = {
        ...(digest !== undefined && { digest, named: 1 }),
        ...(contested !== undefined && { contested: contested ? 1 : 0 }),
      };
      if (found !== undefined) {
        const kept =
          digest === undefined && found.digest === null
            ? { digest: await this.#keep(account, profile, version) }
            : {};
        if (Object.keys(set).length > 0 || kept.digest !== undefined)
          await db
            .updateTable('matrices')
            .set({ ...kept, ...set })
            .where('account', '=', session.account)
            .where('matrix_pk', '=', found.matrix_pk)
            .execute();
      } else {
        const kept = await this.#keep(account, profile, version);
        await addMatrix(this.#ctx, { ...key, digest: kept, ...set });
      }
    }
    this.#touched.clear();
  }

  async #keep(account: AccountId, profile: ProfileUid, version: string): Promise<string | null> {
    const chosen = await chooseDocument(
      this.#ctx,
      account,
      namedDocuments(await visibleDocuments(this.#ctx, account, profile), account, version),
    );
    return chosen === undefined || chosen.undecided ? null : chosen.row.digest;
  }
}
