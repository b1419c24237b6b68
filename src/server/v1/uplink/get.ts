import { getUplink } from '../../../shared/contract/v1/uplink.ts';
import { serviceRoute } from '../../route.ts';
import { NO_UPLINK } from '../../uplink/status.ts';

export const getUplinkRoute = serviceRoute(getUplink, async ({ deps }) => ({ status: 200, value: (await deps.uplink?.status()) ?? NO_UPLINK }));
