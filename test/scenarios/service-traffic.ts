import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import type { Raw } from '../fakes/raw.ts';

/** The fields that steer traffic; a field that a table does not name must be absent. */
const FIELDS = [
  'trafficDistribution',
  'sessionAffinity',
  'sessionAffinityConfig',
  'internalTrafficPolicy',
  'externalTrafficPolicy',
] as const;
type Steering = Partial<Record<(typeof FIELDS)[number], unknown>>;

const keptFor = (timeoutSeconds: number) => ({ clientIP: { timeoutSeconds } });
const sticky = (timeoutSeconds: number) => ({ sessionAffinity: 'ClientIP', sessionAffinityConfig: keptFor(timeoutSeconds) });
/** Defaults that the server adds to a Service. */
const inside = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' };
const outside = { ...inside, externalTrafficPolicy: 'Cluster' };
const headless = { clusterIP: 'None' };
const elsewhere = { type: 'ExternalName', externalName: 'a.test' };

const stored: [name: string, given: object, served: Steering][] = [
  ['silent', {}, inside],
  ['close', { trafficDistribution: 'PreferClose' }, { ...inside, trafficDistribution: 'PreferClose' }],
  ['same-zone', { trafficDistribution: 'PreferSameZone' }, { ...inside, trafficDistribution: 'PreferSameZone' }],
  ['same-node', { trafficDistribution: 'PreferSameNode' }, { ...inside, trafficDistribution: 'PreferSameNode' }],
  ['near-headless', { ...headless, trafficDistribution: 'PreferClose' }, { ...inside, trafficDistribution: 'PreferClose' }],
  ['near-open', { type: 'NodePort', trafficDistribution: 'PreferClose' }, { ...outside, trafficDistribution: 'PreferClose' }],
  ['near-elsewhere', { ...elsewhere, trafficDistribution: 'PreferClose' }, { sessionAffinity: 'None', trafficDistribution: 'PreferClose' }],
  ['null-wish', { trafficDistribution: null }, inside],
  ['free', { sessionAffinity: 'None' }, inside],
  ['free-empty', { sessionAffinity: '' }, inside],
  ['sticky', { sessionAffinity: 'ClientIP' }, { ...inside, ...sticky(10_800) }],
  ['sticky-empty', { sessionAffinity: 'ClientIP', sessionAffinityConfig: {} }, { ...inside, ...sticky(10_800) }],
  ['sticky-bare', { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } }, { ...inside, ...sticky(10_800) }],
  ['sticky-shortest', sticky(1), { ...inside, ...sticky(1) }],
  ['sticky-longest', sticky(86_400), { ...inside, ...sticky(86_400) }],
  ['sticky-headless', { ...headless, ...sticky(60) }, { ...inside, ...sticky(60) }],
  ['sticky-open', { type: 'NodePort', ...sticky(60) }, { ...outside, ...sticky(60) }],
  // The time of an affinity that there is not is dropped.
  ['timed', { sessionAffinityConfig: keptFor(60) }, inside],
  ['timed-free', { sessionAffinity: 'None', sessionAffinityConfig: keptFor(60) }, inside],
  ['inside-any', { internalTrafficPolicy: 'Cluster' }, inside],
  ['inside-local', { internalTrafficPolicy: 'Local' }, { ...inside, internalTrafficPolicy: 'Local' }],
  ['inside-headless', { ...headless, internalTrafficPolicy: 'Local' }, { ...inside, internalTrafficPolicy: 'Local' }],
  ['inside-open', { type: 'LoadBalancer', internalTrafficPolicy: 'Local' }, { ...outside, internalTrafficPolicy: 'Local' }],
  ['elsewhere', elsewhere, { sessionAffinity: 'None' }],
  ['open', { type: 'NodePort' }, outside],
  ['balanced', { type: 'LoadBalancer' }, outside],
  ['open-any', { type: 'NodePort', externalTrafficPolicy: 'Cluster' }, outside],
  ['open-local', { type: 'NodePort', externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
  ['balanced-local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
  ['outer-address', { externalIPs: ['192.0.2.1'] }, outside],
  ['outer-local', { externalIPs: ['192.0.2.2'], externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
];

const unsupported = 'Unsupported value';
const outOfRange = 'must be greater than 0 and less than 86400';
const refused: [name: string, given: object, field: string, why: string][] = [
  ['unknown', { trafficDistribution: 'PreferFar' }, 'spec.trafficDistribution', 'PreferSameZone'],
  ['empty-wish', { trafficDistribution: '' }, 'spec.trafficDistribution', unsupported],
  ['own', { trafficDistribution: 'example.org/nearest' }, 'spec.trafficDistribution', unsupported],
  ['glued', { sessionAffinity: 'Cookie' }, 'spec.sessionAffinity', unsupported],
  ['timeless', sticky(0), 'spec.sessionAffinityConfig.clientIP.timeoutSeconds', outOfRange],
  ['backwards', sticky(-1), 'spec.sessionAffinityConfig.clientIP.timeoutSeconds', outOfRange],
  ['endless', sticky(86_401), 'spec.sessionAffinityConfig.clientIP.timeoutSeconds', outOfRange],
  ['inside-some', { internalTrafficPolicy: 'Any' }, 'spec.internalTrafficPolicy', unsupported],
  ['inside-empty', { internalTrafficPolicy: '' }, 'spec.internalTrafficPolicy', unsupported],
  ['outside-some', { type: 'NodePort', externalTrafficPolicy: 'Any' }, 'spec.externalTrafficPolicy', unsupported],
  ['outside-closed', { externalTrafficPolicy: 'Local' }, 'spec.externalTrafficPolicy', 'externally-accessible'],
  ['outside-closed-any', { externalTrafficPolicy: 'Cluster' }, 'spec.externalTrafficPolicy', 'externally-accessible'],
  ['outside-elsewhere', { ...elsewhere, externalTrafficPolicy: 'Local' }, 'spec.externalTrafficPolicy', 'externally-accessible'],
];

/** One edit after another of one Service, and what the server holds after each. */
const edits: [title: string, spec: object, served: Steering][] = [
  ['affinity is set, with the time that it has where none is said', { sessionAffinity: 'ClientIP' }, { ...inside, ...sticky(10_800) }],
  ['its time is changed', { sessionAffinityConfig: keptFor(60) }, { ...inside, ...sticky(60) }],
  ['affinity is taken away, and its time with it', { sessionAffinity: 'None' }, inside],
  ['a wish is set', { trafficDistribution: 'PreferSameNode' }, { ...inside, trafficDistribution: 'PreferSameNode' }],
  ['the wish is taken away', { trafficDistribution: null }, inside],
  ['a policy is set', { internalTrafficPolicy: 'Local' }, { ...inside, internalTrafficPolicy: 'Local' }],
  ['a policy that is taken away is the usual one', { internalTrafficPolicy: null }, inside],
  ['it is opened', { type: 'NodePort', externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
  ['it is closed, and loses the policy for clients outside', { type: 'ClusterIP' }, inside],
];

/** Services with each field that steers traffic, as an API server stores them: values, what it adds, drops and refuses. */
export function describeServiceTraffic(clusterOf: () => KubeCluster): void {
  describe('fields that steer traffic', () => {
    const namespace = 'default';
    const create = (name: string, given: object): Promise<KubeObject> =>
      clusterOf().create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: `steered-${name}`, namespace },
        spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...given },
      });

    it.each(stored)('%s is stored', async (name, given, served) => expect(steeringOf(await create(name, given))).toEqual(served));

    it.each(refused)('%s is refused at its field', async (name, given, field, why) => {
      const refusal = create(name, given);
      await expect(refusal).rejects.toThrow(field);
      await expect(refusal).rejects.toThrow(why);
    });

    it('an edited Service holds the requested fields, and the fields that follow from them', async () => {
      await create('edited', {});
      const ref: ObjectRef = { apiVersion: 'v1', kind: 'Service', name: 'steered-edited', namespace };
      for (const [title, spec, served] of edits) expect(steeringOf(await clusterOf().patch(ref, { spec })), title).toEqual(served);
    });
  });
}

function steeringOf({ spec }: Raw): Steering {
  return Object.fromEntries(FIELDS.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]]])));
}
