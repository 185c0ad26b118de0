import type { Release } from '../api/canary-status.ts';
import type { Facts, SideFacts } from './facts.ts';

/** The step has its pods, and continues as soon as the routes are in force. */
export function isSideReady(side: SideFacts | undefined): boolean {
  return side?.serving === true && side.readiness.state === 'ready';
}

/** Pods that have lost their traffic are kept while the primary does not serve (rule E5). */
export function arePodsKept({ primary, target }: Facts): boolean {
  return primary?.serving !== true && target?.serving === true;
}

/** Only the primary holds the release, without limit, since a fix of the primary must not fail because of it (rule E80). */
export function isPrimaryAwaited({ capacity }: Release, { primary }: Facts): boolean {
  const isEnough = primary?.serving === true && (primary.readiness.state === 'ready' || capacity?.side === 'primary');
  return primary !== undefined && !isEnough;
}
