import { useState } from 'react';
import type { Thread } from '../../../shared/contract/v1/discussion.ts';
import { formatDateTime } from '../../state/format.ts';
import { t } from '../../text/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { ThreadView } from './ThreadView.tsx';
import { nameOf, placeWords, stateWords } from './words.ts';
import './discussion.css';

/** Threads, each folded to its first words; one opens below its heading. */
export function ThreadList({
  threads,
  shown,
  named = true,
}: {
  threads: readonly Thread[];
  /** The one that is open at first. */
  shown?: string | undefined;
  /** Whether each says what it is about. */
  named?: boolean;
}) {
  const [opened, setOpened] = useState(shown);
  return (
    <ul className="threads">
      {threads.map((thread) => {
        const isOpen = opened === thread.thread_id;
        return (
          <li key={thread.thread_id}>
            <button
              type="button"
              className="thread-head"
              aria-expanded={isOpen}
              onClick={() => setOpened(isOpen ? undefined : thread.thread_id)}
            >
              <span className="thread-first">{thread.text}</span>
              <span className="small muted">
                <Badge
                  tone={thread.state === 'open' && thread.kind === 'query' ? 'warning' : 'plain'}
                >
                  {stateWords(thread)}
                </Badge>{' '}
                {(named || thread.place.on !== 'cell') && `${placeWords(thread)} · `}
                {thread.assigned_to !== null &&
                  `${t('for {name}', { name: nameOf(thread.assigned_to) })} · `}
                {t('{name}, {when}, {size, plural, one {# entry} other {# entries}}', {
                  name: nameOf(thread.opened_by),
                  when: formatDateTime(thread.opened_at),
                  size: thread.size,
                })}
              </span>
            </button>
            {isOpen && <ThreadView caseUid={thread.case_uid} threadId={thread.thread_id} />}
          </li>
        );
      })}
    </ul>
  );
}
