import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { fieldManager, ownerAnnotation } from '../../src/api/names.ts';
import { endpointsIn } from '../../src/controller/facts/endpoints.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { entriesOf } from '../../src/kube/taken-over-fields.ts';
import { raw } from '../fakes/raw.ts';
import { aController } from './controller.ts';
import { followEndpoints } from './endpoint-history.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { aCanary, aDeployment, canaryRef, makeNamespace } from './troubles/objects.ts';
import { aReportWatch, type CanaryReport } from './troubles/report-watch.ts';
import { type FitCase, unfitServices } from './troubles/unfit-services.ts';
import { until } from './until.ts';

/** Each case waits for the previous one only if it must; the machine runs thirty applications. */
const LONGEST_MS = 300_000;

/** Services that exist before Serin: a change that would break them is refused, and a Service that is taken over keeps its endpoints and ports. */
export function describeServicesInPlace(environmentOf: () => Environment): void {
  describe('Services found in place', () => {
    aController(environmentOf);
    const reportsOf = aReportWatch(environmentOf);

    it(
      'I14: thirty Services whose ports do not fit are refused before the write, each with its field',
      async () => {
        const { cluster } = environmentOf();
        const namespace = 'unfit';
        const cases = unfitServices.filter(({ isPrimary }) => !isPrimary).map((one, index) => ({ one, name: `app-${index}` }));
        expect(cases.length).toBeGreaterThanOrEqual(30);
        await makeNamespace(cluster, namespace);
        for (const { one, name } of cases) for (const object of objectsOf(one, namespace, name)) await cluster.create(object);
        const served = cases.filter(({ one: { live } }) => live !== undefined && !('externalName' in live));
        for (const { name } of served) await until(cluster, ref('apps/v1', 'Deployment', namespace, name), 'is available', isAvailable);
        for (const { one, name } of served) if (leadsSomewhere(one)) await untilServed(cluster, namespace, name);
        const before = await versions(cluster, namespace);
        for (const { one, name } of cases) await cluster.create(canaryOf(one, namespace, name));
        const unsaid: string[] = [];
        for (const { one, name } of cases) {
          const isSaid = ({ conditions, events }: CanaryReport) =>
            conditions.some(({ status, message }) => status === 'False' && message.startsWith(`${one.path}: `)) &&
            events.some((event) => event.includes(one.path));
          await reportsOf()
            .until(namespace, name, one.path, isSaid)
            .catch((error: Error) => unsaid.push(`${one.title}: ${error.message}`));
        }
        expect(unsaid).toEqual([]);
        expect(await versions(cluster, namespace)).toEqual(before);
        const { items } = await cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
        expect(items).toHaveLength(cases.length);
      },
      LONGEST_MS,
    );

    it('I14: a port of the Canary’s name under another number does not stop initialization, and no port loses its endpoints', async () => {
      const { cluster } = environmentOf();
      const namespace = 'same-name';
      await makeNamespace(cluster, namespace);
      await cluster.create(aDeployment(namespace, 'web'));
      const ports = [
        { name: 'http', port: 8080, targetPort: 'http' },
        { name: 'other', port: 9090, targetPort: 9898 },
      ];
      await cluster.create(serviceOf(namespace, 'web', { selector: { app: 'web' }, ports }));
      await untilServed(cluster, namespace, 'web');
      const followed = await followEndpoints(cluster, namespace, { services: ['web'], routes: [] });
      await cluster.create(aCanary(namespace, 'web'));
      await reportsOf().until(namespace, 'web', 'its bootstrap', ({ phase }) => phase === 'Initialized');
      const service = await cluster.get(ref('v1', 'Service', namespace, 'web'));
      expect(raw(service)?.spec.selector).toEqual({ app: 'web-primary' });
      expect(raw(service)?.spec.ports.map(({ name, port, targetPort }: Record<string, unknown>) => [name, port, targetPort])).toEqual([
        ['http-80-tcp', 80, 'http'],
        // The port keeps its name, by which other objects can refer to it (I17).
        ['http', 8080, 'http'],
        ['other', 9090, 9898],
      ]);
      await untilServed(cluster, namespace, 'web');
      expect(followed.losses()).toEqual([]);
      followed.stop();
    });

    it('I14: a Service that has no endpoints once it leads to the primary is restored to its original state, and that is reported', async () => {
      const { cluster } = environmentOf();
      const namespace = 'put-back';
      await makeNamespace(cluster, namespace);
      await cluster.create(aDeployment(namespace, 'web'));
      // Has the labels of the application, and a port that no template declares: as if it were injected.
      const container = { name: 'web', image: 'web:1', ports: [{ name: 'proxy', containerPort: 9898 }] };
      await cluster.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'extra', namespace, labels: { app: 'web' } },
        spec: { containers: [container] },
      });
      const spec = { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'proxy', protocol: 'TCP' }] };
      await cluster.create(serviceOf(namespace, 'web', spec));
      await untilServed(cluster, namespace, 'web');
      await cluster.create(aCanary(namespace, 'web', {}, { service: { port: 80, targetPort: 'proxy' } }));
      await reportsOf().until(namespace, 'web', 'that it was put back', ({ conditions, events }) =>
        [conditions.map(({ message }) => message), events].every((said) => said.some((one) => /Service web .*put back/.test(one))),
      );
      const service = await cluster.get(ref('v1', 'Service', namespace, 'web'));
      expect(service?.spec).toMatchObject(spec);
      expect(service?.metadata.annotations ?? {}).toEqual({});
      await untilServed(cluster, namespace, 'web');
    });

    it('its user applies it without a conflict but in the selector, and after deletion Serin owns no field of what is the user’s', async () => {
      const { cluster } = environmentOf();
      const namespace = 'merged';
      const named = (name: string): ObjectRef => ref('v1', 'Service', namespace, name);
      const platform = (object: KubeObject, force = false) => cluster.apply(object, { fieldManager: 'platform', force });
      const http = { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' };
      const other = { name: 'other', port: 9090, targetPort: 'http', protocol: 'TCP' };
      const web = (spec: object) => serviceOf(namespace, 'web', { selector: { app: 'web' }, ...spec });
      const users = [aDeployment(namespace, 'web'), serviceOf(namespace, 'admin', { selector: { app: 'web' }, ports: [other] })];
      await makeNamespace(cluster, namespace);
      for (const object of [...users, web({ ports: [http, other] }), aScaler(namespace, 'web')]) await platform(object);
      await untilServed(cluster, namespace, 'web');
      const autoscalerRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'web' };
      await platform(aCanary(namespace, 'web', {}, { autoscalerRef }));
      await reportsOf().until(namespace, 'web', 'its bootstrap', ({ phase }) => phase === 'Initialized');
      await until(cluster, named('admin'), 'follows', (now) => raw(now)?.spec.selector.app === 'web-primary');
      await expect(platform(web({ ports: [http] }))).rejects.toThrow(/conflict.*"serin".*\.spec\.selector/s);
      const unsaid = serviceOf(namespace, 'web', { type: 'NodePort', ports: [http] });
      const { type, ports, selector } = raw(await platform(unsaid)).spec;
      expect([type, ports.map(({ port }: { port: number }) => port), selector]).toEqual(['NodePort', [80], { app: 'web-primary' }]);
      await cluster.delete(canaryRef(namespace, 'web'));
      await until(cluster, ref('apps/v1', 'Deployment', namespace, 'web-primary'), 'is gone', (now) => now === undefined);
      await until(cluster, named('web'), 'is its user’s', (now) => raw(now)?.spec.selector.app === 'web');
      const kinds = ['v1 Service', 'apps/v1 Deployment', 'autoscaling/v2 HorizontalPodAutoscaler'].map((kind) => kind.split(' '));
      const left = kinds.map(([apiVersion = '', kind = '']) => cluster.list({ apiVersion, kind, namespace }));
      const owned = (await Promise.all(left)).flatMap(({ items }) => items.filter(isOwned).map(({ metadata }) => metadata.name));
      expect(owned).toEqual([]);
    });
  });
}

