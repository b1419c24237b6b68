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
} from '../../shared/domain/run-crate.ts';
import { runJson } from '../../shared/domain/run-json.ts';
import type { RunRecorders } from '../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import { type RunSignature, statementOf } from '../../shared/domain/sign-off.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { publicKeyFile, publicKeyText, signFile, type SigningKey } from '../instance/minisign.ts';
import { reportPage } from './report-page.ts';
import { zipTexts } from './zip-file.ts';

interface BundleInput {
  run: RunRecord;
  recorders: RunRecorders | null;
  /** Those over this very content. */
  signatures: readonly RunSignature[];
  exported: { at: string; by: string; version: string };
}

const MINISIG = 'text/plain';

/** A statement as a file, with the signature and the key by which `minisign -V` checks it. */
function signatureParts(signatures: readonly RunSignature[]): CratePart[] {
  return signatures.flatMap(({ statement, signature, public_key }, place) => {
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
  hasher: Hasher,
): Promise<Uint8Array> {
  const authors = recorders === null ? undefined : authorsOf(run, recorders);
  const statements = signatures.flatMap((one) => statementOf(one) ?? []);
  const parts: CratePart[] = [
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
  const metadata = crateText({ run, authors, statements, parts, exported }, hasher);
  const seal = signFile(
    key,
    Buffer.from(metadata),
    `bundle of run:${run.run_uid} time:${exported.at}`,
  );
  const folder = folderOf(run.run_uid);
  return zipTexts(
    [
      [`${folder}/${CRATE_FILE}`, metadata],
      [`${folder}/${CRATE_SIGNATURE}`, seal],
      ...parts.map(({ name, text }) => [`${folder}/${name}`, text] as const),
    ],
    new Date(exported.at),
  );
}
