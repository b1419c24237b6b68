import { createContext, useContext, type ReactNode } from 'react';
import type { z } from 'zod';
import type { Endpoint } from '../../shared/contract/endpoint.ts';
import type { CaseUid } from '../../shared/contract/ids.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import type { NamedBlob } from '../data/api/client.ts';
import type { OnBesideNews } from '../data/replica/beside-news.ts';
import type { Presence } from '../data/api/events.ts';
import type { Library } from '../data/api/library.ts';
import type { SyncOverview } from '../data/sync/sync-overview.ts';
import type { RestrictionsOf, OpenMatrix } from '../data/store/port.ts';
import type { NewVersion } from './new-version.ts';
import type { QueryCache } from './query-cache.ts';
import type { UplinkWatch } from './uplink.ts';

/**
 * What an endpoint is called with: its parts, in the types that its schemas take. Parts without
 * fields may be left out.
 */
export interface ServiceInput<E extends Endpoint> {
  params?: z.input<E['params']>;
  query?: z.input<E['query']>;
  body?: z.input<NonNullable<E['body']>>;
  headers?: Record<string, string>;
}

/** One call of the API: the parsed body of a success, or a rejection with CallError. */
export type Call = <E extends Endpoint>(
  endpoint: E,
  input?: ServiceInput<E>,
) => Promise<z.output<E['response']>>;

/** What the pages work with; made once in `main.tsx`. */
export interface Services {
  call: Call;
  /** A file that the API hands out; a rejection with CallError. */
  fetchFile: <E extends Endpoint>(endpoint: E, input?: ServiceInput<E>) => Promise<NamedBlob>;
  /** Lists and documents, kept on this computer for when the server is away. */
  library: Library;
  openMatrix: OpenMatrix;
  restrictionsOf: RestrictionsOf;
  /** Whether a copy of a matrix is here that can be read without the server. */
  holds: (address: Parameters<OpenMatrix>[0]) => Promise<boolean>;
  /** Hears how many other windows of this browser have a case open; returns how to stop. */
  watchWindows: (caseUid: CaseUid, onCount: (count: number) => void) => () => void;
  /** Hears who else has a case open, as long as this window has; returns how to stop. */
  watchPresence: (caseUid: CaseUid, onPresence: (presence: Presence) => void) => () => void;
  /**
   * Hears when suggestions, threads, assignments, rounds or a stage of a case have come, or that its
   * log has grown where no matrix of it is open; returns how to stop.
   */
  watchBeside: (caseUid: CaseUid, onNews: OnBesideNews) => () => void;
  /** This window's unsent work, over all cases. */
  overview: SyncOverview;
  /** How this studio's server gets on with a hosted one. */
  uplink: UplinkWatch;
  /**
   * Whether the browser has promised to keep this window's store: null where it was not asked, as
   * on the desktop.
   */
  persisted: Promise<boolean | null>;
  queries: QueryCache;
  clock: { now(): number };
  hasher: Hasher;
  cspNonce: string | undefined;
  newVersion: NewVersion;
  /** A new random identifier, for requests that may be sent twice. */
  newId: () => string;
  /** Not null where this window's store could not be opened and was built again. */
  rebuilt: { rescued: number; cause: string } | null;
  /**
   * Ends the session of this browser at the server, and takes away what the browser keeps of this
   * person. `saved`: unsent changes that the person has in a file. Only a browser has one.
   */
  signOut: (saved: ReadonlySet<string>) => Promise<void>;
  /** Whether signing out takes away what this browser keeps. */
  forgetsAtSignOut: boolean;
}

const ServicesContext = createContext<Services | null>(null);

export function ServicesProvider({
  services,
  children,
}: {
  services: Services;
  children: ReactNode;
}) {
  return <ServicesContext value={services}>{children}</ServicesContext>;
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error('A page was drawn outside the provider of services.');
  return services;
}