/** Serin owns a field of it, but for status. */
const isOwned = (object: KubeObject): boolean =>
  entriesOf(object).some(({ manager, subresource }) => manager === fieldManager && subresource !== 'status');

const aScaler = (namespace: string, name: string): KubeObject => ({
  ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name, namespace } },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, minReplicas: 1, maxReplicas: 2 },
});

const ref = (apiVersion: string, kind: string, namespace: string, name: string): ObjectRef => ({ apiVersion, kind, name, namespace });

function serviceOf(namespace: string, name: string, spec: object, annotations: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, annotations }, spec };
}

/** The Service of each case, as an API server with its own addresses stores it. */
function objectsOf({ ports = [], sidecars = [], live, isOurs, endpoints }: FitCase, namespace: string, name: string): KubeObject[] {
  const deployment = aDeployment(namespace, name);
  const [container] = raw(deployment).spec.template.spec.containers;
  const initContainers = sidecars.map((one) => ({ image: 'init:1', ...one }));
  Object.assign(raw(deployment).spec.template.spec, {
    containers: [{ ...container, ports }],
    ...(sidecars.length > 0 && { initContainers }),
  });
  if (!live) return [deployment];
  const { clusterIP, selector, ...spec } = live as { clusterIP?: string; selector?: { app?: string } };
  const service = serviceOf(
    namespace,
    name,
    { ...spec, ...(clusterIP === 'None' && { clusterIP }), ...(selector?.app && { selector: { app: name } }) },
    isOurs ? { [ownerAnnotation]: 'c-1' } : {},
  );
  const isByHand = selector?.app === undefined && (endpoints?.ready ?? 0) > 0;
  return [deployment, service, ...(isByHand ? [aSlice(namespace, name)] : [])];
}

function aSlice(namespace: string, name: string): KubeObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-by-hand`, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 9898, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
  } as KubeObject;
}

const canaryOf = ({ canary = {} }: FitCase, namespace: string, name: string): KubeObject =>
  aCanary(namespace, name, {}, { service: { port: 80, ...canary } });

const isAvailable = (now: KubeObject | undefined): boolean => raw(now)?.status?.availableReplicas === 1;

/** The refusal of a number depends on endpoints that serve. */
function leadsSomewhere({ live, ports = [] }: FitCase): boolean {
  const [port] = ((live as { ports?: { targetPort?: unknown }[] }).ports ?? []) as { targetPort?: unknown }[];
  const target = port?.targetPort;
  return typeof target === 'number' || ports.some((one) => (one as { name?: string }).name === target);
}

async function untilServed(cluster: KubeCluster, namespace: string, service: string): Promise<void> {
  const kind = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace };
  const labelSelector = `kubernetes.io/service-name=${service}`;
  await eventually(
    `Service ${service} has ready endpoints`,
    async () => endpointsIn((await cluster.list(kind, { labelSelector })).items).ready,
    (ready) => ready > 0,
    () => '',
  );
}

async function versions(cluster: KubeCluster, namespace: string): Promise<Record<string, string | undefined>> {
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Service', namespace });
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}
