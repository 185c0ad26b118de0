import type { Canary } from '../api/canary.ts';
import type { ServiceSpec } from '../api/kinds/service.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { primaryValue } from '../api/selector-label.ts';
import { isMade } from '../routers/services.ts';
import { selects } from '../workloads/label-selector.ts';
import { mayFollow, originalOf } from './followers.ts';
import type { Follower, Loss } from './plan.ts';
import { type LivingApplication, type Pods, type Selected, selectedIn, separatingLabel } from './world.ts';

/** Services that lead to the target's pods: kept, following and lost. */
export interface ServicesAtArrival {
  keeps: KubeObject[];
  follows: Follower[];
  losses: Loss[];
}

/**
 * Takes over the apex Service if it leads only to the target's pods. Another Service that leads to them follows it. A Service that also leads to pods of other
 * workloads can do neither: they would lose it.
 */
export function servicesAtArrival(canary: Canary, world: LivingApplication): ServicesAtArrival {
  const { apexService, primaryService, canaryService } = names(canary);
  const result: ServicesAtArrival = { keeps: [], follows: [], losses: [] };
  for (const service of world.objects) {
    const { name, namespace } = service.metadata;
    const { selector, type } = specOf<ServiceSpec>(service);
    if (service.kind !== 'Service' || service.apiVersion !== 'v1' || namespace !== world.namespace) continue;
    if (type === 'ExternalName' || Object.keys(selector ?? {}).length === 0) continue;
    if (name === primaryService || name === canaryService || (name !== apexService && isMade(service))) continue;
    const selected = selectedIn(world, namespace, { matchLabels: selector ?? {} });
    if (name === apexService) apexAtArrival(canary, world, service, selected, result);
    else if (selected.primary && !selected.target && originalOf(service) !== undefined)
      result.follows.push({ object: refOf(service), isFollowing: true });
    else if (selected.target) otherAtArrival(canary, world, service, selected, result);
  }
  result.losses.push(...takenForPrimary(canary, world));
  return result;
}

/** Pods of another workload that have the labels by which the primary is selected: the apex Service would lead to them. */
function takenForPrimary(canary: Canary, world: LivingApplication): Loss[] {
  const { target, primary, primaryLabels, namespace } = world;
  const isOfPrimary = (key: string, value: string) => target.labels[key] !== undefined && value === primaryValue(target.labels[key]);
  const [key, value] = Object.entries(primary.labels).find(([one, its]) => isOfPrimary(one, its)) ?? [];
  if (key === undefined || value === undefined) return [];
  const others = world.others.filter(
    (one) => one.namespace === namespace && selects({ matchLabels: { ...primaryLabels, [key]: value } }, one.labels),
  );
  return others.map(({ owner }) => ({
    ...{ code: 'EndpointsWouldBeLost', kind: 'endpoints', isRefused: true, object: owner, field: `spec.template.metadata.labels.${key}` },
    detail: `is ${value}, as it will be for ${primary.owner.kind} ${primary.owner.name}, so that Service ${names(canary).apexService} would lead to both`,
    remedy: `create one of them again with another ${key}, or ${target.owner.kind} ${target.owner.name} with one more label in spec.selector.matchLabels`,
  }));
}

function apexAtArrival(
  canary: Canary,
  world: LivingApplication,
  service: KubeObject,
  { target, others }: Selected,
  { keeps, losses }: ServicesAtArrival,
): void {
  if (isMade(service) || others.length === 0) keeps.push(service);
  else if (!target && canary.spec.service.name !== undefined) losses.push(moved(world, service, others));
  else losses.push(shared(canary, world, service, others, 'is the apex Service, and would lead only to the primary'));
}

/** The user names a Service of other workloads as the apex, and so wants to move its users. */
function moved({ primary }: LivingApplication, service: KubeObject, others: readonly Pods[]): Loss {
  return {
    ...{ code: 'WouldBeLost', kind: 'endpoints', isRefused: false, object: refOf(service), field: 'spec.selector' },
    detail: `leads to ${listed(others)}, and as spec.service.name of the Canary will lead to ${listed([primary])}`,
    remedy: 'give spec.service.name another name',
  };
}

function otherAtArrival(
  canary: Canary,
  world: LivingApplication,
  service: KubeObject,
  selected: Selected,
  result: ServicesAtArrival,
): void {
  const { name } = service.metadata;
  const { target, primary, others } = selected;
  if (others.length > 0) {
    // If it leads to both sides, the canary would have users at any weight (I2); if not, the application loses a part of its users.
    result.losses.push(
      shared(canary, world, service, others, primary ? 'would lead to the canary at any weight' : 'would not lead to the primary'),
    );
    return;
  }
  if (mayFollow(canary, name)) {
    result.follows.push({ object: refOf(service), isFollowing: false });
    return;
  }
  if (!target) return;
  const remedy = `let spec.service.followers be auto, or name ${name} there`;
  if (primary)
    result.losses.push({
      ...refusal('unweighted', service, 'spec.selector'),
      detail: `leads to both sides, so that the canary would have users at any weight`,
      remedy,
    });
  else
    result.losses.push({
      ...refusal('endpoints', service, 'spec.selector'),
      detail: `leads to ${world.target.owner.kind} ${world.target.owner.name}, and would lose its endpoints when that is scaled to zero`,
      remedy,
    });
}

/** A Service over several workloads, with the label that separates them. */
function shared(canary: Canary, world: LivingApplication, service: KubeObject, others: readonly Pods[], what: string): Loss {
  const { apexService } = names(canary);
  const { name } = service.metadata;
  const label = separatingLabel(world, others);
  const target = `${canary.spec.targetRef.kind} ${canary.spec.targetRef.name}`;
  // A separate Service for the target is not enough: this one would still lead to both.
  const left = `leave ${target} out of it${name === apexService ? ', and name a Service of its own in spec.service.name' : ''}`;
  return {
    ...refusal('endpoints', service, 'spec.selector'),
    detail: `also leads to ${listed(others)}, and ${what}`,
    remedy:
      label === undefined
        ? `give the pods of ${target} a label that separates them, and add it to its selector`
        : `add ${label} to its selector, which separates them; or ${left}`,
  };
}

const refusal = (kind: Loss['kind'], service: KubeObject, field: string) =>
  ({ code: 'EndpointsWouldBeLost', kind, isRefused: true, object: refOf(service), field }) as const;

export function listed(pods: readonly Pods[]): string {
  const all = pods.map(({ owner }) => `${owner.kind} ${owner.name}`);
  return all.length > 3 ? `${all.slice(0, 3).join(', ')} and ${all.length - 3} more` : all.join(', ');
}
