import * as cells from '../../shared/contract/v1/cells.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute } from '../http/route.ts';
import { partOfCell, partOfCells, partOfItem } from './parts.ts';
import { seesKeys } from './shown-keys.ts';

const ONE = { limit: 1, cursor: undefined };

export const cellRoutes: readonly Route[] = [
  readRoute(cells.listCells, async ({ actor, role, params, query, reader }) => {
    const { limit, cursor, recorded_by_kind: kind, recorded_by_name: name, ...of } = query;
    const { since, fields, ...asked } = of;
    const value = await reader.evidence.cells(
      actor.account_id,
      {
        ...asked,
        case_uid: params.caseUid,
        profile_version: query.profile_version,
        since,
        ...((kind ?? name) !== undefined && { recorded_by: { kind, name } }),
      },
      toPage({ limit, cursor }),
      seesKeys(role),
    );
    return {
      status: 200,
      ...(fields === undefined ? { value } : { json: partOfCells(value, fields) }),
      counted: { resource: params.caseUid },
    };
  }),

  readRoute(cells.getItem, async ({ actor, role, params, query, reader }) => {
    const page = await reader.evidence.page(
      actor.account_id,
      {
        case_uid: params.caseUid,
        item_uid: params.itemUid,
        profile_uid: query.profile_uid,
        profile_version: query.profile_version,
        fields: query.fields,
      },
      ONE,
      seesKeys(role),
    );
    const { items, rules, case_uid, profile_uid, profile_version } = page.value();
    const [found] = items;
    if (found === undefined)
      throw new ApiError('not_found', { message: 'The case has no such item.' });
    const { evidence, ...item } = found;
    const recorded = new Set(
      evidence.flatMap(({ raw_outcome, rule_uid }) => (raw_outcome === null ? [] : [rule_uid])),
    );
    const value = {
      case_uid,
      profile_uid,
      profile_version,
      item,
      evidence,
      unrecorded: rules.filter((rule) => !recorded.has(rule)),
    };
    return {
      status: 200,
      ...(query.fields === undefined ? { value } : { json: partOfItem(value, query.fields) }),
      etag: `"${page.etag}"`,
      counted: { resource: params.caseUid },
    };
  }),

  readRoute(cells.getCell, async ({ actor, role, params, query, reader }) => {
    const { data } = await reader.evidence.cells(
      actor.account_id,
      {
        case_uid: params.caseUid,
        item_uid: params.itemUid,
        rule_uid: params.ruleUid,
        profile_uid: query.profile_uid,
        profile_version: query.profile_version,
        since: undefined,
      },
      ONE,
      seesKeys(role),
    );
    const [cell] = data;
    if (cell === undefined)
      throw new ApiError('not_found', {
        message: 'The case has no such item, or the profile no such rule.',
      });
    return {
      status: 200,
      ...(query.fields === undefined ? { value: cell } : { json: partOfCell(cell, query.fields) }),
      counted: { resource: params.caseUid },
    };
  }),
];
