import type { Canary, CanarySpec } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { JsonRecord } from '../../base/json.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { readCanary } from '../watch/read-canary.ts';
import type { Admitted, CanaryRejection } from './admission.ts';

interface EditedTargetDeps {
  view: Pick<ClusterView, 'find' | 'ready'>;
  anchors: Pick<ControllerDeps['anchors'], 'originalSpec'>;
  /** Reads the specs that the Canary was run by, the newest first. */
  accepted(): Promise<readonly JsonRecord[]>;
}

/**
 * A target edited while the primary of the one before serves (E112): no primary of the new target has been promoted, and the apex would
 * lead away from the only pods that serve.
 */
export function editedTarget(
  { canary, workload }: Pick<Admitted, 'canary' | 'workload'>,
  before: CanarySpec,
  view: Pick<ClusterView, 'find'>,
): CanaryRejection | undefined {
  if (!hasPromoted(canary) || view.find(workload.primaryRef(canary))) return undefined;
  const former = workloadFor(before.targetRef);
  if ('unsupported' in former) return undefined;
  const primary = former.primaryRef({ ...canary, spec: before });
  if (!view.find(primary)) return undefined;
  const { kind, name } = before.targetRef;
  const { targetRef } = canary.spec;
  const message = `spec.targetRef: ${primary.name} serves for ${kind} ${name}, and the target of a Canary cannot be replaced while it does: set spec.targetRef back to ${kind} ${name}, or delete this Canary and create one for ${targetRef.kind} ${targetRef.name}`;
  return { reason: 'InvalidSpec', message, field: 'spec.targetRef' };
}

/** The same for the last accepted spec, or for the anchored spec. These are read only if the primary of this spec does not exist. */
export async function editedSincePromoted(
  admitted: Admitted,
  raw: KubeObject,
  deps: EditedTargetDeps,
  signal: AbortSignal,
): Promise<CanaryRejection | undefined> {
  const { canary, workload } = admitted;
  if (!hasPromoted(canary)) return undefined;
  const { view } = deps;
  await view.ready(workload.primaryRef(canary));
  if (view.find(workload.primaryRef(canary))) return undefined;
  const [last] = await deps.accepted();
  const lastRun = last && readCanary({ ...raw, spec: last })?.spec;
  const edited = lastRun && editedTarget(admitted, lastRun, view);
  if (edited) return edited;
  const original = await deps.anchors.originalSpec(raw, signal);
  if (original === undefined) return undefined;
  const former = workloadFor(original.targetRef);
  if (!('unsupported' in former)) await view.ready(former.primaryRef({ ...canary, spec: original }));
  const refusal = editedTarget(admitted, original, view);
  return refusal && { ...refusal, before: { ...specBefore(canary, original, view) } };
}

/** This spec with the target that was anchored, and with its Service where this one names a Service that was never made. */
function specBefore(canary: Canary, { targetRef, autoscalerRef, service }: CanarySpec, view: Pick<ClusterView, 'find'>): CanarySpec {
  const { autoscalerRef: _, ...rest } = canary.spec;
  const spec = { ...rest, targetRef, ...(autoscalerRef && { autoscalerRef }) };
  const { namespace } = canary.metadata;
  const name = names({ ...canary, spec }).primaryService;
  const isMade = view.find({ apiVersion: 'v1', kind: 'Service', name, namespace }) !== undefined;
  return isMade ? spec : { ...spec, service: { ...spec.service, name: service.name } };
}

function hasPromoted({ status }: Canary): boolean {
  return status?.release !== undefined && status.phase !== '' && status.phase !== 'Initializing';
}
