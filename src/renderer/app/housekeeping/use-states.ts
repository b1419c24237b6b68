import type { Case } from '../../../shared/contract/v1/cases.ts';
import {
  type RecordState,
  setCaseState,
  setProfileState,
  setProjectState,
  setRunState,
} from '../../../shared/contract/v1/housekeeping.ts';
import type { Project } from '../../../shared/contract/v1/projects.ts';
import type { ProfileUid, RunUid } from '../../../shared/contract/ids.ts';
import { describeFailure } from '../../state/failure.ts';
import { type Call, useServices } from '../../state/services.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { changedMeanwhile } from './changed-meanwhile.ts';
import { t } from '../../text/t.ts';

type Reason = string | undefined;

/** A change of where something is listed, and what takes it back. */
interface StateChange<T> {
  /** "Archived the case Trio 42". */
  done: string;
  undone: string;
  change: () => Promise<T>;
  undo: (done: T) => Promise<unknown>;
  /** Beginnings of the queries whose answers change. */
  queries: readonly string[];
}

/** Recorded as the reason, so it is the same in every language. */
const UNDO = 'Undo of the change before.';
const CASE_DONE: Readonly<Record<RecordState, (title: string) => string>> = {
  active: (title) => t('Restored the case {title}', { title }),
  archived: (title) => t('Archived the case {title}', { title }),
  deleted: (title) => t('Deleted the case {title}', { title }),
};
const PROJECT_DONE: Readonly<Record<RecordState, (name: string) => string>> = {
  active: (name) => t('Restored the project {name}', { name }),
  archived: (name) => t('Archived the project {name}', { name }),
  deleted: (name) => t('Deleted the project {name}', { name }),
};
type Versioned = Pick<Case, 'version'>;
/** What others have done since with the record as it was shown, or was left, is not written over. */
const ifStill = ({ version }: Versioned) => ({ 'if-match': `"v${version}"` });
const because = (reason: Reason): { reason?: string } => (reason === undefined ? {} : { reason });

function ofCase(
  call: Call,
  entry: Pick<Case, 'case_uid' | 'title' | 'version'>,
  [before, state]: readonly [RecordState, RecordState],
  reason: Reason,
): StateChange<Versioned> {
  const { case_uid: caseUid, title } = entry;
  const params = { caseUid };
  const bring = (to: RecordState, why: Reason, of: Versioned) =>
    call(setCaseState, { params, body: { state: to, ...because(why) }, headers: ifStill(of) });
  return {
    done: CASE_DONE[state](title),
    undone: t('The case {title} is as it was', { title }),
    change: () => bring(state, reason, entry),
    undo: (done) => bring(before, UNDO, done),
    queries: ['case', 'contested', 'deleted', 'home'],
  };
}

function ofProject(
  call: Call,
  project: Pick<Project, 'project_id' | 'name' | 'version'>,
  [before, state]: readonly [RecordState, RecordState],
  reason: Reason,
): StateChange<Versioned> {
  const { project_id: projectId, name } = project;
  const params = { projectId };
  const bring = (to: RecordState, why: Reason, of: Versioned) =>
    call(setProjectState, { params, body: { state: to, ...because(why) }, headers: ifStill(of) });
  return {
    done: PROJECT_DONE[state](name),
    undone: t('The project {name} is as it was', { name }),
    change: () => bring(state, reason, project),
    undo: (done) => bring(before, UNDO, done),
    queries: ['project', 'case', 'deleted', 'home'],
  };
}

function ofRun(
  call: Call,
  runUid: RunUid,
  state: 'shown' | 'hidden',
  reason: Reason,
): StateChange<unknown> {
  const params = { runUid };
  const before = state === 'hidden' ? 'shown' : 'hidden';
  return {
    done:
      state === 'hidden'
        ? t('Hid the run {runUid}', { runUid })
        : t('Shows the run {runUid} again', { runUid }),
    undone: t('The run {runUid} is as it was', { runUid }),
    change: () => call(setRunState, { params, body: { state, ...because(reason) } }),
    undo: () => call(setRunState, { params, body: { state: before, reason: UNDO } }),
    queries: ['runs'],
  };
}

function ofProfile(
  call: Call,
  { profileUid, name }: { profileUid: ProfileUid; name: string },
  state: 'active' | 'retired',
  reason: Reason,
): StateChange<unknown> {
  const params = { profileUid };
  const before = state === 'retired' ? 'active' : 'retired';
  return {
    done:
      state === 'retired'
        ? t('Retired the profile {name}', { name })
        : t('Offers {name} again', { name }),
    undone: t('The profile {name} is as it was', { name }),
    change: () => call(setProfileState, { params, body: { state, ...because(reason) } }),
    undo: () => call(setProfileState, { params, body: { state: before, reason: UNDO } }),
    queries: ['profile'],
  };
}

/** What brings records to another state, with an undo in the message about it. */
export function useStates() {
  const { call, queries } = useServices();
  const announce = useToast();
  const carryOut = async <T>({
    done,
    undone,
    change,
    undo,
    queries: names,
  }: StateChange<T>): Promise<void> => {
    const refresh = (): void => names.forEach((name) => queries.invalidate(name));
    const left = await change();
    refresh();
    const takeBack = async (): Promise<void> => {
      try {
        await undo(left).finally(refresh);
        announce({ title: undone });
      } catch (error) {
        const failure = describeFailure(error);
        announce({
          title: failure.title,
          description: changedMeanwhile(failure) ?? failure.message,
          tone: 'danger',
        });
      }
    };
    announce({ title: done, action: { label: t('Undo'), run: () => void takeBack() } });
  };
  return {
    ofCase: (
      entry: Pick<Case, 'case_uid' | 'title' | 'version'>,
      before: RecordState,
      state: RecordState,
      reason: Reason,
    ) => carryOut(ofCase(call, entry, [before, state], reason)),
    ofProject: (
      project: Pick<Project, 'project_id' | 'name' | 'version'>,
      before: RecordState,
      state: RecordState,
      reason: Reason,
    ) => carryOut(ofProject(call, project, [before, state], reason)),
    ofRun: (runUid: RunUid, state: 'shown' | 'hidden', reason: Reason) =>
      carryOut(ofRun(call, runUid, state, reason)),
    ofProfile: (
      profile: { profileUid: ProfileUid; name: string },
      state: 'active' | 'retired',
      reason: Reason,
    ) => carryOut(ofProfile(call, profile, state, reason)),
  };
}
