import type { Canary } from '../../api/canary.ts';
import { type KubeObject, type Slim, type SlimRef, slimRef } from '../../api/kube-object.ts';
import { names, revisionAnnotation } from '../../api/names.ts';
import type { Readiness } from '../../api/readiness.ts';
import { namedSelectors } from '../../api/selector-label.ts';
import { digest } from '../digest.ts';
import { firstDifference } from '../first-difference.ts';
import { ownRevision, REVISION_FORMAT } from '../revision-format.ts';
import type { PrimarySpec, SideState, Sides, WatchedObjects, Workload } from '../workload.ts';
import { decidedSpec } from './allocated.ts';
import { readyEndpoints, slicesOf } from './endpoints.ts';
import { type PromotedService, servicePromotionPatch } from './promotion-patch.ts';
import { copyOf, decidedFor } from './render.ts';

const serviceRef = (canary: Canary, name: string): SlimRef =>
  slimRef({ apiVersion: 'v1', kind: 'Service', name, namespace: canary.metadata.namespace });

/**
 * Core Service: for pods that another controller manages. The target is the apex and is never written; traffic goes to two copies, of which the primary
 * changes only by promotion and the canary follows the target when a new revision starts.
 */
export const coreService: Workload = {
  hasPods: false,
  targetRef: (canary) => serviceRef(canary, canary.spec.targetRef.name),
  // The names to which routers send traffic, also if `service.name` differs from the target's.
  primaryRef: (canary) => serviceRef(canary, names(canary).primaryService),
  watches: (canary) => [
    coreService.targetRef(canary),
    coreService.primaryRef(canary),
    copyRef(canary),
    slicesOf(canary.metadata.namespace),
  ],
  // Small enough to keep, and rendered from the watched object.
  slim: (object) => object,
  sides,
  // Its selector is the user's; nothing is rewritten by a label.
  selectors: namedSelectors,
  revision: revisionOf,
  readiness: () => always,
  isServing: () => true,
  replicas: () => 1,
  scalePatch: () => undefined,
  scaleUpTarget: () => 1,
  originals: () => ({ replicas: 1 }),
  renderPrimary(canary, target, { revision }, promoted) {
    const { service } = (promoted ?? {}) as Partial<PromotedService>;
    return copyOf(canary, target, coreService.primaryRef(canary).name, revision, service);
  },
  renderCanary: (canary, target) => copyOf(canary, target, copyRef(canary).name, revisionOf(target)),
  primaryTemplate: (canary, target, { revision }): PromotedService => ({ service: decidedFor(canary, target), revision }),
  promotedPart: (primary): PromotedService => ({ service: decidedSpec(primary), revision: carries(primary) ?? '' }),
  carries,
  promotionPatch: servicePromotionPatch,
  templateMatches,
  adopts: (primary, rendered) => specMatches(primary, rendered) === undefined,
  held: (primary, revision): PromotedService => ({ service: decidedSpec(primary), revision }),
};

const copyRef = (canary: Canary): SlimRef => serviceRef(canary, names(canary).canaryService);
const always: Readiness = { state: 'ready', ready: 1, wanted: 1 };

function sides(canary: Canary, watched: WatchedObjects): Sides {
  const target = watched.find(coreService.targetRef(canary));
  const primary = watched.find(coreService.primaryRef(canary))?.object;
  const copy = watched.find(copyRef(canary))?.object;
  const carried = primary && carries(primary);
  return {
    ...(target && {
      target: {
        ...canaryState(target.object, copy, target.revision ?? '', watched),
        uid: target.object.metadata.uid ?? '',
        // Servers that count a Service's generations distinguish a new default field from an edit by it.
        ...(target.object.metadata.generation === undefined ? {} : { generation: target.object.metadata.generation }),
        revision: target.revision ?? '',
        ...(target.commit === undefined ? {} : { commit: target.commit }),
      },
    }),
    ...(primary && { primary: { ...stateOf(primary, watched), ...(carried === undefined ? {} : { carries: carried }) } }),
  };
}

/** While no copy exists, the target itself serves. */
function canaryState(target: Slim, copy: Slim | undefined, revision: string, watched: WatchedObjects): SideState {
  const state = stateOf(copy ?? target, watched);
  if (copy === undefined || carries(copy) === revision) return state;
  return { ...state, readiness: waiting(copy, 'it does not follow the target yet') };
}

function stateOf(service: Slim, watched: WatchedObjects): SideState {
  const ready = readyEndpoints(service, watched);
  if (ready === undefined) return { readiness: always, serving: true, replicas: 1 };
  const readiness: Readiness = ready > 0 ? { state: 'ready', ready, wanted: ready } : waiting(service, 'it has no ready endpoints');
  return { readiness, serving: ready > 0, replicas: 1 };
}

function waiting({ metadata }: Slim, what: string): Readiness {
  return { state: 'waiting', ready: 0, wanted: 1, reason: `Service ${metadata.name}: ${what}` };
}

function revisionOf(target: Slim): string {
  return REVISION_FORMAT + digest(decidedSpec(target));
}

function carries(primary: Slim): string | undefined {
  return ownRevision(primary.metadata.annotations?.[revisionAnnotation]);
}

/** Fields that an API server fills in. Source: the defaults of the Service API. */
const SERVER_DEFAULTS = {
  externalTrafficPolicy: ['Cluster'],
  allocateLoadBalancerNodePorts: [true],
  internalTrafficPolicy: ['Cluster'],
  ipFamilyPolicy: ['SingleStack'],
  protocol: ['TCP'],
  sessionAffinity: ['None'],
  timeoutSeconds: [10800],
  type: ['ClusterIP'],
};

function templateMatches(answer: KubeObject, rendered: PrimarySpec, before?: KubeObject): string | undefined {
  if (carries(answer) !== (rendered as PromotedService).revision) return `metadata.annotations.${revisionAnnotation}`;
  return specMatches(answer, rendered, before);
}

function specMatches(answer: KubeObject, rendered: PrimarySpec, before?: KubeObject): string | undefined {
  const { service } = rendered as PromotedService;
  return firstDifference(decidedSpec(answer), service, 'spec', SERVER_DEFAULTS, before && { held: decidedSpec(before) });
}
