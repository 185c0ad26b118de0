import type { Canary, Provider } from '../api/canary.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject } from '../api/kube-object.ts';
import type { FieldProblem } from '../api/selector-label.ts';
import { definitionOf, type RouterOptions, routesPastApex } from '../routers/index.ts';
import { type CompanionName, companionSides, companionsFor, isCompanion } from '../workloads/companions/index.ts';
import { workloadFor } from '../workloads/index.ts';
import { primaryPodLabels } from '../workloads/pods/render-primary.ts';
import { type ArrivalOptions, arrival } from './arrival.ts';
import { isAbout, readKinds } from './kinds.ts';
import type { ArrivalPlan } from './plan.ts';
import { isReadable } from './readable.ts';
import { type UnreadKind, worldOf } from './world.ts';

/** Objects that were read for the application. */
export interface ReadApplication {
  target: KubeObject;
  /** Absent if it is not created yet. */
  primary?: KubeObject | undefined;
  /** Also contains Namespaces whose labels are known. */
  objects: readonly KubeObject[];
  unread?: readonly UnreadKind[];
}

/** Settings of the controller that the plan depends on. */
export interface ArrivalSettings extends Pick<ArrivalOptions, 'mode' | 'isServing'> {
  selectorLabels: readonly string[];
  /** Kinds of which companions are made for the primary. */
  companions: readonly CompanionName[];
  /** If undefined, it is not known, and requests are assumed not to bypass the apex Service. */
  provider: Provider | undefined;
  /** Options of its router; the defaults if absent. */
  routing?: RouterOptions;
}

/** The plan for a Canary over a workload with pods; a problem if no label distinguishes the sides; undefined for a kind without pods of its own. */
export function planFor(canary: Canary, read: ReadApplication, settings: ArrivalSettings): ArrivalPlan | FieldProblem | undefined {
  const { target, primary, unread = [] } = read;
  const { provider, mode, isServing, routing } = settings;
  if (!isReadable(target)) return undefined;
  const objects = read.objects.filter(isReadable);
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !workload.hasPods) return undefined;
  const selector = workload.selectors({ target, primary }, settings.selectorLabels);
  if ('problem' in selector) return selector;
  const refs = { target: workload.targetRef(canary), primary: workload.primaryRef(canary) };
  const namespaces = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace');
  const home = namespaces.find(({ metadata }) => metadata.name === canary.metadata.namespace);
  const sides = companionSides(refs, { target, primary, whole: target }, selector, home && (home.metadata.labels ?? {}));
  const companions = sides ? companionsFor(canary, sides, objects, settings.companions).companions : [];
  // An existing primary gets these labels once it has the target's spec.
  const willBe: KubeObject = {
    ...{ apiVersion: target.apiVersion, kind: target.kind, metadata: { name: refs.primary.name, namespace: canary.metadata.namespace } },
    spec: {
      replicas: specOf<{ replicas: unknown }>(primary ?? target).replicas,
      template: { metadata: { labels: primaryPodLabels(target, selector) } },
    },
  };
  // Companions of other primaries are left out: Serin makes one of each source for this primary also.
  const written = objects.filter((object) => !isCompanion(object));
  return arrival(
    canary,
    worldOf({ target, primary: willBe }, written, { unread: unread.filter((one) => isOfProvider(provider, one)), namespaces }),
    {
      ...{ companions, mode, isServing },
      routesPastApex: provider !== undefined && routesPastApex(provider).length > 0,
      router: provider && definitionOf(provider).router(routing ?? {}),
    },
  );
}

/** Kinds of another provider do not concern this Canary. */
function isOfProvider(provider: Provider | undefined, { apiVersion, kind }: UnreadKind): boolean {
  const found = readKinds.find((one) => one.kind === kind && one.group === groupOf(apiVersion));
  return found?.providers === undefined || (provider !== undefined && isAbout(found, provider));
}
