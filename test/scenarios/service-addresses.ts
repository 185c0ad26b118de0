import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { describePortNames } from './port-names.ts';
import { describeServiceTraffic } from './service-traffic.ts';
import { afterAll, beforeAll } from './world.ts';

const ADDRESS = expect.stringMatching(/^10\.96\.\d+\.\d+$/);
const NODE_PORT = expect.toSatisfy((port: number) => port >= 30_000 && port <= 32_767);
const port = { port: 80, protocol: 'TCP', targetPort: 80 };
const addressed = { clusterIP: ADDRESS, clusterIPs: [ADDRESS], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
const headless = { clusterIP: 'None', clusterIPs: ['None'], type: 'ClusterIP' };
const withNodePort = { ...addressed, externalTrafficPolicy: 'Cluster', ports: [{ ...port, nodePort: NODE_PORT }] };

/** Specs with the fields that the server adds. */
const completed: [name: string, given: object, served: object][] = [
  ['plain', {}, { ...addressed, type: 'ClusterIP', ports: [port], internalTrafficPolicy: 'Cluster' }],
  ['headless', { clusterIP: 'None' }, { ...headless, ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
  [
    'headless-open',
    { clusterIP: 'None', selector: null, ports: null },
    { ...headless, ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
  ],
  ['headless-prefer', { clusterIP: 'None', ipFamilyPolicy: 'PreferDualStack' }, { ...headless, ipFamilies: ['IPv4'] }],
  ['open', { type: 'NodePort' }, withNodePort],
  ['balanced', { type: 'LoadBalancer' }, { ...withNodePort, allocateLoadBalancerNodePorts: true }],
  ['prefer', { ipFamilyPolicy: 'PreferDualStack' }, { ...addressed, ipFamilyPolicy: 'PreferDualStack' }],
  ['chosen', { clusterIP: '10.96.9.9' }, { clusterIP: '10.96.9.9', clusterIPs: ['10.96.9.9'] }],
];

const refused: [name: string, given: object, field: string, why: string][] = [
  ['require', { ipFamilyPolicy: 'RequireDualStack' }, 'spec.ipFamilyPolicy', 'not configured for dual-stack'],
  ['six', { ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]', 'not configured on this cluster'],
  ['both', { ipFamilies: ['IPv4', 'IPv6'] }, 'spec.ipFamilyPolicy', 'when multiple IP families'],
  ['many', { clusterIPs: ['10.96.9.8'] }, 'spec.clusterIPs', 'must be empty when'],
  ['differ', { clusterIP: '10.96.9.8', clusterIPs: ['10.96.9.7'] }, 'spec.clusterIPs', 'first value must match'],
  ['outside', { clusterIP: '192.168.1.1' }, 'spec.clusterIPs', 'does not match the current range'],
  ['word', { clusterIP: 'x' }, 'spec.clusterIPs[0]', 'must be a valid IP address'],
  ['six-ip', { clusterIP: 'fd00::1' }, 'spec.clusterIPs[0]', 'IPv6 is not configured'],
  ['headless-open-port', { type: 'NodePort', clusterIP: 'None' }, 'spec.clusterIPs[0]', "may not be set to 'None'"],
  ['low', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }, 'spec.ports[0].nodePort', 'valid ports is 30000-32767'],
  ['unused', { ports: [{ port: 80, nodePort: 30_001 }] }, 'spec.ports[0].nodePort', 'may not be used'],
];

/** The same on the embedded API server and on kube-apiserver with one IPv4 range. */
export function serviceAddressSuite(where: string, start: () => Promise<{ cluster: KubeCluster; stop(): Promise<void> }>): void {
  describe(`addresses of Services on ${where}`, () => {
    let environment: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      environment = await start();
    });
    afterAll(() => environment?.stop());

    const ref = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Service', name, namespace: 'default' });
    const create = (name: string, given: object): Promise<KubeObject> =>
      environment.cluster.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'default' },
        spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...given },
      });

    it.each(completed)('%s is completed', async (name, given, served) => expect((await create(name, given)).spec).toMatchObject(served));
    it.each(refused)('%s is refused at its field', async (name, given, field, why) => {
      const refusal = create(name, given);
      await expect(refusal).rejects.toThrow(field);
      await expect(refusal).rejects.toThrow(why);
    });

    describeServiceTraffic(() => environment.cluster);
    describePortNames(() => environment.cluster);

    it('a change of type keeps the address, and takes up or leaves the node port', async () => {
      const before = await create('moving', {});
      const opened = await environment.cluster.patch(ref('moving'), { spec: { type: 'NodePort' } });
      expect(opened.spec).toMatchObject({ ...withNodePort, clusterIP: raw(before).spec.clusterIP });
      const again = await environment.cluster.patch(ref('moving'), { spec: { ports: [{ port: 80 }] } });
      expect(raw(again).spec.ports[0].nodePort).toBe(raw(opened).spec.ports[0].nodePort);
      const closed = await environment.cluster.patch(ref('moving'), { spec: { type: 'ClusterIP' } });
      expect(closed.spec).toMatchObject({ clusterIP: raw(before).spec.clusterIP, ports: [port] });
      expect(raw(closed).spec.ports[0]).not.toHaveProperty('nodePort');
      expect(closed.spec).not.toHaveProperty('externalTrafficPolicy');
      const away = await environment.cluster.patch(ref('moving'), { spec: { type: 'ExternalName', externalName: 'a.test' } });
      for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'])
        expect(away.spec).not.toHaveProperty(field);
    });
    it('an address does not change once it is set, nor does its absence', async () => {
      const refusal = 'may not change once set';
      await create('fixed', {});
      await expect(environment.cluster.patch(ref('fixed'), { spec: { clusterIP: 'None' } })).rejects.toThrow(refusal);
      await create('fixed-headless', { clusterIP: 'None' });
      await expect(environment.cluster.patch(ref('fixed-headless'), { spec: { clusterIP: '10.96.5.5' } })).rejects.toThrow(refusal);
    });
  });
}
