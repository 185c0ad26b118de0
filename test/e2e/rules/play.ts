import { rmSync } from 'node:fs';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Permission } from '../../../src/api/permission.ts';
import { ControllerConfig } from '../../../src/controller/config.ts';
import { startController } from '../../../src/controller/controller.ts';
import { createControllerMetrics } from '../../../src/controller/telemetry/controller-metrics.ts';
import { systemClock } from '../../../src/kube/clock.ts';
import { loadConnection } from '../../../src/kube/connect.ts';
import { createCluster } from '../../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { kubeconfigOf } from '../../scenarios/account.ts';
import { eventually } from '../../scenarios/eventually.ts';
import type { RealStage } from '../../scenarios/stage.ts';
import { APP, application, CONFIG, canaryOf, configOf, type Scene } from './scenes.ts';

const rbac = 'rbac.authorization.k8s.io';
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export interface Account {
  user: string;
  cluster: KubeCluster;
  stop(): Promise<void>;
}

/** A namespace with a service account that has these rules and no others, and its client. */
export async function accountWith(stage: RealStage, namespace: string, permissions: readonly Permission[]): Promise<Account> {
  const rules = permissions.map(({ group, resources, verbs, names }) => ({
    ...{ apiGroups: [group], resources, verbs },
    ...(names && { resourceNames: names }),
  }));
  const name = `only-${namespace}`;
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
  const objects: KubeObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'serin', namespace } },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name: 'serin', namespace }],
    },
  ];
  for (const object of objects) await stage.cluster.create(object);
  const { file, folder, user } = await kubeconfigOf(stage, { name: 'serin', namespace });
  const cluster = createCluster(await loadConnection({ kubeconfig: file, userAgent: 'serin-controller' }));
  return {
    user,
    cluster,
    async stop() {
      cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Plays the scene with these permissions: a primary is made, a version is released, the Canary is deleted. Ends where it is over, which is asked all
 * the time.
 */
export async function play(
  stage: RealStage,
  scene: Scene,
  namespace: string,
  { user, cluster }: Account,
  isOver: () => boolean,
): Promise<void> {
  const config = ControllerConfig.parse({
    namespaces: [namespace],
    metricsServer: stage.prometheusUrl,
    minAnalysisIntervalMs: 500,
    scaleDownDelayMs: 500,
    // So that a second release leaves something behind that is pruned.
    historyLimit: 1,
    ...scene.settings,
  });
  for (const object of [...application(namespace, '1'), ...(scene.objects?.(namespace) ?? [])]) await stage.cluster.create(object);
  const controller = startController({ config, cluster, clock: systemClock, log, metrics: createControllerMetrics('test') });
  controller.started.catch(quiet); // what it may not look at keeps it from starting, as it should
  const canary = canaryOf(scene, namespace);
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace };
  const anchors = { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace };
  const hint = () => `refused: ${stage.forbidden(user).join('\n')}`;
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<boolean> => {
    await eventually(`${scene.name} in ${namespace}: ${what}`, async () => isOver() || (await isSo()), Boolean, hint);
    return !isOver();
  };
  const phase = async () => raw(await stage.cluster.get({ ...deployment, apiVersion: canary.apiVersion, kind: 'Canary' }))?.status?.phase;
  try {
    await stage.cluster.create(canary);
    if (!(await until('its primary is made', async () => (await phase()) === 'Initialized'))) return;
    if (!(await until('the target rests', async () => raw(await stage.cluster.get(deployment))?.spec.replicas === 0))) return;
    const [next] = application(namespace, '2').filter(({ kind }) => kind === 'Deployment');
    await stage.cluster.patch(deployment, { spec: { template: raw(next)?.spec.template } });
    if (!(await until('its release ends', async () => ['Succeeded', 'Failed'].includes(await phase())))) return;
    for (const colour of scene.colours ?? []) {
      for (const kind of ['ConfigMap', 'Secret'])
        await stage.cluster.patch({ apiVersion: 'v1', kind, name: CONFIG, namespace }, configOf(kind, colour));
      const copies = async () =>
        (await stage.cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace })).items.filter(
          ({ metadata, data }: Raw) => metadata.name.startsWith(`${CONFIG}-primary-`) && data?.colour === colour,
        );
      const isReleased = async () => (await phase()) === 'Succeeded' && (await copies()).length > 0;
      if (!(await until(`${colour} is released`, isReleased))) return;
    }
    await stage.cluster.delete({ ...deployment, apiVersion: canary.apiVersion, kind: 'Canary' });
    await until('nothing of it is left', async () => {
      const { items } = await stage.cluster.list(anchors);
      const isAnchored = items.some(({ metadata }) => metadata.name.endsWith('-serin-anchor'));
      // Its finalizer goes last, when all that the anchor owned has been collected.
      return !isAnchored && (await phase()) === undefined;
    });
  } finally {
    await controller.stop();
  }
}
