import * as ratings from '../../shared/contract/v1/ratings.ts';
import * as rounds from '../../shared/contract/v1/rounds.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';

// Nothing here names its case or counts cells for usage: others would see by it that somebody
// records.

export const roundsRoutes: readonly Route[] = [
  readRoute(rounds.listRounds, async ({ actor, params, reader }) => ({
    status: 200,
    value: { data: await reader.rounds.list(actor.account_id, params.caseUid) },
  })),

  readRoute(rounds.getRound, async ({ actor, params, reader }) => ({
    status: 200,
    value: await reader.rounds.get(actor.account_id, params.caseUid, params.roundId),
  })),

  readRoute(rounds.getRoundEvidence, async ({ actor, params, query, reader }) => ({
    status: 200,
    value: await reader.rounds.evidence(
      actor.account_id,
      params.caseUid,
      params.roundId,
      toPage(query),
    ),
  })),

  readRoute(rounds.getAgreement, async ({ actor, params, reader }) => ({
    status: 200,
    value: await reader.rounds.agreement(actor.account_id, params.caseUid, params.roundId),
  })),

  readRoute(ratings.listRatings, async ({ actor, params, query, reader }) => ({
    status: 200,
    value: await reader.rounds.ratings(
      actor.account_id,
      params.caseUid,
      params.roundId,
      query.agreement,
      toPage(query),
    ),
  })),

  readRoute(rounds.exportLayer, async ({ actor, params, reader }) => ({
    status: 200,
    value: await reader.rounds.exportLayer(actor.account_id, params.caseUid, params.roundId),
  })),

  writeRoute(
    rounds.importLayer,
    async ({ actor, params, body, writer }) => {
      const { caseUid, roundId } = params;
      const { round, isNew } = await writer.roundWrites.importLayer(actor, caseUid, roundId, body);
      if (isNew)
        writer.audit.add({
          action: 'round.done',
          object: caseUid,
          detail: { round_id: roundId, state: round.state, from_file: true },
        });
      return { status: 200, value: round };
    },
    { isSealed: true },
  ),

  writeRoute(rounds.openRound, async ({ actor, params, body, writer }) => {
    const value = await writer.roundWrites.open(actor, params.caseUid, body);
    const { round_id, title, quorum, record, recorders } = value;
    writer.audit.add({
      action: 'round.opened',
      object: params.caseUid,
      detail: {
        round_id,
        title,
        quorum,
        record,
        recorders: recorders.map(({ recorder }) => recorder),
      },
    });
    const location = `/api/v1/cases/${encodeURIComponent(params.caseUid)}/rounds/${round_id}`;
    return { status: 201, value, location };
  }),

  writeRoute(
    rounds.recordInRound,
    async ({ actor, params, body, writer }) => {
      const { caseUid, roundId } = params;
      const { written, changes } = await writer.roundWrites.record(actor, caseUid, roundId, body);
      return {
        status: 200,
        value: {
          round_id: roundId,
          outcomes_written: written,
          outcomes_unchanged: body.outcomes.length - written,
          changes,
        },
      };
    },
    { isSealed: true },
  ),

  writeRoute(
    rounds.finishRound,
    async ({ actor, params, writer }) => {
      const { round } = await writer.roundWrites.finish(actor, params.caseUid, params.roundId);
      writer.audit.add({
        action: 'round.done',
        object: params.caseUid,
        detail: { round_id: round.round_id, state: round.state },
      });
      return { status: 200, value: round };
    },
    { isSealed: true },
  ),

  writeRoute(rounds.releaseRound, async ({ actor, params, body, writer }) => {
    const { round, released } = await writer.roundWrites.release(
      actor,
      params.caseUid,
      params.roundId,
      body.reason,
    );
    if (released)
      writer.audit.add({
        action: 'round.released',
        object: params.caseUid,
        detail: { round_id: round.round_id, reason: body.reason },
      });
    return { status: 200, value: round };
  }),

  writeRoute(rounds.removeRecorder, async ({ actor, params, body, writer }) => {
    const { round, removed } = await writer.roundWrites.removeRecorder(
      actor,
      params.caseUid,
      params.roundId,
      body,
    );
    if (removed)
      writer.audit.add({
        action: 'round.recorder_removed',
        object: params.caseUid,
        detail: { round_id: round.round_id, recorder: body.recorder, reason: body.reason },
      });
    return { status: 200, value: round };
  }),
];
