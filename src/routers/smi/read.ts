import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { splitSpec, splitWeight } from '../../api/traffic-split.ts';
import { readAs, readPart } from '../weights.ts';
import { readRouteGroup } from './route-group.ts';

/** The routes of a TrafficSplit. `group`: the HTTPRouteGroup that its condition names. */
export function readSplit(canary: Canary, split: KubeObject, group: KubeObject | undefined): Routes | UnreadableRoutes {
  const { primaryService, canaryService } = names(canary);
  const { backends: found, matches } = splitSpec(split);
  const backends = Array.isArray(found) ? found : [];
  const weightOf = (service: string): number | undefined => {
    const side = backends.find((backend) => backend?.service === service);
    return side && splitWeight(side.weight ?? 0);
  };
  const primary = weightOf(primaryService);
  const side = weightOf(canaryService);
  const where = `TrafficSplit ${split.metadata.name}`;
  if (primary === undefined || side === undefined || backends.length !== 2)
    return { unreadable: `${where} does not list ${primaryService} and ${canaryService}, with a weight each and nothing else` };
  // Weights are shares of their sum: 100m and 900m are 10 and 90 percent.
  const share = readPart(side, primary + side);
  if (share === undefined) return { unreadable: `the weights of ${where} are no whole percentages of their sum` };
  if (!matches?.length) return readAs(share, undefined);
  if (!group) return { unreadable: `${where} names an HTTPRouteGroup that is not found` };
  const match = readRouteGroup(group);
  if ('unreadable' in match) return match;
  return readAs(share, match.match);
}
