import { createHash } from 'node:crypto';
import { buildResultCsv } from '../../shared/domain/result-csv.ts';
import { authorsOf } from '../../shared/domain/run-authors.ts';
import {
  CRATE_FILE,
  CRATE_KEY,
  CRATE_SIGNATURE,
  type CratePart,
  crateText,
  RUN_FOLDER,
  RUN_PART,
  SIGNATURES_FOLDER,
  STAMPED_END,
  TOKEN_END,
} from '../../shared/domain/run-crate.ts';
import { runJson } from '../../shared/domain/run-json.ts';
import type { RunRecorders } from '../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import { type RunSignature, stampedText, statementOf } from '../../shared/domain/sign-off.ts';
import { publicKeyFile, publicKeyText, signFile, type SigningKey } from '../instance/minisign.ts';
import { reportPage } from './report-page.ts';
import { zipParts } from './zip-file.ts';

/** A signature and its time-stamp (DER), where there is one. */
export interface StampedSignature {
  signature: RunSignature;
  token: Uint8Array | undefined;
}

interface BundleInput {
  run: RunRecord;
  recorders: RunRecorders | null;
  /** Those over this very content. */
  signatures: readonly StampedSignature[];
  exported: { at: string; by: string; version: string };
}

const MINISIG = 'text/plain';

/** A part with its content: bytes where it is no text. */
type Part = Omit<CratePart, 'size' | 'sha256'> & { text: string | Uint8Array };

function listed({ name, type, title, text }: Part): CratePart {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, type, title, size: bytes.length, sha256 };
}

/** What a time-stamp is over, and the time-stamp by which `openssl ts -verify` checks it. */
const stampParts = (name: string, signed: RunSignature, token: Uint8Array): Part[] => [
  {
    name: `${name}${STAMPED_END}`,
    type: 'application/json',
    title: 'What the time-stamp is over: statement, signature and key',
    text: stampedText(signed),
  },
  {
    name: `${name}${STAMPED_END}${TOKEN_END}`,
    type: 'application/timestamp-token',
    title: 'Time-stamp (RFC 3161)',
    text: token,
  },
];

/** A statement as a file, with the signature and the key by which `minisign -V` checks it. */
function signatureParts(signatures: readonly StampedSignature[]): Part[] {
  return signatures.flatMap(({ signature: signed, token }, place) => {
    const { statement, signature, public_key } = signed;
    const meaning = statementOf({ statement })?.meaning ?? 'unknown';
    const name = `${SIGNATURES_FOLDER}${place + 1}-${meaning}.json`;
    return [
      { name, type: 'application/json', title: `Signed statement: ${meaning}`, text: statement },
      { name: `${name}.minisig`, type: MINISIG, title: 'Its signature', text: signature },
      {
        name: `${name}.pub`,
        type: MINISIG,
        title: 'Key of the signature',
        text: publicKeyFile(public_key),
      },
      ...(token === undefined ? [] : stampParts(name, signed, token)),
    ];
  });
}

const folderOf = (runUid: string): string => runUid.replaceAll(/[^A-Za-z0-9._-]/g, '_');

/** The name of the file that a bundle is. */
export const bundleName = ({ run_uid }: Pick<RunRecord, 'run_uid'>): string =>
  `${folderOf(run_uid)}.eln`;

/** A run as a signed `.eln` file. */
export function writeBundle(
  { run, recorders, signatures, exported }: BundleInput,
  key: SigningKey,
): Promise<Uint8Array> {
  const authors = recorders === null ? undefined : authorsOf(run, recorders);
  const statements = signatures.flatMap(({ signature }) => statementOf(signature) ?? []);
  const parts: Part[] = [
    {
      name: RUN_PART,
      type: 'application/json',
      title: 'The run, to be verified',
      text: runJson(run, authors),
    },
    {
      name: `${RUN_FOLDER}result.csv`,
      type: 'text/csv',
      title: 'The result, an item a line',
      text: buildResultCsv(run, authors),
    },
    {
      name: `${RUN_FOLDER}report.html`,
      type: 'text/html',
      title: 'The report, to be read',
      text: reportPage(run, authors, statements),
    },
    ...signatureParts(signatures),
    {
      name: CRATE_KEY,
      type: MINISIG,
      title: 'Key of the server that made this bundle',
      text: publicKeyFile(publicKeyText(key)),
    },
  ];
  const metadata = crateText({ run, authors, statements, parts: parts.map(listed), exported });
  const seal = signFile(
    key,
    Buffer.from(metadata),
    `bundle of run:${run.run_uid} time:${exported.at}`,
  );
  const folder = folderOf(run.run_uid);
  return zipParts(
    [
      [`${folder}/${CRATE_FILE}`, metadata],
      [`${folder}/${CRATE_SIGNATURE}`, seal],
      ...parts.map(({ name, text }) => [`${folder}/${name}`, text] as const),
    ],
    new Date(exported.at),
  );
}
