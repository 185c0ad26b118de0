import type { Canary } from '../../api/canary.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { names } from '../../api/names.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { hasHandmadeEndpoints, type ServiceFacts, type UnfitService, unfitService } from '../../routers/service-fit.ts';
import type { CurrentServices } from '../../routers/services.ts';
import { readEndpoints } from '../facts/endpoints.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import type { Admitted, CanaryRejection } from './admission.ts';

type ServiceFitDeps = { view: Pick<ClusterView, 'find' | 'ready'>; cluster: Pick<Cluster, 'list'> };

/** Checks before any write that the Services of a Canary would keep serving (I14). */
export class ServiceFit {
  readonly #deps: ServiceFitDeps;
  /** Looks that the endpoints have shown to be fit after all, as text: nothing is read twice for the same. */
  #proven: string | undefined;

  constructor(deps: ServiceFitDeps) {
    this.#deps = deps;
  }

  async refusalOf({ canary, workload }: Admitted, signal: AbortSignal): Promise<CanaryRejection | undefined> {
    if (!workload.hasPods || canary.spec.suspend === true || isRunning(canary)) return undefined;
    const { namespace } = canary.metadata;
    const kinds = [{ ...SERVICE_KIND, namespace }, ...workload.watches(canary)];
    await Promise.all(kinds.map((kind) => this.#deps.view.ready(kind)));
    const facts = serviceFacts({ canary, workload }, this.#deps.view);
    const suspected = unfitService(canary, facts);
    if (suspected === undefined && !hasHandmadeEndpoints(facts.current)) return undefined;
    const { apex, pods } = { ...facts.current, pods: facts.pods };
    const key = [canary.metadata, apex?.metadata, pods?.metadata].map(versionOf).join(' ');
    if (this.#proven === key) return undefined;
    const endpoints = apex && (await readEndpoints(this.#deps.cluster, apex, signal));
    const unfit = unfitService(canary, { ...facts, endpoints });
    if (unfit !== undefined) return refused(unfit);
    this.#proven = key;
    return undefined;
  }
}

/** Its Services are written by this spec already: another look could only stop a running release. */
export function isRunning({ metadata, status }: Canary): boolean {
  const { phase = '', conditions = [] } = status ?? {};
  const isBegun = phase !== '' && phase !== 'Initializing' && !conditions.some(({ type }) => type === 'Accepted');
  return isBegun && conditions.some(({ type, observedGeneration }) => type === 'Promoted' && observedGeneration === metadata.generation);
}

/** The same only by the watches, which can take a Service for unfit that the endpoints show to be fit. */
export function suspected(
  { canary, workload }: Pick<Admitted, 'canary' | 'workload'>,
  view: Pick<ClusterView, 'find'>,
): UnfitService | undefined {
  if (!workload.hasPods || canary.spec.suspend === true) return undefined;
  return unfitService(canary, serviceFacts({ canary, workload }, view));
}

function serviceFacts({ canary, workload }: Pick<Admitted, 'canary' | 'workload'>, view: Pick<ClusterView, 'find'>): ServiceFacts {
  const pods = view.find(workload.primaryRef(canary)) ?? view.find(workload.targetRef(canary));
  return { pods: pods?.object, current: servicesOf(canary, view) };
}

/** The existing Services of a Canary. */
export function servicesOf(canary: Canary, view: Pick<ClusterView, 'find'>): CurrentServices {
  const { namespace } = canary.metadata;
  const { apexService, primaryService, canaryService } = names(canary);
  const find = (name: string) => view.find({ ...SERVICE_KIND, name, namespace })?.object;
  const [apex, primary, canaryOwn] = [find(apexService), find(primaryService), find(canaryService)];
  return { ...(apex && { apex }), ...(primary && { primary }), ...(canaryOwn && { canary: canaryOwn }) };
}

function versionOf(metadata: Partial<Record<'uid' | 'generation' | 'resourceVersion', unknown>> | undefined): string {
  const { uid, generation, resourceVersion } = metadata ?? {};
  return `${uid}/${generation ?? resourceVersion}`;
}

function refused({ path, message }: UnfitService): CanaryRejection {
  return { reason: 'InvalidSpec', message: `${path}: ${message}`, field: path };
}
