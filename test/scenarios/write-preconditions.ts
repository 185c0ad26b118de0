import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { isConflict } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { deleteFound, over } from '../../src/kube/what-was-found.ts';
import { applyCrds, OWN_CRDS } from './environment.ts';
import { afterAll, beforeAll } from './world.ts';

const metadata = { name: 'precondition', namespace: 'default' };
/** One of each storage that the API server has its own code for, and a custom one. */
const objects: KubeObject[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'first' } },
  { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: 'a' }, ports: [{ port: 80 }] } },
  {
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' } },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata,
    spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
  },
  { apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata, spec: { type: 'slack', channel: 'a', address: 'http://a' } },
];

/** The same on the embedded API server and on kube-apiserver. */
export function writePreconditionSuite(where: string, start: () => Promise<{ cluster: KubeCluster; stop(): Promise<void> }>): void {
  describe(`I9: a write over what was found, on ${where}`, () => {
    let cluster: KubeCluster;
    let environment: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      environment = await start();
      ({ cluster } = environment);
      await applyCrds(cluster, [OWN_CRDS]);
    });
    afterAll(() => environment?.stop());

    const labeled = (object: KubeObject, label: string): KubeObject => ({ ...object, metadata: { ...metadata, labels: { label } } });
    const isRefused = (found: KubeObject | undefined, object: KubeObject): Promise<boolean> =>
      cluster.apply(over(found, object)).then(
        () => false,
        (error: unknown) => {
          if (isConflict(error)) return true;
          throw error;
        },
      );

    it.each(objects)('$kind: is made where there is none, changed where it is as found, and refused otherwise', async (object) => {
      const { apiVersion, kind } = object;
      const ref = { apiVersion, kind, ...metadata };
      const label = async () => (await cluster.get(ref))?.metadata.labels?.label;
      expect(await isRefused(undefined, labeled(object, 'made'))).toBe(false);
      const made = await cluster.get(ref);
      expect(await isRefused(undefined, labeled(object, 'made-again'))).toBe(true);
      expect(await isRefused(made, labeled(object, 'changed'))).toBe(false);
      expect(await isRefused(made, labeled(object, 'changed-late'))).toBe(true);
      expect(await label()).toBe('changed');
      const changed = await cluster.get(ref);
      await cluster.delete(ref);
      expect(await isRefused(changed, labeled(object, 'over-none'))).toBe(true);
      expect(await label()).toBe(undefined);
      await cluster.create(labeled(object, 'of-another'));
      expect(await isRefused(changed, labeled(object, 'over-another'))).toBe(true);
      expect(await isRefused(undefined, labeled(object, 'over-another'))).toBe(true);
      expect(await label()).toBe('of-another');
    });

    it.each(objects)(
      '$kind: is deleted as it was found, also if it has changed, and not an object that was made in its place',
      async (object) => {
        const { apiVersion, kind } = object;
        const ref = { apiVersion, kind, ...metadata };
        await cluster.delete(ref);
        const found = await cluster.create(labeled(object, 'first'));
        await cluster.apply(labeled(object, 'changed'));
        await deleteFound(found, cluster, {});
        expect(await cluster.get(ref)).toBe(undefined);
        const { uid } = (await cluster.create(labeled(object, 'of-another'))).metadata;
        await deleteFound(found, cluster, {});
        expect((await cluster.get(ref))?.metadata.uid).toBe(uid);
        await cluster.delete(ref);
        await deleteFound(found, cluster, {});
      },
    );

    it('an apply that names a version and no uid makes an object that is gone', async () => {
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'versioned', namespace: 'default' };
      const { resourceVersion = '' } = (await cluster.create({ ...ref, metadata: { name: ref.name, namespace: ref.namespace } })).metadata;
      await cluster.delete(ref);
      const { uid } = (
        await cluster.apply({ ...objects[0], metadata: { name: ref.name, namespace: ref.namespace, resourceVersion } } as KubeObject)
      ).metadata;
      expect((await cluster.get(ref))?.metadata.uid).toBe(uid);
    });
  });
}
