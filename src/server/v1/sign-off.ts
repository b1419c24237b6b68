import type { Role } from '../../shared/contract/v1/account.ts';
import * as signOff from '../../shared/contract/v1/sign-off.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { sentByShownTo } from './shown-keys.ts';

/** Moves and changes as this reader may see who brought them. */
function shown(role: Role, { moves, later, ...found }: signOff.SignOff): signOff.SignOff {
  return {
    ...found,
    moves: moves.map((one) => sentByShownTo(role, one)),
    later: later.map((one) => sentByShownTo(role, one)),
  };
}

export const signOffRoutes: readonly Route[] = [
  readRoute(signOff.getSignOff, async ({ actor, params, reader, role }) => ({
    status: 200,
    value: shown(role, await reader.signOff.get(actor.account_id, params.caseUid)),
    counted: { resource: params.caseUid },
  })),

  writeRoute(signOff.moveCase, async ({ actor, params, body, role, writer }) => {
    const value = shown(role, await writer.signOffWrites.move(actor, params.caseUid, body));
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
