import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Facts } from '../../engine/facts.ts';
import { isScaler, type Scaler, scalerFor, type scalers } from '../../workloads/scalers/index.ts';
import { type CanaryError, NameTakenError, ScalerNotFoundError, ScalerUnavailableError } from '../errors.ts';
import { isOurs } from '../objects/ownership.ts';
import type { ClusterView } from '../watch/cluster-view.ts';

type Kind = keyof typeof scalers;

/** The scalers of one Canary as the watches know them. */
export interface Scaling {
  scaler: Scaler;
  /** `kind/name`, as the status remembers it. */
  name: string;
  ref: ObjectRef;
  primaryRef: ObjectRef;
  /** The user's own, `undefined` if it does not exist. */
  own?: KubeObject;
  primary?: KubeObject;
}

/** The scaler of `spec.autoscalerRef` and the primary's, `undefined` if none is named. */
export function scalingOf(canary: Canary, view: Pick<ClusterView, 'find'>): Scaling | undefined {
  const { autoscalerRef, targetRef } = canary.spec;
  // Other kinds have as many pods as nodes, or scale themselves (`serin validate` says so).
  if (targetRef.kind !== 'Deployment') return undefined;
  return autoscalerRef && found(canary, view, autoscalerRef.kind, autoscalerRef.name);
}

/** The scaler that the status remembers, when the spec names another one or none now. */
export function formerScalingOf(canary: Canary, view: Pick<ClusterView, 'find'>): Scaling | undefined {
  const former = canary.status?.release?.scaler;
  const { autoscalerRef } = canary.spec;
  if (former === undefined || former === (autoscalerRef && `${autoscalerRef.kind}/${autoscalerRef.name}`)) return undefined;
  const [kind = '', name = ''] = former.split('/');
  return isScaler(kind) ? found(canary, view, kind as Kind, name) : undefined;
}

/** Scalers to watch: the user's and the primary's, also scalers that are to be replaced. */
export function scalerRefs(canary: Canary): ObjectRef[] {
  const nothing = { find: () => undefined };
  return [scalingOf(canary, nothing), formerScalingOf(canary, nothing)].flatMap((one) => (one ? [one.ref, one.primaryRef] : []));
}

export function scalerFacts(canary: Canary, view: Pick<ClusterView, 'find'>): Facts['scaler'] {
  const scaling = scalingOf(canary, view);
  if (!scaling?.own) return undefined;
  const { scaler, own, primary, name } = scaling;
  return {
    name,
    target: scaler.limits(own),
    primary: scaler.limits(primary ?? scaler.renderPrimary(canary, own).object),
  };
}

/** Reasons why the primary could scale otherwise than it looks, for a condition. */
export function scalerWarnings(canary: Canary, view: Pick<ClusterView, 'find'>): readonly string[] {
  const scaling = scalingOf(canary, view);
  return scaling?.own ? scaling.scaler.renderPrimary(canary, scaling.own).warnings : [];
}

/** The reason why the primary cannot have a scaler like the target's. */
export function scalerProblem(
  canary: Canary,
  { ref, primaryRef, own, primary }: Scaling,
  view: Pick<ClusterView, 'unavailable'>,
): CanaryError | undefined {
  const unavailable = view.unavailable(ref);
  if (unavailable !== undefined) return new ScalerUnavailableError({ ...unavailable, object: ref });
  if (primary && !isOurs(canary, primary)) return new NameTakenError(primaryRef);
  return own ? undefined : new ScalerNotFoundError(ref);
}

function found(canary: Canary, view: Pick<ClusterView, 'find'>, kind: Kind, name: string): Scaling {
  const scaler = scalerFor({ kind });
  const { namespace } = canary.metadata;
  const ref = { apiVersion: scaler.apiVersion, kind, name, namespace };
  const spec = { ...canary.spec, autoscalerRef: { apiVersion: scaler.apiVersion, kind, name } };
  const primaryRef = { ...ref, name: names({ ...canary, spec }).primaryScaler ?? '' };
  const [own, primary] = [view.find(ref)?.object, view.find(primaryRef)?.object];
  return { scaler, name: `${kind}/${name}`, ref, primaryRef, ...(own && { own }), ...(primary && { primary }) };
}
