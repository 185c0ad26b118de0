import type { JsonObject } from './json.ts';
import { invalidValue, type StatusCause, unsupportedValue } from './status.ts';

const LONGEST_AFFINITY_SECONDS = 86_400;
const supported: Record<string, readonly string[]> = {
  sessionAffinity: ['ClientIP', 'None'],
  internalTrafficPolicy: ['Cluster', 'Local'],
  externalTrafficPolicy: ['Cluster', 'Local'],
  trafficDistribution: ['PreferClose', 'PreferSameNode', 'PreferSameZone'],
};

/** Validates the fields that steer a Service's traffic. Source: Kubernetes' validation of Services. */
export function trafficCauses(spec: JsonObject): StatusCause[] {
  return [...Object.keys(supported).flatMap((field) => valueCauses(spec, field)), ...affinityCauses(spec), ...externalCauses(spec)];
}

function valueCauses(spec: JsonObject, field: string): StatusCause[] {
  const value = spec[field];
  const allowed = supported[field] ?? [];
  if (value === undefined || allowed.includes(String(value))) return [];
  return [unsupportedValue(`spec.${field}`, value, allowed)];
}

function affinityCauses({ sessionAffinity, sessionAffinityConfig }: JsonObject): StatusCause[] {
  const field = 'spec.sessionAffinityConfig';
  // Without affinity it is dropped before.
  if (sessionAffinityConfig === undefined || sessionAffinity !== 'ClientIP') return [];
  const seconds: unknown = sessionAffinityConfig.clientIP?.timeoutSeconds;
  if (typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_AFFINITY_SECONDS) return [];
  const why = `must be greater than 0 and less than ${LONGEST_AFFINITY_SECONDS}`;
  return [invalidValue(`${field}.clientIP.timeoutSeconds`, seconds, why)];
}

/** Tests if clients outside reach a Service: by a port of each node, or by addresses that are routed to the cluster. */
export function isExternallyAccessible({ type, externalIPs }: JsonObject): boolean {
  const hasAddresses = type === 'ClusterIP' && Array.isArray(externalIPs) && externalIPs.length > 0;
  return type === 'NodePort' || type === 'LoadBalancer' || hasAddresses;
}

/** Causes for which a Service's `externalTrafficPolicy` is refused; empty if it is valid. */
export function externalCauses(spec: JsonObject): StatusCause[] {
  const { externalTrafficPolicy } = spec;
  if (externalTrafficPolicy === undefined || isExternallyAccessible(spec)) return [];
  return [invalidValue('spec.externalTrafficPolicy', externalTrafficPolicy, 'may only be set for externally-accessible services')];
}
