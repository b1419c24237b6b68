import type { CaseUid, ProjectId } from '../../shared/contract/ids.ts';
import type {
  LinkStatus,
  UnsentChoice,
  UplinkDiagnostics,
  UplinkStatus,
} from '../../shared/contract/v1/uplink.ts';
import type { AuditOrigin } from '../storage/db/audit-entry.ts';

/** Who has a case open at the hosted server, and which are open here. */
export interface PresenceThere {
  at(caseUid: CaseUid): readonly string[];
  name(cases: ReadonlySet<CaseUid>): void;
  listen(heard: (cases: readonly CaseUid[]) => void): void;
}

/** The connection to a hosted server, as the operations and the composition roots see it. */
export interface Uplink {
  readonly presence: PresenceThere;
  /** Continues the connection of an earlier start, if there is one. */
  start(): Promise<void>;
  status(): Promise<UplinkStatus>;
  /** One entry for each stream that is exchanged; none while there is no connection. */
  links(): Promise<LinkStatus[]>;
  /**
   * Connects. Throws no_connection, or other_user where work of others has not been sent and
   * nothing is said of it; then nothing has changed.
   */
  connect(
    target: { url: string; key: string; unsent?: UnsentChoice },
    by: AuditOrigin,
  ): Promise<UplinkStatus>;
  disconnect(by: AuditOrigin): Promise<UplinkStatus>;
  share(projectId: ProjectId, shared: boolean, by: AuditOrigin): Promise<UplinkStatus>;
  /** Ends a wait because a person asks. */
  sync(): Promise<UplinkStatus>;
  diagnostics(): Promise<UplinkDiagnostics>;
  /** Aborts what is under way; the next start continues with it. */
  close(): Promise<void>;
}
