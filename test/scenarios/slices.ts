import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { controllerRules } from '../e2e/controller-role.ts';
import { raw } from '../fakes/raw.ts';
import { kubeconfigOf } from './account.ts';
import { startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { FlaggerApplication, NAME } from './flagger/flagger-application.ts';
import { weighted } from './flagger/objects.ts';

const left = { phase: 'Initialized', http: weighted(NAME, 0), analysis: { stepWeight: 25, maxWeight: 50 } } as const;
const isAdopted = (now: KubeObject | undefined) => raw(now)?.status?.release?.step === 'resting';

/** Moving over in slices: Canaries outside are not touched at all. Other controllers must not run on the environment. */
export function describeSlices(environmentOf: () => Environment): void {
  describe('moving in slices', () => {
    it('--canary-selector: a Canary without the label is not touched; a Canary that gets it is taken over, and a Canary that loses it is let go', async () => {
      const environment = environmentOf();
      const [inside, outside] = [new FlaggerApplication(environment, 'slice-in'), new FlaggerApplication(environment, 'slice-out')];
      await Promise.all([inside, outside].map((one) => one.stands(left)));
      const label = (one: FlaggerApplication, serin: string | null) =>
        environment.cluster.patch(one.canary, { metadata: { labels: { serin } } });
      await label(inside, 'yes');
      const untouched = await snapshotOf(environment, outside.namespace);
      const controller = startController(environment, {
        'canary-selector': 'serin=yes',
        namespaces: `${inside.namespace},${outside.namespace}`,
      });
      const hint = () => controller.logOf(inside.namespace);
      try {
        await inside.until(inside.canary, 'is adopted', isAdopted, hint);
        await inside.push('2');
        await inside.until(inside.canary, 'is promoted', (now) => raw(now)?.status?.phase === 'Succeeded' && isAdopted(now), hint);
        expect(await snapshotOf(environment, outside.namespace)).toEqual(untouched);

        await label(inside, null);
        await inside.push('3');
        await label(outside, 'yes');
        await outside.until(outside.canary, 'is adopted', isAdopted, hint);
        await outside.push('2');
        await outside.until(outside.canary, 'is promoted', (now) => raw(now)?.status?.phase === 'Succeeded' && isAdopted(now), hint);
        const kept = await inside.get(inside.canary);
        expect(kept?.status).toMatchObject({ phase: 'Succeeded', canaryWeight: 0 });
        const primary = await inside.get(inside.primary);
        expect(raw(primary)?.spec.template.spec.containers[0].image).toBe(`${NAME}:2`);
      } finally {
        await controller.stop();
      }
    });

    it('--namespaces: permissions in each of them are enough, and all others are not touched', async () => {
      const environment = environmentOf();
      const [one, other, outside] = ['apart-one', 'apart-two', 'apart-not'].map(
        (namespace) => new FlaggerApplication(environment, namespace),
      );
      if (!one || !other || !outside) throw new Error('three are made');
      await Promise.all([one, other, outside].map((each) => each.stands(left)));
      const untouched = await snapshotOf(environment, outside.namespace);
      const kubeconfig = await allowedIn(environment, [one.namespace, other.namespace]);
      const controller = startController(
        { ...environment, kubeconfigFile: kubeconfig.file },
        { namespaces: `${one.namespace},${other.namespace}` },
      );
      const hint = () => readFileSync(controller.logFile, 'utf8').split('\n').slice(-15).join('\n');
      try {
        for (const each of [one, other]) await each.until(each.canary, 'is adopted', isAdopted, hint);
        await one.push('2');
        await one.until(one.canary, 'is promoted', (now) => raw(now)?.status?.phase === 'Succeeded' && isAdopted(now), hint);
        await environment.cluster.delete(other.canary);
        await other.until(other.primary, 'is gone', (now) => now === undefined, hint);
        expect(await snapshotOf(environment, outside.namespace)).toEqual(untouched);
      } finally {
        await controller.stop();
        rmSync(kubeconfig.folder, { recursive: true, force: true });
      }
    });
  });
}

/** Everything in a namespace that Serin could touch, by version. */
async function snapshotOf({ cluster }: Environment, namespace: string): Promise<Record<string, unknown>> {
  const kinds = [
    ['flagger.app/v1beta1', 'Canary'],
    ['apps/v1', 'Deployment'],
    ['apps/v1', 'ControllerRevision'],
    ['v1', 'Service'],
    ['networking.istio.io/v1beta1', 'VirtualService'],
    ['networking.istio.io/v1beta1', 'DestinationRule'],
  ] as const;
  const lists = await Promise.all(
    kinds.map(async ([apiVersion, kind]) => ({ kind, items: (await cluster.list({ apiVersion, kind, namespace })).items })),
  );
  return Object.fromEntries(
    lists.flatMap(({ kind, items }) => items.map(({ metadata }) => [`${kind} ${metadata.name}`, versionOf(kind, metadata)])),
  );
}

/** The workload controllers report on their own, late. */
function versionOf(kind: string, { resourceVersion, generation, ownerReferences, managedFields }: KubeObject['metadata']): unknown {
  if (kind !== 'Deployment') return resourceVersion;
  const managers = ((managedFields ?? []) as { manager: string }[]).map(({ manager }) => manager);
  return { generation, ownerReferences, isWrittenByUs: managers.includes('serin') };
}

/** A service account with only a Role in these namespaces. A server without RBAC does not read the token. */
async function allowedIn(environment: Environment, namespaces: readonly string[]): Promise<{ file: string; folder: string }> {
  const { cluster, kubeconfigFile } = environment;
  const [home = ''] = namespaces;
  const group = 'rbac.authorization.k8s.io';
  try {
    await cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'serin', namespace: home } });
    for (const namespace of namespaces) {
      const metadata = { name: 'serin', namespace };
      await cluster.create({ apiVersion: `${group}/v1`, kind: 'Role', metadata, rules: controllerRules });
      const roleRef = { apiGroup: group, kind: 'Role', name: 'serin' };
      const subjects = [{ kind: 'ServiceAccount', name: 'serin', namespace: home }];
      await cluster.create({ apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects });
    }
    return await kubeconfigOf(environment, { name: 'serin', namespace: home });
  } catch (error) {
    // The embedded cluster has no RBAC; only the real one refuses requests.
    if (!(error instanceof Error) || !/not served|404/.test(error.message)) throw error;
  }
  const folder = mkdtempSync(join(tmpdir(), 'serin-slice-'));
  const file = join(folder, 'kubeconfig');
  copyFileSync(kubeconfigFile, file);
  return { file, folder };
}
