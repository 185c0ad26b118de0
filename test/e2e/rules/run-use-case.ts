import { rmSync } from 'node:fs';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Permission } from '../../../src/api/permission.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { ControllerConfig } from '../../../src/controller/config.ts';
import { startController } from '../../../src/controller/controller.ts';
import { createControllerMetrics } from '../../../src/controller/telemetry/controller-metrics.ts';
import { loadConnection } from '../../../src/kube/connect.ts';
import { createCluster } from '../../../src/kube/create-cluster.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { kubeconfigOf } from '../../scenarios/account.ts';
import type { RealEnvironment } from '../../scenarios/environment.ts';
import { eventually } from '../../scenarios/eventually.ts';
import { APP, application, CONFIG, canaryOf, configOf, type UseCase } from './use-cases.ts';

const rbac = 'rbac.authorization.k8s.io';
const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface Account {
  user: string;
  cluster: KubeCluster;
  stop(): Promise<void>;
}

/** A namespace with a service account that has these rules and no others, and its client. */
export async function accountWith(environment: RealEnvironment, namespace: string, permissions: readonly Permission[]): Promise<Account> {
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
  for (const object of objects) await environment.cluster.create(object);
  const { file, folder, user } = await kubeconfigOf(environment, { name: 'serin', namespace });
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

/** Plays the use case with these permissions: a primary is created, a version is released, the Canary is deleted. Stops early once `isOver` returns true. */
export async function runUseCase(
  environment: RealEnvironment,
  useCase: UseCase,
  namespace: string,
  { user, cluster }: Account,
  isOver: () => boolean,
): Promise<void> {
  const config = ControllerConfig.parse({
    namespaces: [namespace],
    metricsServer: environment.prometheusUrl,
    minAnalysisIntervalMs: 500,
    scaleDownDelayMs: 500,
    // A second release must leave a pruned object behind.
    historyLimit: 1,
    ...useCase.settings,
  });
  for (const object of [...application(namespace, '1'), ...(useCase.objects?.(namespace) ?? [])]) await environment.cluster.create(object);
  const controller = startController({
    config,
    cluster,
    clock: systemClock,
    random: Math.random,
    log,
    metrics: createControllerMetrics('test'),
  });
  controller.started.catch(ignore); // what it may not look at keeps it from starting, as it should
  const canary = canaryOf(useCase, namespace);
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace };
  const anchors = { apiVersion: 'apps/v1', kind: 'ControllerRevision', namespace };
  const hint = () => `refused: ${environment.forbidden(user).join('\n')}`;
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<boolean> => {
    await eventually(`${useCase.name} in ${namespace}: ${what}`, async () => isOver() || (await isSo()), Boolean, hint);
    return !isOver();
  };
  const phase = async () =>
    raw(await environment.cluster.get({ ...deployment, apiVersion: canary.apiVersion, kind: 'Canary' }))?.status?.phase;
  try {
    await environment.cluster.create(canary);
    if (!(await until('its primary is made', async () => (await phase()) === 'Initialized'))) return;
    if (!(await until('the target is scaled down', async () => raw(await environment.cluster.get(deployment))?.spec.replicas === 0)))
      return;
    const [next] = application(namespace, '2').filter(({ kind }) => kind === 'Deployment');
    await environment.cluster.patch(deployment, { spec: { template: raw(next)?.spec.template } });
    if (!(await until('its release ends', async () => ['Succeeded', 'Failed'].includes(await phase())))) return;
    for (const colour of useCase.colours ?? []) {
      for (const kind of ['ConfigMap', 'Secret'])
        await environment.cluster.patch({ apiVersion: 'v1', kind, name: CONFIG, namespace }, configOf(kind, colour));
      const copies = async () =>
        (await environment.cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace })).items.filter(
          ({ metadata, data }: Raw) => metadata.name.startsWith(`${CONFIG}-primary-`) && data?.colour === colour,
        );
      const isReleased = async () => (await phase()) === 'Succeeded' && (await copies()).length > 0;
      if (!(await until(`${colour} is released`, isReleased))) return;
    }
    await environment.cluster.delete({ ...deployment, apiVersion: canary.apiVersion, kind: 'Canary' });
    await until('nothing of it is left', async () => {
      const { items } = await environment.cluster.list(anchors);
      const isAnchored = items.some(({ metadata }) => metadata.name.endsWith('-serin-anchor'));
      // Its finalizer goes last, when all that the anchor owned has been collected.
      return !isAnchored && (await phase()) === undefined;
    });
  } finally {
    await controller.stop();
  }
}
