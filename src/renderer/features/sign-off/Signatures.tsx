import { Download, PenLine } from 'lucide-react';
import { useState } from 'react';
import type { RunUid } from '../../../shared/contract/ids.ts';
import { type CheckedSignature, signRun } from '../../../shared/contract/v1/sign-off.ts';
import { STAMPED_END, TOKEN_END } from '../../../shared/domain/run-crate.ts';
import { stampedText } from '../../../shared/domain/sign-off.ts';
import { formatDateTime } from '../../state/format.ts';
import {
  CHECK_WORDS,
  confirmedWords,
  MEANING_WORDS,
  timeWords,
} from '../../state/signature-words.ts';
import { useSignatures } from '../../state/use-signatures.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { saveBlob, saveFile } from '../../ui/save-file.ts';
import { t } from '../../text/t.ts';
import { SaveBundle } from './SaveBundle.tsx';
import { SignDialog } from './SignDialog.tsx';
import { cameWords, toneOf } from './words.ts';

/** Who signed a run and with which meaning; and where somebody signs it. */
export function Signatures({ run }: { run: { run_uid: RunUid; content_hash: string } }) {
  const known = useSignatures(run.run_uid);
  const maySign = useMay(signRun);
  const [signing, setSigning] = useState(false);
  return (
    <Section
      title={t('Signatures')}
      note={t(
        'Each is a record of its own over the content hash and all items. A file and its signature can be checked with minisign, and its time-stamp with openssl, without this studio.',
      )}
    >
      <Loaded query={known} what={t('the signatures')} lines={2}>
        {(signatures) =>
          signatures.length === 0 ? (
            <p className="muted">{t('Nobody has signed this run.')}</p>
          ) : (
            <ul className="plain-list" aria-label={t('Signatures')}>
              {signatures.map((one) => (
                <li key={one.minisig}>
                  <Signature one={one} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <div className="with-copy">
        {maySign && (
          <Button icon={<PenLine size={14} aria-hidden="true" />} onClick={() => setSigning(true)}>
            {t('Sign…')}
          </Button>
        )}
        <SaveBundle runUid={run.run_uid} />
      </div>
      {signing && <SignDialog run={run} onClose={() => setSigning(false)} />}
    </Section>
  );
}

/** What a time-stamp is over, and the time-stamp; nothing where there is none. */
function saveStamp(files: string, one: CheckedSignature): void {
  if (one.time_stamp === null) return;
  const { statement, minisig: signature, public_key } = one;
  const stamped = `${files}.json${STAMPED_END}`;
  saveFile(stamped, 'application/json', stampedText({ statement, signature, public_key }));
  const token = Uint8Array.from(atob(one.time_stamp.token), (char) => char.charCodeAt(0));
  saveBlob(`${stamped}${TOKEN_END}`, new Blob([token], { type: 'application/timestamp-token' }));
}

function Signature({ one }: { one: CheckedSignature }) {
  const { meaning, signer, signed_at, checks } = one;
  const files = `${one.run_uid}.${meaning}`;
  const { says } = MEANING_WORDS[meaning];
  const came = cameWords(one);
  return (
    <Notice
      tone={toneOf(one)}
      title={t('{meaning}: {name}, {when}', {
        meaning: MEANING_WORDS[meaning].name,
        name: signer.name,
        when: formatDateTime(signed_at),
      })}
      actions={
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden="true" />}
          aria-label={t('Save the statement of {name} and its signature', { name: signer.name })}
          onClick={() => {
            saveFile(`${files}.json`, 'application/json', one.statement);
            saveFile(`${files}.json.minisig`, 'text/plain', one.minisig);
            saveStamp(files, one);
          }}
        >
          {t('Save')}
        </Button>
      }
    >
      <p>{says}</p>
      <ul className="plain-list small">
        <li>{CHECK_WORDS.signature[checks.signature]}</li>
        <li>{CHECK_WORDS.content[checks.content]}</li>
        <li>{CHECK_WORDS.key[checks.key]}</li>
        <li>{confirmedWords(one)}</li>
        {came !== undefined && <li>{came}</li>}
        <li>{timeWords(one)}</li>
      </ul>
      <code className="mono small">{one.public_key}</code>
    </Notice>
  );
}
