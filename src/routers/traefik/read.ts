import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { type Routes, type UnreadableRoutes, Weight, weight } from '../../api/routes.ts';
import { ALL, readAs, readWeights } from '../weights.ts';

interface WeightedService {
  name?: string;
  kind?: string;
  weight?: number;
  percent?: number;
}
type Mirroring = WeightedService & { mirrors?: readonly WeightedService[] };

/** The routes of a TraefikService that we or Flagger wrote. */
export function readTraefikService(canary: Canary, found: KubeObject, mirror: KubeObject | undefined): Routes | UnreadableRoutes {
  const services = specOf<{ weighted: { services?: WeightedService[] } }>(found).weighted?.services ?? [];
  const [only] = services;
  if (services.length === 1 && only?.kind === 'TraefikService' && only.name === names(canary).mirrorService)
    return readMirroring(canary, specOf<{ mirroring: Mirroring }>(mirror).mirroring ?? {}, `TraefikService ${only.name}`);
  return readWeighted(canary, services, `TraefikService ${found.metadata.name}`);
}

function readWeighted(canary: Canary, services: readonly WeightedService[], where: string): Routes | UnreadableRoutes {
  const { primaryService, canaryService } = names(canary);
  const isOurs = ({ name }: WeightedService) => name === primaryService || name === canaryService;
  const [first, second] = services;
  if (!first || services.length > 2 || !services.every(isOurs) || first.name === second?.name)
    return { unreadable: `${where} does not name ${primaryService} and ${canaryService}, or one of them` };
  // An only service takes everything, with any weight.
  if (!second) return readAs(weight(first.name === canaryService ? ALL : 0), undefined);
  const shares = [first, second].map(({ weight: share }, index, sides) => share ?? missingWeight(sides[1 - index]));
  const [canaryShare, primaryShare] = first.name === canaryService ? shares : shares.toReversed();
  const share = readWeights({ primary: primaryShare, canary: canaryShare });
  return share === undefined ? { unreadable: `the weights of ${where} are not whole numbers that sum to 100` } : readAs(share, undefined);
}

/** Traefik takes it for 1; beside a 100 it is how Flagger writes 0. */
function missingWeight(other: WeightedService | undefined): number {
  return other?.weight === ALL ? 0 : 1;
}

function readMirroring(canary: Canary, main: Mirroring, where: string): Routes | UnreadableRoutes {
  const { primaryService, canaryService } = names(canary);
  const [mirror, ...others] = main.mirrors ?? [];
  const share = Weight.safeParse(mirror?.percent ?? 0);
  if (main.name !== primaryService || mirror?.name !== canaryService || others.length > 0 || !share.success)
    return { unreadable: `${where} does not mirror ${primaryService} to ${canaryService}` };
  return { kind: 'mirrored', share: share.data };
}
