import type { KubeObject } from '../../api/kube-object.ts';
import type { CanaryRow } from '../../dashboard/wire.ts';
import { summaryOf } from '../canaries/canary-reading.ts';
import { waitsOf } from '../canaries/waits.ts';

/** One line of the dashboard's list: as `serin list` has it, with what the Canary waits for. Pure. */
export const canaryRow = (raw: KubeObject): CanaryRow => ({ ...summaryOf(raw), waits: waitsOf(raw) });
