import * as signOff from '../../shared/contract/v1/sign-off.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';

export const signOffRoutes: readonly Route[] = [
  readRoute(signOff.getSignOff, async ({ actor, params, reader }) => ({
    status: 200,
    value: await reader.signOff.get(actor.account_id, params.caseUid),
    counted: { resource: params.caseUid },
  })),

  writeRoute(signOff.moveCase, async ({ actor, params, body, writer }) => {
    const value = await writer.signOffWrites.move(actor, params.caseUid, body);
    writer.audit.add({
      action: 'case.moved',
      object: params.caseUid,
      detail: {
        stage: body.stage,
        reason: body.reason,
        ...(body.run_uid !== undefined && { run_uid: body.run_uid }),
      },
    });
    return { status: 200, value, counted: { resource: params.caseUid } };
  }),
];
