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

const stored: [rows: string, name: string, given: object, served: Steering][] = [
  ['07-S1, S4', 'silent', {}, inside],
  ['07-S1', 'close', { trafficDistribution: 'PreferClose' }, { ...inside, trafficDistribution: 'PreferClose' }],
  ['07-S1', 'same-zone', { trafficDistribution: 'PreferSameZone' }, { ...inside, trafficDistribution: 'PreferSameZone' }],
  ['07-S1', 'same-node', { trafficDistribution: 'PreferSameNode' }, { ...inside, trafficDistribution: 'PreferSameNode' }],
  ['07-S1', 'near-headless', { ...headless, trafficDistribution: 'PreferClose' }, { ...inside, trafficDistribution: 'PreferClose' }],
  ['07-S1', 'near-open', { type: 'NodePort', trafficDistribution: 'PreferClose' }, { ...outside, trafficDistribution: 'PreferClose' }],
  [
    '07-S1',
    'near-elsewhere',
    { ...elsewhere, trafficDistribution: 'PreferClose' },
    { sessionAffinity: 'None', trafficDistribution: 'PreferClose' },
  ],
  ['07-S1', 'null-wish', { trafficDistribution: null }, inside],
  ['07-S4', 'free', { sessionAffinity: 'None' }, inside],
  ['07-S4', 'free-empty', { sessionAffinity: '' }, inside],
  ['07-S4', 'sticky', { sessionAffinity: 'ClientIP' }, { ...inside, ...sticky(10_800) }],
  ['07-S4', 'sticky-empty', { sessionAffinity: 'ClientIP', sessionAffinityConfig: {} }, { ...inside, ...sticky(10_800) }],
  ['07-S4', 'sticky-bare', { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } }, { ...inside, ...sticky(10_800) }],
  ['07-S4', 'sticky-shortest', sticky(1), { ...inside, ...sticky(1) }],
  ['07-S4', 'sticky-longest', sticky(86_400), { ...inside, ...sticky(86_400) }],
  ['07-S4', 'sticky-headless', { ...headless, ...sticky(60) }, { ...inside, ...sticky(60) }],
  ['07-S4', 'sticky-open', { type: 'NodePort', ...sticky(60) }, { ...outside, ...sticky(60) }],
  // The time of an affinity that there is not is dropped.
  ['07-S4', 'timed', { sessionAffinityConfig: keptFor(60) }, inside],
  ['07-S4', 'timed-free', { sessionAffinity: 'None', sessionAffinityConfig: keptFor(60) }, inside],
  ['07-S4', 'inside-any', { internalTrafficPolicy: 'Cluster' }, inside],
  ['07-S4', 'inside-local', { internalTrafficPolicy: 'Local' }, { ...inside, internalTrafficPolicy: 'Local' }],
  ['07-S4', 'inside-headless', { ...headless, internalTrafficPolicy: 'Local' }, { ...inside, internalTrafficPolicy: 'Local' }],
  ['07-S4', 'inside-open', { type: 'LoadBalancer', internalTrafficPolicy: 'Local' }, { ...outside, internalTrafficPolicy: 'Local' }],
  ['07-S4', 'elsewhere', elsewhere, { sessionAffinity: 'None' }],
  ['07-S4', 'open', { type: 'NodePort' }, outside],
  ['07-S4', 'balanced', { type: 'LoadBalancer' }, outside],
  ['07-S4', 'open-any', { type: 'NodePort', externalTrafficPolicy: 'Cluster' }, outside],
  ['07-S4', 'open-local', { type: 'NodePort', externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
  ['07-S4', 'balanced-local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
  ['07-S4', 'outer-address', { externalIPs: ['192.0.2.1'] }, outside],
  ['07-S4', 'outer-local', { externalIPs: ['192.0.2.2'], externalTrafficPolicy: 'Local' }, { ...outside, externalTrafficPolicy: 'Local' }],
];

const unsupported = 'Unsupported value';
const outOfRange = 'must be greater than 0 and less than 86400';
const refused: [rows: string, name: string, given: object, field: string, why: string][] = [
  ['07-S1', 'unknown', { trafficDistribution: 'PreferFar' }, 'spec.trafficDistribution', 'PreferSameZone'],
  ['07-S1', 'empty-wish', { trafficDistribution: '' }, 'spec.trafficDistribution', unsupported],
  ['07-S2', 'own', { trafficDistribution: 'example.org/nearest' }, 'spec.trafficDistribution', unsupported],
  ['07-S4', 'glued', { sessionAffinity: 'Cookie' }, 'spec.sessionAffinity', unsupported],
  ['07-S4', 'timeless', sticky(0), 'spec.sessionAffinityConfig.clientIP.timeoutSeconds', outOfRange],
  ['07-S4', 'backwards', sticky(-1), 'spec.sessionAffinityConfig.clientIP.timeoutSeconds', outOfRange],
  ['07-S4', 'endless', sticky(86_401), 'spec.sessionAffinityConfig.clientIP.timeoutSeconds', outOfRange],
  ['07-S4', 'inside-some', { internalTrafficPolicy: 'Any' }, 'spec.internalTrafficPolicy', unsupported],
  ['07-S4', 'inside-empty', { internalTrafficPolicy: '' }, 'spec.internalTrafficPolicy', unsupported],
  ['07-S4', 'outside-some', { type: 'NodePort', externalTrafficPolicy: 'Any' }, 'spec.externalTrafficPolicy', unsupported],
  ['07-S4', 'outside-closed', { externalTrafficPolicy: 'Local' }, 'spec.externalTrafficPolicy', 'externally-accessible'],
  ['07-S4', 'outside-closed-any', { externalTrafficPolicy: 'Cluster' }, 'spec.externalTrafficPolicy', 'externally-accessible'],
  ['07-S4', 'outside-elsewhere', { ...elsewhere, externalTrafficPolicy: 'Local' }, 'spec.externalTrafficPolicy', 'externally-accessible'],
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

    it.each(stored)('%s: %s is stored', async (_, name, given, served) => expect(steeringOf(await create(name, given))).toEqual(served));

    it.each(refused)('%s: %s is refused at its field', async (_, name, given, field, why) => {
      const refusal = create(name, given);
      await expect(refusal).rejects.toThrow(field);
      await expect(refusal).rejects.toThrow(why);
    });

    it('07-S1, S4: an edited Service holds the requested fields, and the fields that follow from them', async () => {
      await create('edited', {});
      const ref: ObjectRef = { apiVersion: 'v1', kind: 'Service', name: 'steered-edited', namespace };
      for (const [title, spec, served] of edits) expect(steeringOf(await clusterOf().patch(ref, { spec })), title).toEqual(served);
    });
  });
}

function steeringOf({ spec }: Raw): Steering {
  return Object.fromEntries(FIELDS.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]]])));
}
