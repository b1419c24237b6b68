import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  logoOf,
  MAX_LOGO_BYTES,
  NO_LAB,
  readDetails,
  readLab,
  writeDetails,
  writeLab,
} from '../../../src/renderer/features/runs/report/report-details.ts';
import { reportCss, reportHtml } from '../../../src/renderer/features/runs/report/report-file.ts';
import { cardHash } from '../../../src/shared/domain/run-card.ts';
import { testHasher } from '../../support/hasher.ts';
import { sampleRecord } from '../shared/domain/run-sample.ts';

const DETAILS = { question: 'Enough?', prepared_by: 'A', reviewed_by: '', date: '2026-11-23' };
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1, 2);

function storage(): Map<string, string> {
  const texts = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, value: string) => void texts.set(key, value),
    removeItem: (key: string) => void texts.delete(key),
  });
  return texts;
}
afterEach(() => vi.unstubAllGlobals());

describe('what a report says besides its run', () => {
  it('is remembered for each run, and the lab for all; what is none of it counts as nothing', () => {
    const texts = storage();
    expect(readLab()).toEqual(NO_LAB);
    expect(readDetails('run_1')).toBeUndefined();
    expect(writeDetails('run_1', DETAILS)).toBe(true);
    expect(writeLab({ name: 'Lab', logo: logoOf(PNG) ?? '' })).toBe(true);
    expect(readDetails('run_1')).toEqual(DETAILS);
    expect(readDetails('run_2')).toBeUndefined();
    expect(readLab().logo).toBe(`data:image/png;base64,${btoa('\x89PNG\x01\x02')}`);
    for (const key of texts.keys()) texts.set(key, '{"logo":"https://elsewhere.example/x.png"}');
    expect([readLab(), readDetails('run_1')]).toEqual([NO_LAB, undefined]);
  });

  it('is kept of the runs that were edited last', () => {
    storage();
    for (let run = 0; run < 210; run += 1) writeDetails(`run_${run}`, DETAILS);
    writeDetails('run_209', { ...DETAILS, question: 'Other?' });
    expect(readDetails('run_9')).toBeUndefined();
    expect(readDetails('run_10')).toEqual(DETAILS);
    expect(readDetails('run_209')?.question).toBe('Other?');
  });

  it('has a logo by what a file is, and not by its name', () => {
    expect(logoOf(Uint8Array.of(0xff, 0xd8, 0xff))).toMatch(/^data:image\/jpeg;base64,/);
    expect(logoOf(new TextEncoder().encode('<svg onload="x()"/>'))).toBeUndefined();
    expect(logoOf(new Uint8Array())).toBeUndefined();
    const large = new Uint8Array(MAX_LOGO_BYTES + 1);
    large.set(PNG);
    expect(logoOf(large)).toBeUndefined();
  });
});

describe('a report as one file', () => {
  it('holds its style, names run and hash, loads nothing and runs nothing', () => {
    const sheet = {
      cssRules: ['.report { a: b }', '.nav { c: d }', '@page { e: f }', '.fig-x { }'],
    };
    const css = reportCss([
      { cssRules: sheet.cssRules.map((cssText) => ({ cssText })) },
    ] as unknown as CSSStyleSheet[]);
    expect(css).toContain('.report { a: b }\n@page { e: f }\n.fig-x { }');
    expect(css).not.toContain('.nav');
    const html = reportHtml('<article>words</article>', `${css}</style><script>`, {
      title: 'A "<b>case</b>"',
      run: sampleRecord(),
    });
    expect(html).toContain('<title>A &quot;&lt;b>case&lt;/b>&quot;</title>');
    expect(html).toContain(`content="${sampleRecord().content_hash}"`);
    expect(html).toContain("default-src 'none'");
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html).not.toMatch(/https?:|<link|src=/);
  });

  it('is drawn in the light colours, which are those of the tokens', () => {
    const read = (name: string): string =>
      readFileSync(new URL(`../../../src/renderer/${name}`, import.meta.url), 'utf8');
    const colours = (css: string): Map<string, string> =>
      new Map(
        [...css.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', hex = '']) => [
          name,
          hex,
        ]),
      );
    const tokens = read('ui/tokens.css');
    const light = colours(tokens.slice(0, tokens.indexOf('@media')));
    const own = [...colours(read('features/runs/report/report.css'))].filter(
      ([name]) => !['--ink', '--ink-2', '--rule'].includes(name),
    );
    expect(own).toHaveLength(15);
    for (const [name, hex] of own) expect(hex, name).toBe(light.get(name));
  });
});

describe('the hash of an item’s card', () => {
  const run = sampleRecord();

  it('changes with what the card says, and with nothing else', () => {
    const hash = cardHash(run, 'item_a', testHasher);
    expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(cardHash(run, 'item_b', testHasher)).not.toBe(hash);
    expect(cardHash(run, 'item_z', testHasher)).toBeUndefined();
    const { frozen } = run;
    const [first, ...others] = frozen.raw;
    const changed = [first!.with(0, 'NA'), ...others];
    expect(
      cardHash({ ...run, frozen: { ...frozen, raw: changed } }, 'item_a', testHasher),
    ).not.toBe(hash);
    expect(cardHash({ ...run, content_hash: 'sha256:other' }, 'item_a', testHasher)).not.toBe(hash);
    expect(cardHash({ ...run, created_by: 'other' } as typeof run, 'item_a', testHasher)).toBe(
      hash,
    );
  });
});
