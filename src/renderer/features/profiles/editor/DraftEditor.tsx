import { STUDIO_PAGES } from '../../../../shared/contract/page-addresses.ts';
import { type SyntheticEvent, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { createProfile } from '../../../../shared/contract/v1/profiles.ts';
import { formatDateTime } from '../../../state/format.ts';
import { useMay } from '../../../state/use-may.ts';
import { Button } from '../../../ui/Button.tsx';
import { Page, Section } from '../../../ui/Page.tsx';
import { profilePath, useProfiles } from '../versions.ts';
import { setHeader } from './change-draft.ts';
import { DiscardDraft } from './DiscardDraft.tsx';
import { DraftNotices } from './DraftNotices.tsx';
import { isUntouched, type ProfileDraft } from './draft.ts';
import { problemsOf } from './draft-problems.ts';
import { HeaderFields } from './HeaderFields.tsx';
import { HeadingPreview } from './HeadingPreview.tsx';
import { Problems } from './Problems.tsx';
import { PublishDialog } from './PublishDialog.tsx';
import { RuleList } from './RuleList.tsx';
import { useOpenRule, useProblems, useShownDraft, useShownErrors } from './use-draft-check.ts';
import { draftStore, useDraft } from './use-drafts.ts';
import { usePublish } from './use-publish.ts';
import './editor.css';
import { t } from '../../../text/t.ts';

const TITLES: Record<ProfileDraft['origin']['kind'], string> = {
  new: t('New profile'),
  version: t('New version'),
  copy: t('Copy of a profile'),
  file: t('Profile from a file'),
};

function titleOf({ origin, name }: ProfileDraft): string {
  if (origin.kind === 'version') return t('New version of {name}', { name: origin.base.name });
  return name.trim() === '' ? TITLES[origin.kind] : name;
}

function stateWords(draft: ProfileDraft, kept: boolean): string {
  if (isUntouched(draft)) return t('A draft: nothing is published before you say so.');
  return kept
    ? t('Draft, stored on this computer {at}', {
        at: formatDateTime(new Date(draft.changedAt).toISOString()),
      })
    : t('Draft, not stored');
}

const crumbsOf = ({ origin }: ProfileDraft) => [
  { label: t('Profiles'), to: STUDIO_PAGES.profiles },
  ...(origin.kind === 'version'
    ? [{ label: origin.base.name, to: profilePath(origin.base.profileUid) }]
    : []),
];

export function DraftEditor({ first }: { first: ProfileDraft }) {
  const { draft, change, kept } = useDraft(first);
  const navigate = useNavigate();
  const mayPublish = useMay(createProfile);
  const known = useProfiles().data;
  const entries = useMemo(() => known?.flatMap((profile) => profile.versions) ?? [], [known]);
  const { shown, suggestion, publisher } = useShownDraft(draft, entries);
  const problems = useProblems(shown, entries);
  const publish = usePublish(shown);
  const list = useMemo(() => [...publish.refused, ...problems], [publish.refused, problems]);
  const { errorOf, touch, showAll } = useShownErrors(list, publish.refused);
  const { form, open, setOpen, goTo } = useOpenRule(draft, touch);
  const [asking, setAsking] = useState<'publish' | 'discard' | null>(null);
  /**
   * A version number that the person has accepted stays in its field, even if it is refused and
   * another one would be suggested.
   */
  const send = (): void => {
    setAsking(null);
    change(setHeader('version', shown.version));
    publish.send();
  };
  const ask = (): void => {
    showAll();
    if (problemsOf(shown, entries).length === 0) setAsking('publish');
    else requestAnimationFrame(() => document.getElementById('problems')?.focus());
  };
  const touchTarget = ({ target }: SyntheticEvent): void => {
    if ('name' in target && typeof target.name === 'string') touch(target.name);
  };
  const previewed = shown.rules.find((rule) => rule.key === open) ?? shown.rules[0];
  return (
    <Page
      title={titleOf(draft)}
      crumbs={crumbsOf(draft)}
      meta={<span role="status">{stateWords(draft, kept)}</span>}
      actions={
        <>
          <Button onClick={() => setAsking('discard')}>{t('Discard draft')}</Button>
          {mayPublish && (
            <Button variant="primary" busy={publish.state.kind === 'sending'} onClick={ask}>
              {t('Publish…')}
            </Button>
          )}
        </>
      }
    >
      <DraftNotices draft={draft} mayPublish={mayPublish} kept={kept} publish={publish} />
      <div className="pe-layout" ref={form} onBlur={touchTarget} onInput={touchTarget}>
        <div className="pe-main">
          <Section title={t('Header')}>
            <HeaderFields
              draft={shown}
              change={change}
              errorOf={errorOf}
              suggestion={suggestion}
              publisher={publisher}
            />
          </Section>
          <RuleList
            draft={shown}
            change={change}
            errorOf={errorOf}
            problems={list}
            open={open}
            onOpen={setOpen}
          />
        </div>
        <aside className="pe-side" aria-label={t('Preview and problems')}>
          <Problems problems={list} onGo={goTo} />
          {previewed !== undefined && (
            <HeadingPreview rule={previewed} place={shown.rules.indexOf(previewed) + 1} />
          )}
        </aside>
      </div>
      {asking === 'publish' && (
        <PublishDialog
          draft={shown}
          suggestion={suggestion}
          onClose={() => setAsking(null)}
          onPublish={send}
        />
      )}
      {asking === 'discard' && (
        <DiscardDraft
          title={t('Discard this draft?')}
          onClose={() => setAsking(null)}
          onDiscard={() => {
            draftStore.remove(draft.id);
            void navigate(STUDIO_PAGES.profiles, { replace: true });
          }}
        />
      )}
    </Page>
  );
}
