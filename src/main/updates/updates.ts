import { existsSync } from 'node:fs';
import path from 'node:path';
import type { UpdateProgress, UpdateStatus } from '../../shared/contract/updates.ts';
import { compareVersions } from '../../shared/domain/version.ts';
import { type Feed, feedName, readFeed, UpdateRefused, type UpdateSource } from './feed.ts';
import { compareToRelease } from './release.ts';
import { takeFailed } from './put-back.ts';
import { openSettings } from './settings.ts';
import type { Updater } from './updater.ts';

export interface UpdatesPorts {
  dataFolder: string;
  version: string;
  platform: NodeJS.Platform;
  arch: string;
  /** The publisher's place and keys; undefined where the package has none. */
  source: UpdateSource | undefined;
  by: UpdateStatus['by'];
  fetch: typeof globalThis.fetch;
  /** Loaded when something is to be downloaded, and not before. */
  updater(source: UpdateSource): Promise<Updater>;
  now(): number;
  log(facts: Record<string, unknown>, message: string): void;
  /** An update is there: asks the person whether to install it now. */
  onReady(version: string): void;
  /** Ends the application if its window lets it; false while something is being stored. */
  leave(): Promise<boolean>;
}

const DAY_MS = 86_400_000;
/** A start has other things to do. */
const FIRST_MS = 30_000;

/** How a studio in this form gets newer versions. */
export function updatedBy(facts: {
  platform: NodeJS.Platform;
  resources: string;
  program: string | undefined;
  hasSource: boolean;
}): UpdateStatus['by'] {
  const { platform, resources, program, hasSource } = facts;
  if (platform === 'linux' && program === undefined)
    return resources.startsWith('/usr/lib/') ? 'system' : 'none';
  return hasSource ? 'itself' : 'none';
}

/** The AppImage that this process runs from. */
export function ownProgram(env: NodeJS.ProcessEnv): string | undefined {
  const file = env.APPIMAGE;
  return file !== undefined && path.isAbsolute(file) && existsSync(file) ? file : undefined;
}

/** Looks for newer versions where the person wants that, and installs one when asked to. */
export class Updates {
  readonly #ports: UpdatesPorts;
  readonly #settings: ReturnType<typeof openSettings>;
  #progress: UpdateProgress = { kind: 'idle' };
  #updater: Updater | undefined;
  #installing = false;
  #timer: NodeJS.Timeout | undefined;
  /** Ends a daily look that is under way. */
  #daily: AbortController | undefined;
  /** A version that did not start and was put back since the last start. */
  readonly failed: string | undefined;

  constructor(ports: UpdatesPorts) {
    this.#ports = ports;
    this.#settings = openSettings(ports.dataFolder);
    this.failed = takeFailed(ports.dataFolder);
    const known = this.#settings.value.failed;
    if (this.failed !== undefined && !known.includes(this.failed))
      this.#settings.set({ failed: [...known, this.failed].slice(-50) });
    this.#schedule();
  }

  status(): UpdateStatus {
    const { by, platform, source } = this.#ports;
    const { on, looked_at } = this.#settings.value;
    return {
      by,
      on: by === 'itself' && on,
      puts_back: by === 'itself' && platform === 'linux',
      place: by === 'itself' ? (source?.url ?? null) : null,
      looked_at,
      progress: this.#progress,
    };
  }

  /** Looks once a day from now on, or no more: a daily look under way asks for nothing further. */
  setOn(on: boolean): UpdateStatus {
    this.#settings.set({ on });
    if (!on) this.#daily?.abort();
    this.#schedule();
    return this.status();
  }

  /** Asks the place now and downloads what is newer. */
  async look(signal?: AbortSignal): Promise<UpdateStatus> {
    const { by, log, source } = this.#ports;
    const isBusy = ['looking', 'downloading', 'ready'].includes(this.#progress.kind);
    if (source === undefined || by !== 'itself' || isBusy) return this.status();
    try {
      await this.#take(source, signal);
    } catch (error) {
      if (signal?.aborted === true) {
        this.#progress = { kind: 'idle' };
        return this.status();
      }
      const { code, version, known } =
        error instanceof UpdateRefused ? error : new UpdateRefused('failed');
      log({ code, version, error: String(error) }, 'an update was not taken');
      this.#progress = { kind: 'refused', code, version, known };
    }
    return this.status();
  }

  /** Ends the application and installs; deferred while something is being stored. */
  async install(): Promise<UpdateStatus> {
    if (this.#progress.kind !== 'ready') return this.status();
    this.#installing = true;
    this.#installing = await this.#ports.leave();
    this.#progress = { ...this.#progress, deferred: !this.#installing };
    return this.status();
  }

  /** Called when everything is closed, before the process ends. */
  beforeExit(): void {
    clearTimeout(this.#timer);
    if (this.#installing && this.#progress.kind === 'ready') this.#updater?.install();
  }

  /** The newer version that is offered; undefined where this is the newest. */
  async #offered(source: UpdateSource): Promise<Feed | undefined> {
    const { platform, arch, fetch, version: present } = this.#ports;
    const feed = await readFeed(source, feedName(platform, arch), fetch);
    const { version } = feed;
    const { newest, failed } = this.#settings.value;
    const order = compareToRelease(version, present);
    if (order < 0) throw new UpdateRefused('older', { version, known: present });
    if (newest !== null && compareVersions(version, newest) < 0)
      throw new UpdateRefused('older', { version, known: newest });
    this.#settings.set({ newest: version });
    if (failed.includes(version)) throw new UpdateRefused('did_not_start', { version });
    return order === 0 ? undefined : feed;
  }

  async #take(source: UpdateSource, signal: AbortSignal | undefined): Promise<void> {
    this.#progress = { kind: 'looking' };
    this.#settings.set({ looked_at: new Date(this.#ports.now()).toISOString() });
    const feed = await this.#offered(source);
    signal?.throwIfAborted();
    if (feed === undefined) {
      this.#progress = { kind: 'current' };
      return;
    }
    const { version } = feed;
    this.#progress = { kind: 'downloading', version, percent: 0 };
    this.#updater ??= await this.#ports.updater(source);
    await this.#updater.download(
      feed,
      (percent) => {
        this.#progress = { kind: 'downloading', version, percent };
      },
      signal,
    );
    signal?.throwIfAborted();
    this.#progress = { kind: 'ready', version, deferred: false };
    this.#ports.onReady(version);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const { on, looked_at } = this.status();
    if (!on) return;
    const next = looked_at === null ? 0 : Date.parse(looked_at) + DAY_MS - this.#ports.now();
    this.#timer = setTimeout(
      () => {
        this.#daily = new AbortController();
        void this.look(this.#daily.signal).finally(() => this.#schedule());
      },
      Math.min(DAY_MS, Math.max(FIRST_MS, next)),
    ).unref();
  }
}
