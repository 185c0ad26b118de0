import type { Canary } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { parseDuration } from '../api/duration.ts';

/** `analysis.gateTimeout` in milliseconds; undefined if a gate is waited for without limit. */
export function gateTimeoutMs({ spec }: Canary): number | undefined {
  const ms = parseDuration(spec.analysis.gateTimeout ?? '');
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/** Time at which the gate that holds the release is given up (rule E145); undefined without a limit. Epoch milliseconds. */
export function gateUntilMs(canary: Canary, { gateClosed }: Pick<Release, 'gateClosed'>): number | undefined {
  const timeoutMs = gateTimeoutMs(canary);
  return gateClosed === undefined || timeoutMs === undefined ? undefined : gateClosed.sinceMs + timeoutMs;
}
