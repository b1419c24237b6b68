import { Refusal } from '../../errors.ts';
import type { RouteDeps } from '../../route.ts';
import type { Uplink } from '../../uplink/port.ts';

/** The exchange of this studio; a hosted server has none and takes no orders about it. */
export function needUplink({ uplink }: RouteDeps): Uplink {
  if (uplink === undefined)
    throw new Refusal('conflict', {
      message: 'This is a hosted server: it is connected to no other.',
    });
  return uplink;
}
