import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { readAs, readWeights } from '../weights.ts';
import { SERVICE } from './render.ts';

/** The routes of a TrafficRoute that we or Flagger wrote. */
export function readRoute(canary: Canary, found: KubeObject): Routes | UnreadableRoutes {
  const { primaryService, canaryService } = names(canary);
  const split: unknown = specOf<{ conf: { split?: unknown } }>(found).conf?.split;
  const weightOf = (service: string): unknown =>
    Array.isArray(split) ? split.find((side) => isOf(side?.destination?.[SERVICE], service, canary))?.weight : undefined;
  const share = readWeights({ primary: weightOf(primaryService), canary: weightOf(canaryService) });
  if (share === undefined || (split as unknown[]).length !== 2) {
    const where = `TrafficRoute ${found.metadata.name}`;
    return { unreadable: `${where} does not split between ${primaryService} and ${canaryService} by whole weights that sum to 100` };
  }
  return readAs(share, undefined);
}

const isOf = (name: unknown, service: string, { metadata }: Canary): boolean =>
  typeof name === 'string' && name.startsWith(`${service}_${metadata.namespace}_svc_`);
