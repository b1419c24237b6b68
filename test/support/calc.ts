/** LibreOffice Calc, for round trips through a real spreadsheet. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const PLACES = [
  '/usr/bin/soffice',
  '/usr/local/bin/soffice',
  '/snap/bin/libreoffice',
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
  'C:\\Program Files\\LibreOffice\\program\\soffice.com',
];

export const findCalc = (): string | undefined =>
  findProgram({ variable: 'SOFFICE_PATH', places: () => PLACES, debian: 'libreoffice-calc' });

type Form = 'tsv' | 'html';

/** Tab, quote, UTF-8, from the first line; dates and formulas are read as such, as in a paste. */
const READ: Record<Form, string> = {
  tsv: 'CSV:9,34,76,1,,0,false,true,false,false,false,0,true',
  html: 'HTML (StarCalc)',
};
/** Cells as they are shown. */
const WRITE: Record<Form, string> = {
  tsv: 'csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false',
  html: 'html:HTML (StarCalc)',
};
const ENDING: Record<Form, string> = { tsv: 'csv', html: 'html' };

export interface Calc {
  /**
   * Opens a text in Calc, saves it as a spreadsheet, opens that, and gives the text that Calc makes
   * of it.
   */
  roundTrip(text: string, how: { from: Form; via: 'ods' | 'xlsx'; to: Form }): Promise<string>;
  /** Opens a workbook and gives the text of its first sheet, as it is shown. */
  textOf(book: Uint8Array): Promise<string>;
  /** Opens a workbook, and gives the workbook that Calc saves. */
  saveAgain(book: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/** Calc with the settings of a country: its numbers, its words for TRUE and FALSE. */
export async function openCalc(program: string, locale = 'en-US'): Promise<Calc> {
  const folder = await mkdtemp(path.join(tmpdir(), 'calc-'));
  const profile = path.join(folder, 'profile');
  await mkdir(path.join(profile, 'user'), { recursive: true });
  await writeFile(
    path.join(profile, 'user', 'registrymodifications.xcu'),
    '<?xml version="1.0" encoding="UTF-8"?>' +
      '<oor:items xmlns:oor="http://openoffice.org/2001/registry">' +
      '<item oor:path="/org.openoffice.Setup/L10N">' +
      `<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop>` +
      '</item></oor:items>',
  );
  const convert = async (file: string, args: readonly string[]): Promise<void> => {
    await promisify(execFile)(
      program,
      [
        '--headless',
        '--norestore',
        '--nologo',
        `-env:UserInstallation=${pathToFileURL(profile).href}`,
        ...args,
        '--outdir',
        folder,
        file,
      ],
      { timeout: 120_000 },
    );
  };
  let files = 0;
  return {
    roundTrip: async (text, { from, via, to }) => {
      const name = path.join(folder, `block${(files += 1)}`);
      await writeFile(`${name}.${from}`, text);
      await convert(`${name}.${from}`, [`--infilter=${READ[from]}`, '--convert-to', via]);
      await convert(`${name}.${via}`, ['--convert-to', WRITE[to]]);
      return readFile(`${name}.${ENDING[to]}`, 'utf8');
    },
    textOf: async (book) => {
      const name = path.join(folder, `book${(files += 1)}`);
      await writeFile(`${name}.xlsx`, book);
      await convert(`${name}.xlsx`, ['--convert-to', WRITE.tsv]);
      return readFile(`${name}.csv`, 'utf8');
    },
    saveAgain: async (book) => {
      const name = path.join(folder, `book${(files += 1)}`);
      await writeFile(`${name}.xlsx`, book);
      await convert(`${name}.xlsx`, ['--convert-to', 'ods']);
      await convert(`${name}.ods`, ['--convert-to', 'xlsx']);
      return new Uint8Array(await readFile(`${name}.xlsx`));
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
