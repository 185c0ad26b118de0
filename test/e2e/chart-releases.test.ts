import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { kubeconfigOf } from '../scenarios/account.ts';
import { type ControllerProcess, newLogFile, startController } from '../scenarios/controller.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { APP, Scenario } from '../scenarios/scenario.ts';
import { until } from '../scenarios/until.ts';
import { type Helm, startHelm } from './helm.ts';

const flaggerValues: object = parse(readFileSync(join(import.meta.dirname, '..', 'fixtures', 'flagger-values.yaml'), 'utf8'));
/** Objects that are created in the API server: the process runs here. */
const KINDS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

/** The flags of the rendered Deployment, as `startController` takes them. */
function flagsOf(objects: readonly KubeObject[]): Record<string, string> {
  const [deployment] = objects.filter(({ kind }) => kind === 'Deployment');
  if (!deployment) throw new Error('the chart renders a Deployment');
  const [command, ...args]: string[] = raw(deployment).spec.template.spec.containers[0].args;
  expect(command).toBe('controller');
  return Object.fromEntries(
    args.map((arg) => {
      const [, name = '', value = 'true'] = /^--([^=]+)(?:=(.*))?$/.exec(arg) ?? [];
      return [name, value];
    }),
  );
}

describe('the controller as the chart starts it, with the permissions that the chart gives it', () => {
  const environmentOf = anEnvironment(startRealEnvironment);
  let helm: Helm;
  beforeAll(async () => {
    helm = await startHelm();
    await environmentOf().cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'serin' } });
  });
  afterAll(() => helm?.stop());

  const runs: { what: string; namespace: string; values: object; account?: string; leaseIn?: string }[] = [
    { what: 'cluster-wide', namespace: 'chart-wide', values: { meshProvider: 'istio' } },
    {
      what: 'in its namespace only, without tracking Secrets',
      namespace: 'chart-narrow',
      values: { namespaces: ['chart-narrow'], meshProvider: 'smi:v1alpha2', secrets: { mode: 'off' } },
      leaseIn: 'chart-narrow',
    },
    {
      what: "with the values of Flagger's chart",
      namespace: 'chart-flagger-values',
      values: { ...flaggerValues, controlplane: {}, podMonitor: {}, serviceMonitor: {} },
      account: 'delivery',
    },
  ];

  it.each(runs)('$what: a release is promoted, its Canary goes, and nothing is refused', async (run) => {
    const { namespace, values, account = 'serin', leaseIn = 'serin' } = run;
    const environment = environmentOf();
    const { cluster, prometheusUrl } = environment;
    let started: ControllerProcess | undefined;
    const logFile = newLogFile();
    const scenario = await Scenario.begin(environment, { logFile, logOf: (canary) => started?.logOf(canary) ?? '' }, namespace);
    const { given, when, then } = scenario;
    const objects = await helm.render('serin', { ...values, crds: { install: false }, linkerdAuthPolicy: {} });
    const permissions = objects.filter(({ kind }) => KINDS.includes(kind));
    for (const object of permissions) await cluster.apply(object);
    const { file, folder, user } = await kubeconfigOf(environment, { name: account, namespace: 'serin' });
    try {
      const { 'metrics-server': _, ...flags } = flagsOf(objects);
      started = startController({ kubeconfigFile: file, prometheusUrl }, flags, logFile);
      await given.aDeployment();
      await given.aCanary({ stepWeight: 30, maxWeight: 60 });
      await then.scalesTo(APP, 0);
      await when.imageChanges('2');
      await then.canaryReceives(30);
      await then.releaseEnds('Succeeded');
      await then.primaryRuns('2');
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'flagger-leader-election', namespace: leaseIn };
      expect(raw(await cluster.get(lease))?.spec.holderIdentity).toMatch(/./);
      await cluster.delete({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace });
      const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace };
      await until(cluster, primary, 'is gone', (now) => now === undefined, { hint: () => started?.logOf(`${namespace}/${APP}`) ?? '' });
    } finally {
      await started?.stop();
      await scenario.end();
      for (const object of permissions) await cluster.delete(refOf(object));
      rmSync(folder, { recursive: true, force: true });
    }
    expect(environment.forbidden(user)).toEqual([]);
  });
});
