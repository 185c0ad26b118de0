import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Apex } from '../router.ts';
import { RoutingError } from '../routing-error.ts';

const apiVersion = 'gloo.solo.io/v1';
/** Settings that `spec.upstreamRef` gives to both Upstreams. Flagger has `httpProxyHostName`, which the schema drops. */
const copied = [
  ...['sslConfig', 'circuitBreakers', 'connectionConfig', 'loadBalancerConfig', 'useHttp2'],
  ...['initialStreamWindowSize', 'initialConnectionWindowSize', 'httpProxyHostname'],
] as const;

export type UpstreamSide = 'primary' | 'canary';

/** Flagger's names. */
export function upstreamRef(canary: Canary, side: UpstreamSide): ObjectRef {
  const { namespace } = canary.metadata;
  const name = `${namespace}-${names(canary).apexService}-${side}upstream-${canary.spec.service.port}`;
  return { apiVersion, kind: 'Upstream', name, namespace };
}

/** The Upstream of the user whose settings are copied. */
export function configRef(canary: Canary): ObjectRef | undefined {
  const { upstreamRef } = canary.spec;
  return (
    upstreamRef && { apiVersion, kind: 'Upstream', name: upstreamRef.name, namespace: upstreamRef.namespace || canary.metadata.namespace }
  );
}

/** The Upstream of one side, with the settings of `spec.upstreamRef`. Throws a RoutingError while that Upstream is not found. */
export function renderUpstream(canary: Canary, apex: Apex, side: UpstreamSide, current: readonly KubeObject[]): KubeObject {
  const { primaryService, canaryService } = names(canary);
  const { namespace } = canary.metadata;
  const ref = upstreamRef(canary, side);
  const { key, target, primary } = apex.selector;
  const { whole = { [key]: target }, wholePrimary = { [key]: primary } } = apex.selector;
  return {
    apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, namespace },
    spec: {
      ...settings(canary, ref, current),
      kube: {
        serviceName: side === 'primary' ? primaryService : canaryService,
        serviceNamespace: namespace,
        servicePort: canary.spec.service.port,
        // Gloo leaves out pods without these labels; a Service as the target may select any pods.
        ...(canary.spec.targetRef.kind === 'Service' ? {} : { selector: side === 'primary' ? wholePrimary : whole }),
      },
    },
  };
}

/** A source that is gone in the middle of a release leaves what was copied: traffic must not be refused for it. */
function settings(canary: Canary, ref: ObjectRef, current: readonly KubeObject[]): Record<string, unknown> {
  const config = configRef(canary);
  if (!config) return {};
  const source = findObject(current, config) ?? findObject(current, ref);
  if (!source)
    throw new RoutingError(
      `spec.upstreamRef: Upstream ${config.name} not found in ${config.namespace}: create it, or remove the reference`,
      'upstreamRef',
    );
  const spec = specOf<Record<string, unknown>>(source);
  return Object.fromEntries(copied.flatMap((field) => (spec[field] === undefined ? [] : [[field, structuredClone(spec[field])]])));
}
