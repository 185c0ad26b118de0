import * as z from 'zod';
import { ShortText } from './limits.ts';

/** DNS name, `/`, name: the form of a heuristic that an implementation defines itself. */
const OWN_HEURISTIC = '[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?';

/** Fields of a Service that steer its traffic, except selector and ports; an absent field stays absent. */
export const serviceTraffic = {
  trafficDistribution: ShortText.regex(
    new RegExp(`^(PreferClose|PreferSameZone|PreferSameNode|${OWN_HEURISTIC})$`),
    'it must be PreferClose, PreferSameZone, PreferSameNode, or DOMAIN/NAME of an implementation',
  )
    .optional()
    .describe('Preference of the generated Services for near endpoints; DOMAIN/NAME for values that the cluster defines itself.'),
  /** `sessionAffinity` of a Service. Flagger's manifests have an object of that name here, which its CRD drops. */
  clientAffinity: z
    .enum(['None', 'ClientIP'])
    .optional()
    .describe('`ClientIP` makes the generated Services keep a client at one pod, by its address.'),
  clientAffinityConfig: z
    .object({
      clientIP: z
        .object({ timeoutSeconds: z.int().min(1).max(86_400).optional().describe('Seconds since the last request; 10800 when absent.') })
        .optional()
        .describe('For clientAffinity ClientIP.'),
    })
    .optional()
    .describe('Time for which a client is kept.'),
  internalTrafficPolicy: z
    .enum(['Cluster', 'Local'])
    .optional()
    .describe(
      '`Cluster`: clients inside reach all pods. `Local`: only those of their own node, and without one there, their requests are dropped.',
    ),
  externalTrafficPolicy: z
    .enum(['Cluster', 'Local'])
    .optional()
    .describe('The same for clients outside; for Services of type NodePort or LoadBalancer, and left out of others.'),
};

const Traffic = z.object(serviceTraffic);
export type ServiceTraffic = z.infer<typeof Traffic>;
/** Names of the fields of spec.service that are copied unmodified into Services. */
export const serviceTrafficFields = Traffic.keyof().options;

/** Field names of a Service for each of them. */
export const serviceFieldNames = {
  trafficDistribution: 'trafficDistribution',
  clientAffinity: 'sessionAffinity',
  clientAffinityConfig: 'sessionAffinityConfig',
  internalTrafficPolicy: 'internalTrafficPolicy',
  externalTrafficPolicy: 'externalTrafficPolicy',
} as const satisfies Record<keyof ServiceTraffic, string>;

/** The same fields under their names in a Service. */
export function asServiceFields(wanted: ServiceTraffic): Record<string, unknown> {
  return Object.fromEntries(
    serviceTrafficFields.flatMap((field) => (wanted[field] === undefined ? [] : [[serviceFieldNames[field], wanted[field]]])),
  );
}

/**
 * The fields that a Service of this type accepts. The API server rejects `externalTrafficPolicy` of a Service that is not exposed, and drops the timeout of an
 * absent affinity.
 */
export function trafficFieldsFor(wanted: ServiceTraffic, type: string): Record<string, unknown> {
  const isReachable = type === 'NodePort' || type === 'LoadBalancer';
  const isTaken = (field: keyof ServiceTraffic): boolean => {
    if (field === 'externalTrafficPolicy') return isReachable;
    return field !== 'clientAffinityConfig' || wanted.clientAffinity === 'ClientIP';
  };
  return asServiceFields(Object.fromEntries(Object.entries(wanted).filter(([field]) => isTaken(field as keyof ServiceTraffic))));
}
