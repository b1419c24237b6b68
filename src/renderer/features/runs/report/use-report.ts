import { useState } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatDate } from '../../../state/format.ts';
import { useServices } from '../../../state/services.tsx';
import {
  type Lab,
  readDetails,
  readLab,
  type ReportDetails,
  writeDetails,
  writeLab,
} from './report-details.ts';

/** The details of a run's report as this computer remembers them. */
export function useReport(run: RunRecord): {
  lab: Lab;
  details: ReportDetails;
  /** False where this browser remembers nothing: they then hold while the page is open. */
  save: (lab: Lab, details: ReportDetails) => boolean;
} {
  const { clock } = useServices();
  const [lab, setLab] = useState(readLab);
  const [details, setDetails] = useState(
    (): ReportDetails =>
      readDetails(run.run_uid) ?? {
        question: run.frozen.case.description.slice(0, 2_000),
        prepared_by: '',
        reviewed_by: '',
        date: formatDate(new Date(clock.now()).toISOString()),
      },
  );
  return {
    lab,
    details,
    save(newLab, newDetails) {
      setLab(newLab);
      setDetails(newDetails);
      const isLabKept = writeLab(newLab);
      return writeDetails(run.run_uid, newDetails) && isLabKept;
    },
  };
}
