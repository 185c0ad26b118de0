import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { ownerAnnotation } from '../../src/api/names.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, newLogFile, startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { aCanary, aContainer, aDeployment, aService, canaryRef, makeNamespace } from './troubles/objects.ts';
import { until } from './until.ts';
import { afterAll, beforeAll } from './world.ts';

const APP = 'web';
/** Longer than a deletion of all objects takes, and short enough to be waited for. */
const FLAGS = { 'uninstall-grace': '6s', 'scale-down-delay': '500ms' };
const KINDS = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'ControllerRevision' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule' },
  { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
] as const;

/** Installation and removal of an application, in a namespace of its own with this name. */
export interface Way {
  name: string;
  install(namespace: string, version: string): Promise<void>;
  remove(namespace: string): Promise<void>;
  /** The removal also deletes the namespace. */
  takesNamespace?: true;
}

/** The manifests of one application. */
export function manifestsOf(namespace: string, version: string): { canary: KubeObject; deployment: KubeObject; service: KubeObject } {
  const deployment = aDeployment(namespace, APP);
  raw(deployment).spec.template.spec.containers = [aContainer(version)];
  return { canary: aCanary(namespace, APP), deployment, service: aService(namespace, APP) };
}

type Manifest = keyof ReturnType<typeof manifestsOf>;
const orders: readonly (readonly Manifest[])[] = [
  ['canary', 'deployment', 'service'],
  ['canary', 'service', 'deployment'],
  ['deployment', 'canary', 'service'],
  ['deployment', 'service', 'canary'],
  ['service', 'canary', 'deployment'],
  ['service', 'deployment', 'canary'],
];

/** Each order of deletion, and the reverse one for the next installation; and the namespace as a whole. */
export function waysByApi(cluster: KubeCluster): Way[] {
  const install = async (namespace: string, version: string, order: readonly Manifest[]) => {
    const manifests = manifestsOf(namespace, version);
    // Serin has restored a Service that was deleted under a living Canary by now: a manifest is applied over it.
    for (const one of order) await cluster.apply(manifests[one], { fieldManager: 'kubectl' });
  };
  const byOrder = orders.map((order) => ({
    name: order.join('-'),
    install: (namespace: string, version: string) => install(namespace, version, order.toReversed()),
    async remove(namespace: string) {
      const manifests = manifestsOf(namespace, '1');
      for (const one of order) await removeOne(cluster, refTo(manifests[one]));
    },
  }));
  const wholeNamespace: Way = {
    name: 'namespace',
    takesNamespace: true,
    install: (namespace, version) => install(namespace, version, ['service', 'deployment', 'canary']),
    async remove(namespace) {
      const ref = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
      await cluster.delete(ref);
      await until(cluster, ref, 'is gone', (now) => now === undefined);
    },
  };
  return [...byOrder, wholeNamespace];
}

/** Applications that are taken down and put up again in each of these ways, all at the same time, with Serin there and without. */
export function describeReinstall(environmentOf: () => Environment, waysOf: (environment: Environment) => Way[]): void {
  describe('installing again', () => {
    const logFile = newLogFile();
    let controller: ControllerProcess;
    const begin = () => {
      controller = startController(environmentOf(), FLAGS, logFile);
    };
    const each = <T>(act: (way: Way, namespace: string) => Promise<T>): Promise<T[]> =>
      Promise.all(waysOf(environmentOf()).map((way) => act(way, `again-${way.name}`)));
    const cluster = () => environmentOf().cluster;

    const installed = async (version: string) => {
      const seen = await each(async (way, namespace) => {
        await until(
          cluster(),
          canaryRef(namespace, APP),
          `is initialized on ${version}`,
          (now) => raw(now)?.status?.phase === 'Initialized' && raw(now).status.release?.step === 'resting',
          { hint: () => controller.logOf(`${namespace}/${APP}`) },
        );
        const primary = await cluster().get({ apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace });
        const canary = await cluster().get(canaryRef(namespace, APP));
        const { phase, release } = raw(canary)?.status ?? {};
        return [way.name, raw(primary)?.spec.template.spec.containers[0].image, phase, release?.run];
      });
      expect(seen).toEqual(waysOf(environmentOf()).map(({ name }) => [name, `web:${version}`, 'Initialized', 0]));
    };
    const nothingIsLeft = () =>
      each((way, namespace) =>
        eventually(
          `${way.name}: nothing is left`,
          () => leftIn(cluster(), namespace),
          (left) => left.length === 0,
          () => controller.logOf(`${namespace}/${APP}`),
        ),
      );
    const reinstall = (version: string) =>
      each(async (way, namespace) => {
        if (way.takesNamespace) await makeNamespace(cluster(), namespace);
        await way.install(namespace, version);
      });

    beforeAll(async () => {
      begin();
      await each(async (way, namespace) => {
        await makeNamespace(cluster(), namespace);
        await way.install(namespace, '1');
      });
      await installed('1');
    });
    afterAll(() => controller?.stop());

    it('I7: removed in the usual ways, nothing that was generated is left after the grace; the next one starts like new', async () => {
      await each((way, namespace) => way.remove(namespace));
      await nothingIsLeft();
      await reinstall('2');
      await installed('2');
    });

    it('I7: the same while Serin is down', async () => {
      await controller.stop('TERM');
      await each((way, namespace) => way.remove(namespace));
      begin();
      await nothingIsLeft();
      await controller.stop('KILL');
      await reinstall('3');
      begin();
      await installed('3');
    });

    it('I7: removed and installed again at once, also while Serin is down, it starts like new on what there is then', async () => {
      await each((way, namespace) => way.remove(namespace));
      await reinstall('4');
      await installed('4');
      await controller.stop('KILL');
      await each((way, namespace) => way.remove(namespace));
      await reinstall('5');
      begin();
      await installed('5');
    });

    it('I7: when only its target is deleted, an application serves on by its primary, past the grace', async () => {
      const [way] = waysOf(environmentOf());
      const namespace = `again-${way?.name}`;
      const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace };
      await removeOne(cluster(), target);
      // Another application shows that the grace would be over.
      const other = waysOf(environmentOf())[1];
      await other?.remove(`again-${other.name}`);
      await eventually('the other one is gone', async () => (await leftIn(cluster(), `again-${other?.name}`)).length === 0);
      const primary = await cluster().get({ ...target, name: `${APP}-primary` });
      expect([raw(primary)?.status?.availableReplicas, await cluster().get(target)]).toEqual([1, undefined]);
    });
  });
}

const refTo = ({ apiVersion, kind, metadata: { name, namespace = '' } }: KubeObject): ObjectRef => ({ apiVersion, kind, name, namespace });

/** As kubectl does: deletes the next object when this one is gone, or replaced by another. */
async function removeOne(cluster: KubeCluster, ref: ObjectRef): Promise<void> {
  const uid = (await cluster.get(ref))?.metadata.uid;
  await cluster.delete(ref);
  await until(cluster, ref, 'is gone', (now) => now?.metadata.uid !== uid);
}

/** Objects that bear a mark of Serin, or belong to the application, as `Kind/name`. */
async function leftIn(cluster: KubeCluster, namespace: string): Promise<string[]> {
  const lists = await Promise.all(
    KINDS.map(async (kind) => (await cluster.list({ ...kind, namespace })).items.map((item) => ({ ...item, kind: kind.kind }))),
  );
  const isOfIt = ({ metadata }: KubeObject) => metadata.annotations?.[ownerAnnotation] !== undefined || metadata.name.startsWith(APP);
  return lists.flat().flatMap((item) => (isOfIt(item) ? [`${item.kind}/${item.metadata.name}`] : []));
}
