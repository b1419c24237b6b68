import type { UplinkDiagnostics, UplinkStatus } from '../../shared/contract/v1/uplink.ts';
import type { AuditOrigin } from '../storage/audit-port.ts';

/** The exchange with one hosted server, as operations and composition roots know it. */
export interface Uplink {
  /** Goes on with the connection of a former start, if there is one. */
  start(): Promise<void>;
  status(): Promise<UplinkStatus>;
  /** Throws no_connection or other_user, with nothing changed. */
  connect(target: { url: string; key: string }, by: AuditOrigin): Promise<UplinkStatus>;
  disconnect(by: AuditOrigin): Promise<UplinkStatus>;
  share(projectId: string, shared: boolean, by: AuditOrigin): Promise<UplinkStatus>;
  /** A person's wish: cuts a wait short. */
  sync(): Promise<UplinkStatus>;
  diagnostics(): Promise<UplinkDiagnostics>;
  /** Calls off what is under way; the next start goes on with it. */
  close(): Promise<void>;
}
