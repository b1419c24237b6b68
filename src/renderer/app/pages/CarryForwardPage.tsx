import { known, type CaseUid } from '../../../shared/contract/ids.ts';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { upsertCase } from '../../../shared/contract/v1/cases.ts';
import { casePath } from '../../features/cases/CasesTable.tsx';
import {
  formatProfileAddress,
  parseProfileAddress,
  type ProfileAddress,
} from '../../features/cases/profile-address.ts';
import { CarryForward, type Carried } from '../../features/profiles/carry/CarryForward.tsx';
import { saveReview } from '../../features/profiles/carry/review-store.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import { useProfile } from '../../features/profiles/versions.ts';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { HiddenMatrix } from '../../ui/HiddenMatrix.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { carryPath } from '../carry-path.ts';
import { useCase } from '../find.ts';
import { useMatrixSession } from '../../state/use-matrix-session.ts';
import { useStillHere } from '../../state/use-still-here.ts';
import { t } from '../../text/t.ts';

/** From the matrix of one version to that of a newer one; which two the address says. */
export function CarryForwardPage() {
  const caseUid = known.caseUid.parse(useParams().caseUid);
  const [search, setSearch] = useSearchParams();
  const entry = useCase(caseUid).data;
  const from = parseProfileAddress(search.get('from'));
  const to = parseProfileAddress(search.get('to'));
  const versions = useProfile(from?.uid).data?.found?.versions ?? [];
  const newer = versions.filter(
    (version) => from !== undefined && compareVersions(version.version, from.version) > 0,
  );
  const mayCarry = useMay(upsertCase);
  const valid =
    from !== undefined &&
    to !== undefined &&
    from.uid === to.uid &&
    compareVersions(to.version, from.version) > 0;
  return (
    <Page
      title={
        valid
          ? t('Carry outcomes forward from {from} to {to}', {
              from: from.version,
              to: to.version,
            })
          : t('Carry outcomes forward')
      }
      crumbs={[
        { label: t('Projects'), to: STUDIO_PAGES.projects },
        {
          label: entry?.title ?? caseUid,
          to: `${casePath(caseUid)}${from === undefined ? '' : `?profile=${formatProfileAddress(from)}`}`,
        },
      ]}
    >
      {!mayCarry && (
        <Notice title={t('You are a viewer here')}>
          <p>{t('Members of this account carry outcomes forward.')}</p>
        </Notice>
      )}
      {mayCarry &&
        (valid ? (
          <>
            {newer.length > 1 && (
              <Select
                inline
                label={t('To version')}
                options={newer.map(({ version }) => ({ value: version, label: version }))}
                value={to.version}
                onValue={(version) =>
                  setSearch(
                    carryPath(caseUid, from, { uid: from.uid, version }).split('?')[1] ?? '',
                    { replace: true },
                  )
                }
              />
            )}
            <Carry
              key={`${formatProfileAddress(from)} ${formatProfileAddress(to)}`}
              caseUid={caseUid}
              from={from}
              to={to}
            />
          </>
        ) : (
          <Notice title={t('The address names no two versions')}>
            <p>
              {t('Outcomes go from a version of a profile to a newer version of the same profile.')}
            </p>
          </Notice>
        ))}
    </Page>
  );
}

function Carry({
  caseUid,
  from,
  to,
}: {
  caseUid: CaseUid;
  from: ProfileAddress;
  to: ProfileAddress;
}) {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  const begin = useStillHere();
  const entry = useCase(caseUid).data;
  const source = useMatrixSession(caseUid, from);
  const target = useMatrixSession(caseUid, to);
  if (source.kind === 'failed')
    return <FailureNotice failure={source.failure} onRetry={source.retry} />;
  if (target.kind === 'failed')
    return <FailureNotice failure={target.failure} onRetry={target.retry} />;
  if (source.kind === 'hidden') return <HiddenMatrix round={source.round} />;
  if (target.kind === 'hidden') return <HiddenMatrix round={target.round} />;
  if (source.kind === 'opening' || target.kind === 'opening')
    return <Skeleton label={t('Opening both matrices…')} lines={8} />;

  /**
   * The case says which version it uses. If that cannot be found out, the page says so and works
   * all the same.
   */
  const nameVersion = async (): Promise<string | null> => {
    if (entry === undefined) return t('The case could not be read.');
    try {
      await call(upsertCase, {
        body: {
          project_id: entry.project_id,
          case_uid: caseUid,
          profile_uid: to.uid,
          profile_version: to.version,
        },
        // As it was when the person asked for this.
        headers: { 'if-match': `"v${entry.version}"` },
      });
      queries.invalidate('case');
      return null;
    } catch (error) {
      return describeFailure(error).message;
    }
  };
  const finish = async ({
    copied,
    kept,
    contested,
    partial,
    use,
    plan,
    counts,
  }: Carried): Promise<void> => {
    const isHere = begin();
    const notTold = use ? await nameVersion() : null;
    const changed = plan.review.map((rule) => ({
      rule: rule.ruleUid,
      name: rule.after.name,
      recorded: counts.get(rule.ruleUid)?.recorded ?? 0,
      kind: 'changed' as const,
      done: false,
    }));
    const added = plan.added.map((rule) => ({
      rule: rule.ruleUid,
      name: rule.after.name,
      recorded: 0,
      kind: 'added' as const,
      done: false,
    }));
    saveReview(
      { caseUid, ...to },
      {
        form: 1,
        from: from.version,
        copied,
        kept,
        contested,
        partial,
        notTold,
        rules: [...changed, ...added],
      },
    );
    if (isHere()) void navigate(`${casePath(caseUid)}?profile=${formatProfileAddress(to)}`);
  };
  const offersUse = entry?.profile_uid === to.uid && entry.profile_version !== to.version;
  return (
    <CarryForward
      source={source.session}
      target={target.session}
      offersUse={offersUse}
      onDone={finish}
      onCancel={() => void navigate(`${casePath(caseUid)}?profile=${formatProfileAddress(from)}`)}
    />
  );
}
