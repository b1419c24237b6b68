import { useState } from 'react';
import type { RunSettings } from '../../../../shared/domain/result.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { KNOWN_PRIORS, outlineOf } from '../../../../shared/domain/sensitivity.ts';
import { TextField } from '../../../ui/Field.tsx';
import { OwnPrior } from '../run-plan.ts';
import { Part } from './Part.tsx';
import { SpreadTable } from './SpreadTable.tsx';
import { t } from '../../../text/t.ts';

/** The result under the usual priors side by side, and under one of the reader's own. */
export function Priors({ run, present }: { run: RunRecord; present: ArrayLike<number> }) {
  const [own, setOwn] = useState({ prior_alpha: '2', prior_beta: '2' });
  const { settings } = run;
  const read = OwnPrior.safeParse(own);
  const problem = (field: keyof typeof own): string | undefined =>
    read.error?.issues.find(({ path }) => path[0] === field)?.message;
  const row = (name: string, prior: Omit<RunSettings, 'ci_level'>) => ({
    key: name,
    name: `${name}, Beta(${prior.prior_alpha}, ${prior.prior_beta})`,
    spread: outlineOf(present, run.frozen.rules.length, { ...settings, ...prior }).spread,
  });
  const rows = [
    row(t('This run'), settings),
    row(t('Uniform'), KNOWN_PRIORS.uniform),
    row(t('Jeffreys'), KNOWN_PRIORS.jeffreys),
    ...(read.success ? [row(t('Own'), read.data)] : []),
  ];
  return (
    <Part
      title={t('Under other priors')}
      note={t(
        'The order of the items and their percentiles are the same under every prior: they depend on how many rules are met alone.',
      )}
    >
      <SpreadTable
        caption={t('The result under other priors')}
        head={t('Prior')}
        level={settings.ci_level}
        rows={rows}
      />
      <div className="toolbar" role="group" aria-label={t('Own prior')}>
        <TextField
          name="own_alpha"
          label={t('Own prior, a')}
          inputMode="decimal"
          value={own.prior_alpha}
          error={problem('prior_alpha')}
          onValue={(value) => setOwn({ ...own, prior_alpha: value })}
        />
        <TextField
          name="own_beta"
          label={t('Own prior, b')}
          inputMode="decimal"
          value={own.prior_beta}
          error={problem('prior_beta')}
          onValue={(value) => setOwn({ ...own, prior_beta: value })}
        />
      </div>
    </Part>
  );
}
