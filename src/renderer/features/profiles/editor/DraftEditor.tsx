import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { createProfile } from '../../../../shared/contract/v1/profiles.ts';
import { formatDateTime } from '../../../state/format.ts';
import { useMay, usePublisher } from '../../../state/use-may.ts';
import { Button } from '../../../ui/Button.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { FailureNotice } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page, Section } from '../../../ui/Page.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { profilePath, useProfiles } from '../versions.ts';
import { setHeader, versionSuggestion } from './change-draft.ts';
import { documentOf, isUntouched, type ProfileDraft } from './draft.ts';
import { problemsOf, type Problem } from './draft-problems.ts';
import { HeaderFields } from './HeaderFields.tsx';
import { HeadingPreview } from './HeadingPreview.tsx';
import { Problems } from './Problems.tsx';
import { PublishDialog } from './PublishDialog.tsx';
import { RuleList } from './RuleList.tsx';
import { draftStore, useDraft } from './use-drafts.ts';
import { usePublish } from './use-publish.ts';
import './editor.css';

const TITLES: Record<ProfileDraft['origin']['kind'], string> = {
  new: 'New profile',
  version: 'New version',
  copy: 'Copy of a profile',
  file: 'Profile from a file',
};

function titleOf({ origin, name }: ProfileDraft): string {
  if (origin.kind === 'version') return `New version of ${origin.base.name}`;
  return name.trim() === '' ? TITLES[origin.kind] : name;
}

/**
 * Errors stand at their fields once those were touched, and everywhere after an attempt to publish.
 */
function useShownErrors(problems: readonly Problem[]) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const errors = new Map(
    problems
      .filter(({ field }) => all || touched.has(field))
      .map(({ field, message }) => [field, message]),
  );
  const touch = (field: string): void => {
    if (!touched.has(field)) setTouched(new Set([...touched, field]));
  };
  return { errorOf: (field: string) => errors.get(field), touch, showAll: () => setAll(true) };
}

function Unkept({ draft }: { draft: ProfileDraft }) {
  const save = (): void =>
    saveFile(
      `${draft.profileUid === '' ? 'profile' : draft.profileUid}_draft.json`,
      'application/json',
      JSON.stringify(documentOf(draft), null, 2),
    );
  return (
    <Notice
      tone="danger"
      live
      title="The draft cannot be kept on this computer"
      actions={
        <Button size="sm" onClick={save}>
          Save as a file
        </Button>
      }
    >
      <p>
        The browser's storage is full or switched off. Publish before you leave this page, or save
        the draft as a file and import it later.
      </p>
    </Notice>
  );
}

