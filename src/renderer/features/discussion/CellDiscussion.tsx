import { MessageSquarePlus } from 'lucide-react';
import { useState } from 'react';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { assignPlaces, openThread } from '../../../shared/contract/v1/discussion.ts';
import type { AssignedPlace } from '../../../shared/domain/thread.ts';
import { describeFailure } from '../../state/failure.ts';
import { useMay } from '../../state/use-may.ts';
import { usePeople } from '../../state/use-people.ts';
import { t } from '../../text/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { NewThread, type DiscussedPlaces } from './NewThread.tsx';
import { PersonSelect } from './PersonSelect.tsx';
import { ThreadList } from './ThreadList.tsx';
import { useAssignments, useDiscussing, useThreadsOf } from './use-threads.ts';

interface CellDiscussionProps {
  caseUid: CaseUid;
  profile: { uid: string; version: string };
  cell: { item: string; rule: string };
}

function placesOf({ profile, cell }: CellDiscussionProps): DiscussedPlaces {
  const rule = {
    profile_uid: profile.uid as Extract<AssignedPlace, { on: 'rule' }>['profile_uid'],
    profile_version: profile.version,
    rule_uid: cell.rule,
  };
  return {
    cell: { on: 'cell', ...rule, item_uid: cell.item },
    item: { on: 'item', item_uid: cell.item },
    rule: { on: 'rule', ...rule },
  };
}

/** What is discussed of a cell, its item and its rule, and who is to record them. */
export function CellDiscussion(props: CellDiscussionProps) {
  const { caseUid, profile, cell } = props;
  const found = useThreadsOf(caseUid, cell);
  const people = usePeople().data ?? [];
  const mayOpen = useMay(openThread);
  const [isNew, setNew] = useState(false);
  return (
    <section className="mx-part" aria-label={t('Discussion of this cell')}>
      <h2>{t('Discussion')}</h2>
      <Loaded query={found} what={t('the discussion')} lines={2}>
        {(threads) => {
          const here = threads.filter(
            ({ place }) =>
              place.on === 'item' ||
              (place.profile_uid === profile.uid && place.profile_version === profile.version),
          );
          return here.length === 0 ? (
            <p className="muted small">{t('Nothing was asked or said about it.')}</p>
          ) : (
            <ThreadList threads={here} named={false} />
          );
        }}
      </Loaded>
      {isNew ? (
        <NewThread
          caseUid={caseUid}
          places={placesOf(props)}
          people={people}
          onDone={() => setNew(false)}
        />
      ) : (
        mayOpen && (
          <Button
            size="sm"
            icon={<MessageSquarePlus size={14} aria-hidden="true" />}
            onClick={() => setNew(true)}
          >
            {t('Ask or comment…')}
          </Button>
        )
      )}
      <Assigned {...props} />
    </section>
  );
}

const keyOf = (place: AssignedPlace): string =>
  place.on === 'item'
    ? `item ${place.item_uid}`
    : `rule ${place.profile_uid} ${place.profile_version} ${place.rule_uid}`;

function Assigned(props: CellDiscussionProps) {
  const { assign } = useDiscussing(props.caseUid);
  const assignments = useAssignments(props.caseUid).data;
  const people = (usePeople().data ?? []).filter(({ mayRecord }) => mayRecord);
  const mayAssign = useMay(assignPlaces);
  const announce = useToast();
  if (!mayAssign || assignments === undefined) return null;
  const { item, rule } = placesOf(props);
  const select = (label: string, place: AssignedPlace) => (
    <PersonSelect
      label={label}
      people={people}
      value={assignments.find((one) => keyOf(one.place) === keyOf(place))?.assigned_to ?? null}
      onValue={(to) =>
        void assign(place, to).catch((error: unknown) => {
          const { title, message } = describeFailure(error);
          announce({ title, description: message, tone: 'danger' });
        })
      }
    />
  );
  return (
    <div className="form">
      {item.on === 'item' && select(t('Who records the item'), item)}
      {rule.on === 'rule' && select(t('Who records the rule'), rule)}
    </div>
  );
}
