import { revertChanges } from '../../../shared/contract/v1/reverts.ts';
import { MAX_DETAILS } from '../../../shared/contract/errors.ts';
import { writeRoute } from '../../route.ts';

export const revertChangesRoute = writeRoute(
  revertChanges,
  async ({ actor, params, body, writer }) => {
    const receipt = await writer.evidenceWrites.revert(actor, params.caseUid, body);
    const { changes, reverted } = receipt;
    if (reverted > 0) {
      const { reason, key_id = null, since = null, changes: named = [] } = body;
      writer.audit.add({
        action: 'evidence.reverted',
        object: params.caseUid,
        detail: {
          reason,
          reverted,
          named: named.slice(0, MAX_DETAILS),
          key_id,
          since,
          changes: changes.slice(0, MAX_DETAILS),
        },
      });
    }
    return {
      status: 200,
      value: receipt,
      counted: { resource: params.caseUid, cells_written: reverted },
    };
  },
);
