import { useState } from 'react';
import { z } from 'zod';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { addToThread, assignPlaces } from '../../../shared/contract/v1/discussion.ts';
import { ThreadText } from '../../../shared/domain/thread.ts';
import { describeFailure } from '../../state/failure.ts';
import { useForm } from '../../state/form.ts';
import { formatDateTime } from '../../state/format.ts';
import { useMay } from '../../state/use-may.ts';
import { type Person, usePeople } from '../../state/use-people.ts';
import { t } from '../../text/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { FailureNotice, Loaded } from '../../ui/Loaded.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { mentionsIn } from './mentions.ts';
import { PersonSelect } from './PersonSelect.tsx';
import { useDiscussing, useThread, type WholeThread } from './use-threads.ts';
import { lineWords, nameOf } from './words.ts';

/** Everything that was said in a thread, and what can be added to it. */
export function ThreadView({ caseUid, threadId }: { caseUid: CaseUid; threadId: string }) {
  const thread = useThread(caseUid, threadId);
  const people = usePeople().data ?? [];
  const mayWrite = useMay(addToThread);
  return (
    <Loaded query={thread} what={t('what was said')} lines={3}>
      {(whole) => (
        <div className="thread">
          <Lines thread={whole} />
          {mayWrite && <Reply key={whole.thread_id} thread={whole} people={people} />}
        </div>
      )}
    </Loaded>
  );
}

function Lines({ thread: { entries } }: { thread: WholeThread }) {
  return (
    <ol className="thread-lines">
      {entries.map((line) => (
        <li key={line.entry}>
          <p className="small">
            <strong>{lineWords(line)}</strong>{' '}
            <span className="muted num">{formatDateTime(line.at)}</span>
            {line.sent_by !== null && (
              <span className="muted">
                {' '}
                {t('sent by {name}', { name: line.sent_by.name ?? line.sent_by.user_id })}
              </span>
            )}
            {line.clock_differs && (
              <span className="muted"> {t('(by a clock that differs from this server’s)')}</span>
            )}
          </p>
          {line.text !== null && <p className="thread-text">{line.text}</p>}
          {line.mentions.length > 0 && (
            <p className="small muted">
              {t('For {names}', { names: line.mentions.map(nameOf).join(', ') })}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

const TextForm = z.strictObject({ text: ThreadText });

function Reply({ thread, people }: { thread: WholeThread; people: readonly Person[] }) {
  const { add } = useDiscussing(thread.case_uid);
  const mayDecide = useMay(assignPlaces);
  const announce = useToast();
  const [does, choose] = useState<'comment' | 'answer' | 'reopen'>('comment');
  const form = useForm({
    initial: { text: '' },
    schema: TextForm,
    toInput: ({ text }) => ({ text: text.trim() }),
    submit: async ({ text }) => {
      const mentions = mentionsIn(text, people) as NonNullable<
        Extract<Parameters<typeof add>[1], { does: 'comment' }>['mentions']
      >;
      await add(thread.thread_id, { does, text, ...(mentions.length > 0 && { mentions }) });
      // What was written while it was on its way stays.
      form.set('text', (now) => (now.trim() === text ? '' : now));
    },
  });
  const act = (reply: Parameters<typeof add>[1]): void =>
    void add(thread.thread_id, reply).catch((error: unknown) => {
      const { title, message } = describeFailure(error);
      announce({ title, description: message, tone: 'danger' });
    });
  const isClosed = thread.state === 'closed';
  return (
    <form {...form.props} className="form" aria-label={t('Reply')}>
      <TextArea
        name="text"
        label={t('Reply')}
        hint={t('@ and a name mentions somebody: it then waits for them.')}
        value={form.values.text}
        onValue={(text) => form.set('text', text)}
        error={form.errors['text']}
      />
      {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      <div className="actions">
        {thread.kind === 'query' && !isClosed && (
          <Button variant="primary" type="submit" busy={form.busy} onClick={() => choose('answer')}>
            {t('Answer')}
          </Button>
        )}
        <Button type="submit" busy={form.busy} onClick={() => choose('comment')}>
          {t('Comment')}
        </Button>
        {mayDecide && isClosed && (
          <Button type="submit" busy={form.busy} onClick={() => choose('reopen')}>
            {t('Open again')}
          </Button>
        )}
        {mayDecide && !isClosed && (
          <Button onClick={() => act({ does: 'close' })}>{t('Close')}</Button>
        )}
      </div>
      {mayDecide && thread.kind === 'query' && !isClosed && (
        <PersonSelect
          label={t('Who is to answer')}
          people={people}
          value={thread.assigned_to}
          onValue={(to) => act({ does: 'assign', to })}
        />
      )}
    </form>
  );
}
