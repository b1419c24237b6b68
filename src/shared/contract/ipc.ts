import { z } from 'zod';
import { DoctorReport } from './doctor.ts';
import { EDITOR_COMMAND_IDS } from './editor-commands.ts';
import { UpdateStatus } from './updates.ts';

/**
 * What the menu asks of the page. The page also answers these commands' keys itself, so a page that
 * does not listen still works by keyboard.
 */
export const MENU_ACTIONS = [
  'new-project',
  'undo',
  'redo',
  'go-projects',
  'go-runs',
  'go-profiles',
  'go-sync',
  'go-account',
  'theme-system',
  'theme-light',
  'theme-dark',
  ...EDITOR_COMMAND_IDS,
] as const;
export const MenuAction = z.enum(MENU_ACTIONS);
export type MenuAction = z.infer<typeof MenuAction>;

/**
 * Pages outside the studio that the page may ask to open, by name: only the main process knows the
 * addresses.
 */
export const LinkId = z.enum(['api-docs', 'manual']);
export type LinkId = z.infer<typeof LinkId>;

/**
 * What the desktop application itself has to report. The page shows it beside what the server says
 * of its own state.
 */
export const DesktopStatus = z.strictObject({
  version: z.string(),
  /** Where agents reach this studio, or null while it does not listen. */
  api_url: z.string().nullable(),
  /**
   * One sentence each, oldest first: another port than asked, a damaged database, API keys that
   * cannot be checked.
   */
  notices: z.array(z.string()),
});
export type DesktopStatus = z.infer<typeof DesktopStatus>;

const None = z.strictObject({});

/** What the page may do about updates of the desktop. */
export const UpdateAct = z.enum(['status', 'on', 'off', 'look', 'install']);
export type UpdateAct = z.infer<typeof UpdateAct>;

/**
 * Requests of the page to the main process. The main process parses both the request and its own
 * answer.
 */
export const IPC = {
  'desktop:status': { input: None, output: DesktopStatus },
  'desktop:open-external': {
    input: z.strictObject({ link: LinkId }),
    output: z.strictObject({ opened: z.boolean() }),
  },
  'desktop:save-pdf': { input: None, output: z.strictObject({ saved: z.boolean() }) },
  /** Looks at what the studio depends on: disk, database, logs, keys, network. */
  'desktop:examine': { input: None, output: DoctorReport },
  'desktop:updates': { input: z.strictObject({ act: UpdateAct }), output: UpdateStatus },
  'desktop:edit-text': {
    input: z.strictObject({ command: z.enum(['undo', 'redo']) }),
    output: None,
  },
} as const;
export type Channel = keyof typeof IPC;
export type Input<C extends Channel> = z.infer<(typeof IPC)[C]['input']>;
export type Output<C extends Channel> = z.infer<(typeof IPC)[C]['output']>;

/** The only message that the main process sends unasked. */
export const MENU_CHANNEL = 'desktop:menu-action';

export type Reply<T> = { ok: true; value: T } | { ok: false; code: IpcRefusal };
export type IpcRefusal = 'not_allowed' | 'invalid_request' | 'failed';

/** `window.desktop`: present in the desktop window, absent in a browser. */
export interface Desktop {
  readonly platform: string;
  status(): Promise<DesktopStatus>;
  openExternal(link: LinkId): Promise<{ opened: boolean }>;
  /** Asks the person for a place and saves the page there as a PDF, as it would print. */
  savePdf(): Promise<{ saved: boolean }>;
  examine(): Promise<DoctorReport>;
  /** How the desktop gets newer versions; switches that, looks, or installs one. */
  updates(act: UpdateAct): Promise<UpdateStatus>;
  /** Listens for menu commands until the returned function is called. */
  onMenuAction(listener: (action: MenuAction) => void): () => void;
}
