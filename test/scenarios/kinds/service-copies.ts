import { expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { Lab } from '../adversity/lab.ts';
import type { Environment } from '../environment.ts';
import { startHookServer } from '../hook-server.ts';
import { APP } from '../scenario.ts';
import { serviceApplication } from './core-service.ts';

/** The copies that serve as the sides of a core Service. */
export function describeServiceCopies(environmentOf: () => Environment): void {
  it('the canary Service follows its target only as a release begins; what the server owns, and others wrote, outlives a promotion', async () => {
    const namespace = 'ledger';
    const lab = await Lab.open(environmentOf(), { namespace, scaleDownDelay: '500ms', interval: '500ms' });
    const hooks = await startHookServer();
    const { cluster } = lab;
    const ref = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Service', name, namespace });
    const versionOf = async (name: string): Promise<string> => raw(await cluster.get(ref(name)))?.spec.selector.version;
    const canary: ObjectRef = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace };
    const becomesIdle = (phase: string) =>
      lab.until(canary, `is idle as ${phase}`, (now) => raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting');
    try {
      hooks.answers('start', 403);
      lab.startController();
      const app = serviceApplication(cluster, namespace);
      await app.create();
      const webhooks = [{ name: 'start', type: 'confirm-rollout', url: hooks.url('start') }];
      const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50, webhooks };
      await cluster.create({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'Canary',
        metadata: { name: APP, namespace },
        spec: { service: { port: 80, trafficDistribution: 'PreferClose' }, analysis, ...app.spec },
      });
      await becomesIdle('Initialized');
      const before = await cluster.get(ref(`${APP}-primary`));
      const target = await cluster.get(ref(APP));
      expect(addressesOf(before)).not.toEqual(addressesOf(target));
      await cluster.patch(ref(`${APP}-primary`), { metadata: { annotations: { foreign: 'note' }, labels: { foreign: 'label' } } });

      await app.push('2');
      await lab.until(canary, 'waits at the gate', (now) => raw(now)?.status?.phase === 'Waiting');
      expect(await versionOf(`${APP}-canary`)).toBe('1');
      hooks.answers('start', 200);
      await becomesIdle('Succeeded');
      expect(await versionOf(`${APP}-canary`)).toBe('2');
      const after = await cluster.get(ref(`${APP}-primary`));
      expect(raw(after)?.spec.selector).toEqual({ app: APP, version: '2' });
      expect(addressesOf(after)).toEqual(addressesOf(before));
      expect(raw(after)?.spec.trafficDistribution).toBe('PreferClose');
      expect(after?.metadata.ownerReferences).toEqual(before?.metadata.ownerReferences);
      expect(after?.metadata).toMatchObject({ annotations: { foreign: 'note' }, labels: { foreign: 'label' } });
      // The target itself is read and never written.
      expect((await cluster.get(ref(APP)))?.metadata.annotations ?? {}).toEqual(target?.metadata.annotations ?? {});
    } finally {
      await hooks.stop();
      await lab.close();
    }
  });
}

/** Addresses that the API server gave it. */
function addressesOf(service: KubeObject | undefined): unknown[] {
  const { clusterIP, clusterIPs, ports = [] } = raw(service)?.spec ?? {};
  return [clusterIP, clusterIPs, ...ports.map(({ nodePort }: { nodePort?: number }) => nodePort)];
}
