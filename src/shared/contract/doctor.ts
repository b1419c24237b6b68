import { z } from 'zod';

/**
 * What an examination of a studio can find, each in one sentence. A value never holds evidence, a
 * name that somebody gave, or a secret: the report may be sent to whoever looks for a fault.
 */
export const FINDINGS = {
  folder_ok: 'The data folder {folder} is there, may be written, and is its owner’s alone.',
  folder_missing: 'There is no data folder {folder} yet; it is made at the first start.',
  folder_write_protected: 'The data folder {folder} may not be written by this user.',
  folder_open: 'Other users of this computer may look into the data folder {folder}.',
  folder_on_network:
    'The data folder {folder} is on a network drive, where a database is not safe. Move it to a disk of this computer.',
  folder_synced:
    'The data folder {folder} is inside of a folder that {service} copies to other computers, which can damage a database. Move it elsewhere.',
  space_ok: '{free} GB are free on its disk.',
  space_low: 'Only {free} GB are free on its disk.',
  database_ok: 'The database ({size} MB) is whole.',
  database_missing: 'There is no database yet.',
  database_outside: 'The data are in PostgreSQL, whose own tools examine it.',
  database_damaged:
    'The database is damaged ({problems} places). Restore a backup: the menu File, or evidence-studio restore.',
  database_sealed:
    'The system’s key store has sealed the secret of this data folder: only the desktop application can examine it.',
  database_unopened: 'The database cannot be opened: {code}.',
  read_only: 'The studio takes no changes at present.',
  chains_ok: '{events} audit events and {changes} changes follow from each other without a gap.',
  chains_broken:
    'In {problems} of the logs something was altered or is missing: evidence-studio verify-audit says where.',
  backups_ok: 'There are {count} backups, the newest of {newest}.',
  backups_none: 'There is no backup yet; one is made each day while the studio runs.',
  clock_ok: 'The clock does not contradict what was recorded.',
  clock_behind:
    'The clock is behind: something was recorded {minutes} minutes later than it is now.',
  keys_ok: 'API keys can be checked; their secret is kept by the system’s key store.',
  keys_in_file: 'API keys can be checked; their secret is in a file that only its owner can read.',
  keys_file_open: 'Other users of this computer can read the secret of the API keys: pepper.key.',
  keys_closed: 'API keys cannot be checked: the system’s key store does not open.',
  server_running: 'The studio answers at {url}.',
  server_silent: 'server.json says that the studio is at {url}, but nothing answers there.',
  server_none: 'The studio is not running; port {port} is free.',
  port_taken: 'The studio is not running, and another program has port {port}.',
  proxy_none: 'No proxy is set for this program.',
  proxy_set: 'A proxy is set by {names}.',
  authorities_added: 'Additional certificates are named by {names}.',
  hosted_none: 'The studio is connected to no hosted server.',
  hosted_ok:
    'The hosted server {url} (version {version}) answers; its clock differs by {seconds} seconds.',
  hosted_clock:
    'The clocks of this computer and of the hosted server {url} differ by {seconds} seconds.',
  hosted_unreachable: 'The hosted server {url} does not answer: {code}.',
  waiting_none: 'Nothing waits to be sent.',
  waiting: '{count} changes wait to be sent, the oldest since {since}.',
  blocked: '{count} changes are set aside until somebody acts: the page Sync says which.',
} as const;
export type FindingCode = keyof typeof FINDINGS;

const Value = z.union([z.string().max(1_000), z.number()]);
export const Finding = z.strictObject({
  code: z.enum(Object.keys(FINDINGS) as [FindingCode, ...FindingCode[]]),
  /** `note`: worth knowing. `problem`: something has to be done. */
  state: z.enum(['ok', 'note', 'problem']),
  values: z.record(z.string(), Value),
});
export type Finding = z.infer<typeof Finding>;

/** A studio as it was examined, in the order in which one would look. */
export const DoctorReport = z.strictObject({
  made_at: z.iso.datetime({ precision: 3 }),
  version: z.string(),
  /** The program that runs it, and the system. */
  runtime: z.string(),
  system: z.string(),
  sqlite: z.string(),
  ok: z.boolean(),
  findings: z.array(Finding),
});
export type DoctorReport = z.infer<typeof DoctorReport>;
