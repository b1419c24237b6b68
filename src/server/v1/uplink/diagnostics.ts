import { uplinkDiagnostics } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { needUplink } from './running.ts';

export const uplinkDiagnosticsRoute = serviceRoute(uplinkDiagnostics, async ({ deps }) => ({
  status: 200,
  value: await needUplink(deps).diagnostics(),
}));
