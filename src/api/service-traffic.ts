import * as z from 'zod';

/** DNS name, `/`, name: what an implementation of its own calls its heuristic (07 S2). */
const OWN_HEURISTIC = '[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?';

/** Fields of a Service that steer its traffic beside selector and ports (07 S1, S2, S4); absent is absent. */
export const serviceTraffic = {
  trafficDistribution: z
    .string()
    .regex(
      new RegExp(`^(PreferClose|PreferSameZone|PreferSameNode|${OWN_HEURISTIC})$`),
      'must be PreferClose, PreferSameZone, PreferSameNode, or DOMAIN/NAME of an implementation',
    )
    .optional()
    .describe('Preference of the generated Services for near endpoints; DOMAIN/NAME where the cluster knows more.'),
  sessionAffinity: z
    .enum(['None', 'ClientIP'])
    .optional()
    .describe('Whether the generated Services keep a client at one pod, by its address.'),
  sessionAffinityConfig: z
    .object({
      clientIP: z
        .object({ timeoutSeconds: z.int().min(1).max(86_400).optional().describe('Seconds since the last request; 10800 when absent.') })
        .optional()
        .describe('For sessionAffinity ClientIP.'),
    })
    .optional()
    .describe('How long a client is kept.'),
  internalTrafficPolicy: z
    .enum(['Cluster', 'Local'])
    .optional()
    .describe('Whether clients inside reach all pods, or only those of their own node: without one there, their requests are dropped.'),
  externalTrafficPolicy: z
    .enum(['Cluster', 'Local'])
    .optional()
    .describe('The same for clients outside; for Services of type NodePort or LoadBalancer, and left out of others.'),
};

const Traffic = z.object(serviceTraffic);
export type ServiceTraffic = z.infer<typeof Traffic>;
export const serviceTrafficFields = Traffic.keyof().options;

/**
 * What of it a Service of this type takes. An API server refuses `externalTrafficPolicy` of one that nobody outside reaches, and drops the
 * time of an affinity that there is not.
 */
export function trafficFieldsFor(wanted: ServiceTraffic, type: string): ServiceTraffic {
  const isReachable = type === 'NodePort' || type === 'LoadBalancer';
  const isTaken = (field: keyof ServiceTraffic): boolean => {
    if (field === 'externalTrafficPolicy') return isReachable;
    return field !== 'sessionAffinityConfig' || wanted.sessionAffinity === 'ClientIP';
  };
  return Object.fromEntries(
    serviceTrafficFields.flatMap((field) => (wanted[field] !== undefined && isTaken(field) ? [[field, wanted[field]]] : [])),
  );
}
