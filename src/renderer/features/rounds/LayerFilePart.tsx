import { FileDown, FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { exportLayer, importLayer, type Round } from '../../../shared/contract/v1/rounds.ts';
import { LAYER_FILE_BYTES, LayerFile } from '../../../shared/domain/layer-file.ts';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';
import { roundsOf } from './use-rounds.ts';

async function layerIn(file: File): Promise<LayerFile | undefined> {
  if (file.size > LAYER_FILE_BYTES) return undefined;
  try {
    return LayerFile.safeParse(JSON.parse(await file.text())).data;
  } catch {
    return undefined;
  }
}

/**
 * One's own recording as a file: saved once one is done, brought from another studio until then.
 */
export function LayerFilePart({ round, isDone }: { round: Round; isDone: boolean }) {
  const { call, queries } = useServices();
  const announce = useToast();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const params = { caseUid: round.case_uid, roundId: round.round_id };
  const during = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({ title, description: message, tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  const save = async (): Promise<void> => {
    const file = await call(exportLayer, { params });
    saveFile(`${round.round_id}.layer.json`, 'application/json', JSON.stringify(file));
  };
  const bring = async (chosen: File): Promise<void> => {
    const body = await layerIn(chosen);
    if (body === undefined)
      return announce({
        title: t('This is no file of an independent recording'),
        description: t('Choose the file that the other studio saved; it is of use only unchanged.'),
        tone: 'danger',
      });
    await call(importLayer, { params, body });
    queries.invalidate(roundsOf(round.case_uid));
    announce({ title: t('Your recording is here') });
  };
  return (
    <Section
      title={t('Your recording as a file')}
      note={
        isDone
          ? t(
              'For where no network is: what you committed to, to be brought to another server of this case by you. Whoever has the file can read it.',
            )
          : t(
              'Were you done with this recording in another studio, without a network? Save it there as a file and bring it here. You are then done here too.',
            )
      }
    >
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t('File of your recording')}
        onChange={({ target }) => {
          const chosen = target.files?.[0];
          target.value = '';
          if (chosen !== undefined) void during(() => bring(chosen));
        }}
      />
      {isDone ? (
        <Button
          icon={<FileDown size={14} aria-hidden="true" />}
          busy={busy}
          onClick={() => void during(save)}
        >
          {t('Save as a file')}
        </Button>
      ) : (
        <Button
          icon={<FileUp size={14} aria-hidden="true" />}
          busy={busy}
          onClick={() => input.current?.click()}
        >
          {t('Bring from a file…')}
        </Button>
      )}
    </Section>
  );
}
