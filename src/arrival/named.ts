import type { Canary } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, refOf } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { scaledObjectOf } from './budgets.ts';
import type { Loss } from './plan.ts';
import { renamed } from './policies.ts';
import { listed } from './services.ts';
import type { LivingApplication } from './world.ts';

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
  /** One object is about one Service. */
  isForOne?: true;
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
    isForOne: true,
    means: 'its routes, retries and timeouts would not hold',
  },
];

/** Policies that are attached to the apex Service, where the provider routes past it. */
export function namedAtArrival(canary: Canary, world: LivingApplication, routesPastApex: boolean): Loss[] {
  if (!routesPastApex) return [];
  const { apexService, primaryService, canaryService } = names(canary);
  return world.objects.flatMap((object): Loss[] => {
    const kind = namedKinds.find((one) => one.kind === object.kind && one.group === groupOf(object.apiVersion));
    if (!kind?.names(object, apexService, world.namespace)) return [];
    const isNamed = (service: string) =>
      world.objects.some((other) => other.kind === object.kind && kind.names(other, service, world.namespace));
    if (isNamed(primaryService) && isNamed(canaryService)) return [];
    const isRefused = kind.loss === 'security';
    return [
      {
        code: isRefused ? 'PolicyWouldBeLost' : 'WouldBeLost',
        kind: kind.loss,
        isRefused,
        object: refOf(object),
        field: 'spec',
        detail: `is for Service ${apexService}, and requests will go to ${primaryService} and ${canaryService}: ${kind.means}`,
        remedy: kind.isForOne
          ? `write one for ${primaryService} and one for ${canaryService}`
          : `also name ${primaryService} and ${canaryService} in it, or in another one`,
      },
    ];
  });
}

/** Scalers of the target that no `autoscalerRef` names: they scale a workload that no longer serves, unless the user has one for the primary. */
export function scalersAtArrival({ spec }: Canary, world: LivingApplication): Loss[] {
  const { kind, name } = spec.targetRef;
  const isOf = (object: KubeObject, workload: string): boolean => {
    const scaled = scaledBy(object);
    return scaled?.kind === kind && scaled.name === workload && object.metadata.namespace === world.namespace;
  };
  return world.objects.flatMap((object): Loss[] => {
    const made = object.kind === 'HorizontalPodAutoscaler' ? scaledObjectOf(object) : undefined;
    const scaler = made === undefined ? refOf(object) : { kind: 'ScaledObject', name: made };
    if (!isOf(object, name) || (spec.autoscalerRef?.name === scaler.name && spec.autoscalerRef.kind === scaler.kind)) return [];
    if (world.objects.some((other) => other.kind === object.kind && isOf(other, world.primary.owner.name))) return [];
    const isVpa = object.kind === 'VerticalPodAutoscaler';
    const loss = {
      ...({ code: 'WouldBeLost', kind: 'scaling', isRefused: false, object: refOf(object) } as const),
      detail: `is for ${kind} ${name}, and ${listed([world.primary])} will serve`,
    };
    if (!isVpa)
      return [{ ...loss, field: 'spec.scaleTargetRef', remedy: `name ${scaler.kind} ${scaler.name} in spec.autoscalerRef of the Canary` }];
    const manifest = renamed({
      ...object,
      spec: { ...specOf(object), targetRef: { ...scaledBy(object), name: world.primary.owner.name } },
    });
    const remedy = `apply the one for the primary that serin preflight prints, ${manifest.metadata.name}`;
    return [{ ...loss, field: 'spec.targetRef', remedy, manifest }];
  });
}

/** The workload that a VerticalPodAutoscaler or HorizontalPodAutoscaler scales. */
function scaledBy(object: KubeObject): { kind?: string; name?: string } | undefined {
  const group = groupOf(object.apiVersion);
  const { scaleTargetRef, targetRef } = specOf<Record<'scaleTargetRef' | 'targetRef', { kind?: string; name?: string }>>(object);
  if (object.kind === 'VerticalPodAutoscaler' && group === 'autoscaling.k8s.io') return targetRef;
  return object.kind === 'HorizontalPodAutoscaler' && group === 'autoscaling' ? scaleTargetRef : undefined;
}
