import type { Canary } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, refOf } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { scaledObjectOf } from './budgets.ts';
import type { Loss } from './plan.ts';
import { listed } from './services.ts';
import type { World } from './world.ts';

interface TargetRefs {
  targetRef: { kind?: string; name?: string };
  targetRefs: { kind?: string; name?: string }[];
}

interface NamedKind {
  group: string;
  kind: string;
  loss: 'security' | 'traffic';
  names(object: KubeObject, service: string, namespace: string): boolean;
  means: string;
}

const byTargetRefs = (object: KubeObject, service: string, namespace: string): boolean => {
  const { targetRef, targetRefs } = specOf<TargetRefs>(object);
  const refs = [...(targetRefs ?? []), ...(targetRef ? [targetRef] : [])];
  return object.metadata.namespace === namespace && refs.some(({ kind, name }) => kind === 'Service' && name === service);
};

/** Kinds that are attached to a Service by its name. Where requests are routed to the Services of the two sides, they pass them by. */
const namedKinds: readonly NamedKind[] = [
  {
    ...{ group: 'gateway.networking.k8s.io', kind: 'BackendTLSPolicy', loss: 'security', names: byTargetRefs },
    means: 'the gateway would speak plain text to the pods',
  },
  {
    ...{ group: 'gateway.networking.x-k8s.io', kind: 'XBackendTrafficPolicy', loss: 'traffic', names: byTargetRefs },
    means: 'its retry budget and session persistence would not hold',
  },
  {
    ...{ group: 'gateway.envoyproxy.io', kind: 'BackendTrafficPolicy', loss: 'traffic', names: byTargetRefs },
    means: 'its limits, timeouts and health checks would not hold',
  },
  {
    ...{ group: 'linkerd.io', kind: 'ServiceProfile', loss: 'traffic' },
    names: (object, service, namespace) => object.metadata.name.startsWith(`${service}.${namespace}.svc.`),
    means: 'its routes, retries and timeouts would not hold',
  },
];

/** Policies that are attached to the apex Service, where the provider routes past it. */
export function namedAtArrival(canary: Canary, world: World, routesPastApex: boolean): Loss[] {
  if (!routesPastApex) return [];
  const { apexService, primaryService, canaryService } = names(canary);
  return world.objects.flatMap((object): Loss[] => {
    const kind = namedKinds.find((one) => one.kind === object.kind && one.group === groupOf(object.apiVersion));
    if (!kind?.names(object, apexService, world.namespace)) return [];
    const hasOwn = world.objects.some((other) => other.kind === object.kind && kind.names(other, primaryService, world.namespace));
    if (hasOwn) return [];
    const isRefused = kind.loss === 'security';
    return [
      {
        code: isRefused ? 'PolicyWouldBeLost' : 'WouldBeLost',
        kind: kind.loss,
        isRefused,
        object: refOf(object),
        field: 'spec',
        detail: `is for Service ${apexService}, and requests will go to ${primaryService} and ${canaryService}: ${kind.means}`,
        remedy: `let it, or another one, name ${primaryService} and ${canaryService}, too`,
      },
    ];
  });
}

/** Scalers of the target that no `autoscalerRef` names: they scale what no longer serves. */
export function scalersAtArrival({ spec }: Canary, world: World): Loss[] {
  const { kind, name } = spec.targetRef;
  return world.objects.flatMap((object): Loss[] => {
    const group = groupOf(object.apiVersion);
    const { scaleTargetRef, targetRef } = specOf<Record<'scaleTargetRef' | 'targetRef', { kind?: string; name?: string }>>(object);
    const isVpa = object.kind === 'VerticalPodAutoscaler' && group === 'autoscaling.k8s.io';
    const isHpa = object.kind === 'HorizontalPodAutoscaler' && group === 'autoscaling';
    const scaled = isVpa ? targetRef : isHpa ? scaleTargetRef : undefined;
    const isOfTarget = scaled?.kind === kind && scaled.name === name && object.metadata.namespace === world.namespace;
    const made = isHpa ? scaledObjectOf(object) : undefined;
    const scaler = made === undefined ? refOf(object) : { kind: 'ScaledObject', name: made };
    if (!isOfTarget || (spec.autoscalerRef?.name === scaler.name && spec.autoscalerRef.kind === scaler.kind)) return [];
    return [
      {
        code: 'WouldBeLost',
        kind: 'scaling',
        isRefused: false,
        object: refOf(object),
        field: isVpa ? 'spec.targetRef' : 'spec.scaleTargetRef',
        detail: `is for ${kind} ${name}, and ${listed([world.primary])} will serve`,
        remedy: isVpa
          ? `write one for ${world.primary.owner.name}`
          : `name ${scaler.kind} ${scaler.name} in spec.autoscalerRef of the Canary`,
      },
    ];
  });
}
