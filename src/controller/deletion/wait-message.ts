import { waysOn } from '../../api/kept-primary.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Deletion } from './deletions.ts';

/** Reason why a Canary made again, under the same name or over the same target, does not start yet. */
export function waitMessage({ last, uninstall, isKept }: Deletion, name: string): string {
  const { kind, name: target } = last.spec.targetRef;
  const former = last.metadata.name === name ? 'the last Canary of this name' : `Canary ${last.metadata.name}, which was deleted,`;
  if (isKept)
    return `waits until the primary of ${kind} ${target}, which ${former} released, is no longer kept: ${waysOn(last.metadata, `${kind}/${target}`)}`;
  if (!uninstall) return `waits until ${kind} ${target}, which ${former} released, has its traffic back`;
  if (uninstall.atMs === undefined)
    return `waits for ${kind} ${target}: create it; its primary, which ${former} made, serves until it is ready`;
  return `waits until ${timestamp(uninstall.atMs)}: ${kind} ${target} and its Canary are gone, and what was generated for them goes then`;
}