export function DraftEditor({ first }: { first: ProfileDraft }) {
  const { draft, change, kept } = useDraft(first);
  const navigate = useNavigate();
  const mayPublish = useMay(createProfile);
  const publisher = usePublisher();
  const known = useProfiles().data;
  const entries = useMemo(() => known?.flatMap((profile) => profile.versions) ?? [], [known]);
  const suggestion = versionSuggestion(
    draft,
    entries.filter((entry) => entry.profileUid === draft.profileUid).map((entry) => entry.version),
  );
  const suggested =
    suggestion === undefined || draft.versionGiven ? draft.version : suggestion.version;
  const shown = useMemo(
    () => ({
      ...draft,
      version: suggested,
      ...(publisher !== 'you' && { visibility: 'private' as const }),
    }),
    [draft, suggested, publisher],
  );
  // Checking hundreds of rules must not hold up the next key.
  const checked = useDeferredValue(shown);
  const problems = useMemo(() => problemsOf(checked, entries), [checked, entries]);
  const publish = usePublish(shown, (published) => {
    draftStore.remove(draft.id);
    void navigate(profilePath(published.profileUid, published.version), { replace: true });
  });
  /**
   * A version number that the person has accepted stays in its field, even if it is refused and
   * another one would be suggested now.
   */
  const send = (): void => {
    setAsking(null);
    change(setHeader('version', shown.version));
    publish.send();
  };
  const list = useMemo(() => [...publish.refused, ...problems], [publish.refused, problems]);
  const { errorOf, touch, showAll } = useShownErrors(list);
  const refusedAt = (field: string) =>
    publish.refused.find((problem) => problem.field === field)?.message ?? errorOf(field);
  const [open, setOpen] = useState<string | null>(
    draft.rules.length === 1 ? draft.rules[0]!.key : null,
  );
  const [asking, setAsking] = useState<'publish' | 'discard' | null>(null);
  const form = useRef<HTMLDivElement>(null);

  const goTo = ({ field, rule }: Problem): void => {
    if (rule !== undefined) setOpen(rule);
    touch(field);
    // A rule that was closed has its fields in the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const target = [
          ...(form.current?.querySelectorAll<HTMLElement>('[name], [data-field]') ?? []),
        ].find((element) => (element.getAttribute('name') ?? element.dataset['field']) === field);
        target?.focus();
        target?.scrollIntoView({ block: 'center' });
      }),
    );
  };
  const ask = (): void => {
    showAll();
    if (problemsOf(shown, entries).length === 0) setAsking('publish');
    else requestAnimationFrame(() => document.getElementById('problems')?.focus());
  };
  const discard = (): void => {
    draftStore.remove(draft.id);
    void navigate('/studio/profiles', { replace: true });
  };
  const previewed = shown.rules.find((rule) => rule.key === open) ?? shown.rules[0];

  return (
    <Page
      title={titleOf(draft)}
      crumbs={[
        { label: 'Profiles', to: '/studio/profiles' },
        ...(draft.origin.kind === 'version'
          ? [{ label: draft.origin.base.name, to: profilePath(draft.profileUid) }]
          : []),
      ]}
      meta={
        <span role="status">
          {isUntouched(draft)
            ? 'A draft: nothing is published before you say so.'
            : kept
              ? `Draft, kept on this computer ${formatDateTime(new Date(draft.changedAt).toISOString())}`
              : 'Draft, not kept'}
        </span>
      }
      actions={
        <>
          <Button onClick={() => setAsking('discard')}>Discard draft</Button>
          {mayPublish && (
            <Button variant="primary" busy={publish.state.kind === 'sending'} onClick={ask}>
              Publish…
            </Button>
          )}
        </>
      }
    >
      {!mayPublish && (
        <Notice title="You are a viewer here: the draft stays on this computer, and cannot be published" />
      )}
      {!kept && <Unkept draft={draft} />}
      {publish.state.kind === 'waiting' && (
        <Notice
          tone="warning"
          live
          title="Publishing waits for the server"
          actions={
            <>
              <Button size="sm" onClick={publish.retry}>
                Try now
              </Button>
              <Button size="sm" onClick={publish.stop}>
                Do not publish
              </Button>
            </>
          }
        >
          <p>
            The server cannot be reached. The draft is kept on this computer; it is published when
            the server answers again, as long as this page is open and the draft is not changed.
          </p>
        </Notice>
      )}
      {publish.state.kind === 'failed' && <FailureNotice failure={publish.state.failure} />}
      <div
        className="pe-layout"
        ref={form}
        onBlur={(event) => {
          if ('name' in event.target && typeof event.target.name === 'string')
            touch(event.target.name);
        }}
        onInput={(event) => {
          if ('name' in event.target && typeof event.target.name === 'string')
            touch(event.target.name);
        }}
      >
        <div className="pe-main">
          <Section title="Header">
            <HeaderFields
              draft={shown}
              change={change}
              errorOf={refusedAt}
              suggestion={suggestion}
              publisher={publisher}
            />
          </Section>
          <RuleList
            draft={shown}
            change={change}
            errorOf={refusedAt}
            problems={list}
            open={open}
            onOpen={setOpen}
          />
        </div>
        <aside className="pe-side" aria-label="Preview and problems">
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
      <Confirm
        open={asking === 'discard'}
        onOpenChange={() => setAsking(null)}
        title="Discard this draft?"
        action="Discard draft"
        busy={false}
        onConfirm={discard}
      >
        <p>What is written in it is gone for good. Published profiles stay as they are.</p>
      </Confirm>
    </Page>
  );
}
