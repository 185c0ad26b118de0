import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { aController } from '../scenarios/controller.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { type HookServer, startHookServer } from '../scenarios/hook-server.ts';
import { aCanary, aContainer, aDeployment, canaryRef, makeNamespace } from '../scenarios/troubles/objects.ts';
import { until } from '../scenarios/until.ts';
import { type Helm, type Ran, startHelm } from './helm.ts';

const APP = 'shop';
const DONE = { code: 0, complained: '' };

/** A chart of a user with a Deployment and a Canary, on a real control plane, upgraded by Helm 4, whose `--wait` is kstatus. */
describe('helm upgrade --wait --rollback-on-failure', () => {
  const environment = anEnvironment(() => startRealEnvironment());
  aController(environment);
  const folder = mkdtempSync(join(tmpdir(), 'serin-wait-'));
  let helm: Helm;
  let hooks: HookServer;

  beforeAll(async () => {
    helm = await startHelm(environment().adminKubeconfigFile);
    hooks = await startHookServer();
  });
  afterAll(async () => {
    await hooks.stop();
    helm.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const upgrade = (namespace: string, version: string, kstatus: boolean, ...flags: string[]): Promise<Ran> => {
    const chart = join(folder, namespace);
    const deployment = raw(aDeployment(namespace, APP));
    delete deployment.spec.replicas;
    deployment.spec.template.spec.containers = [aContainer(version)];
    const webhooks = [{ name: 'check', type: 'rollout', url: hooks.url(namespace) }];
    const canary = aCanary(namespace, APP, { stepWeight: 25, webhooks });
    const annotations = kstatus ? { 'serin.dev/kstatus': 'true' } : {};
    const objects = [deployment, { ...canary, metadata: { ...canary.metadata, annotations } }];
    mkdirSync(join(chart, 'templates'), { recursive: true });
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
    writeFileSync(join(chart, 'templates', 'all.yaml'), objects.map((one) => JSON.stringify(one)).join('\n---\n'));
    return helm.run('upgrade', '--install', APP, chart, '--namespace', namespace, ...flags);
  };
  const waited = (namespace: string, version: string, kstatus: boolean, timeout: string): Promise<Ran> =>
    upgrade(namespace, version, kstatus, '--wait', '--rollback-on-failure', '--timeout', timeout);
  const canaryIn = async (namespace: string) => raw(await environment().cluster.get(canaryRef(namespace, APP)));
  const imageIn = async (namespace: string, name: string): Promise<string> =>
    raw(await environment().cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace }))?.spec.template.spec.containers[0]
      .image;
  const isIn = (namespace: string, phase: string, boundMs?: number) =>
    until(environment().cluster, canaryRef(namespace, APP), `is ${phase}`, (now) => raw(now)?.status?.phase === phase, {
      ...(boundMs !== undefined && { boundMs }),
    });
  const installed = async (namespace: string, kstatus: boolean): Promise<void> => {
    await makeNamespace(environment().cluster, namespace);
    expect((await waited(namespace, '1', kstatus, '80s')).code).toBe(0);
    await isIn(namespace, 'Initialized');
  };

  it.concurrent('without the conditions it does not wait for the release', async () => {
    await installed('off', false);
    expect(await waited('off', '2', false, '60s')).toMatchObject(DONE);
    expect(await imageIn('off', `${APP}-primary`)).toBe('web:1');
    await isIn('off', 'Succeeded');
  });

  it.concurrent('with them it waits until the version is promoted', async () => {
    await makeNamespace(environment().cluster, 'on');
    // The controller is up.
    await isIn('off', 'Initialized');
    expect((await waited('on', '1', true, '80s')).code).toBe(0);
    expect((await canaryIn('on'))?.status.phase).toBe('Initialized');
    for (const version of ['2', '3', '4']) {
      expect(await waited('on', version, true, '80s')).toMatchObject(DONE);
      expect([(await canaryIn('on'))?.status.phase, await imageIn('on', `${APP}-primary`)]).toEqual(['Succeeded', `web:${version}`]);
    }
  });

  it.concurrent('with them a failed release fails the upgrade, and Helm takes the version back', async () => {
    await installed('bad', true);
    hooks.answers('bad', 500);
    const { code, complained } = await waited('bad', '2', true, '80s');
    expect(code).toBe(1);
    expect(complained).toMatch(/Canary/);
    expect(await imageIn('bad', APP)).toBe('web:1');
    expect(await imageIn('bad', `${APP}-primary`)).toBe('web:1');
  });

  it.concurrent('with them Helm ends a release that takes longer than the timeout, and users stay on the primary', async () => {
    await installed('late', true);
    const { code } = await waited('late', '2', true, '4s');
    expect(code).toBe(1);
    expect(await imageIn('late', APP)).toBe('web:1');
    await until(
      environment().cluster,
      canaryRef('late', APP),
      'is idle',
      (now) => ['Initialized', 'Succeeded'].includes(raw(now)?.status?.phase),
      {
        boundMs: 60_000,
      },
    );
    expect(await imageIn('late', `${APP}-primary`)).toBe('web:1');
  });
});
