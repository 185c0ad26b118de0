import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { App } from './adversity/app.ts';
import { startClients } from './adversity/clients.ts';
import { Lab } from './adversity/lab.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { monotonicMs, sleep } from './world.ts';

const INTERVAL_S = 60;
const THRESHOLD = 3;
const plan = { interval: `${INTERVAL_S}s`, threshold: THRESHOLD, stepWeight: 10, maxWeight: 50 };
/** Pods of one canary fail at moments of their own. */
const CLIENT_PAUSE_MS = 2_000;
const DRAINS = 20;

/** Failures of a version after it was ready, set by the environment of its pods. */
const failures = [
  { what: 'exits after 15 s', name: 'early', env: { CRASH_AFTER_MS: '15000', EXIT_CODE: '3' }, says: 'exited with code 3' },
  { what: 'exits after 40 s', name: 'late', env: { CRASH_AFTER_MS: '40000', EXIT_CODE: '3' }, says: 'exited with code 3' },
  { what: 'runs out of memory every 15 s', name: 'memory', env: { CRASH_AFTER_MS: '15000', EXIT_CODE: '137' }, says: 'ran out of memory' },
  { what: 'is unready a third of the time', name: 'flapping', env: { FLAP_EVERY_MS: '30000' }, says: 'lost its readiness' },
] as const;

/** I20 on a whole cluster: versions that crash after they were ready, and canaries whose nodes are drained. */
export function describeCrashLoops(environmentOf: () => Environment): void {
  describe.concurrent('I20: a canary that was ready', () => {
    it.each(failures)(
      'and $what is rolled back within threshold × interval, and its users are on the primary',
      async ({ name, env, says }) => {
        await withApp(environmentOf(), name, async (lab, app) => {
          const run = await app.run();
          await app.deploy('2', env);
          await lab.until(app.canary, 'has traffic', (now) => (raw(now)?.status?.canaryWeight ?? 0) > 0);
          const fromMs = monotonicMs();
          const failed = await lab.until(app.canary, 'is rolled back', (now) => raw(now)?.status?.phase === 'Failed', 900_000);
          // The first failing comes a minute after the first traffic at the latest.
          expect(monotonicMs() - fromMs).toBeLessThanOrEqual((THRESHOLD + 1) * INTERVAL_S * 1_000);
          expect(raw(failed)?.status?.release?.reason).toContain(says);
          expect(await app.ends(run)).toBe('Failed');
          expect(await app.version(app.primary)).toBe('1');
          const clients = startClients(environmentOf().mesh.urls, app.host, CLIENT_PAUSE_MS);
          await eventually('answers', () => clients.answered >= 100);
          await clients.stop();
          expect(clients.lost()).toEqual([]);
        });
      },
    );

    it('and whose pods are drained and evicted from spot nodes fails no check, and is promoted', async () => {
      await withApp(environmentOf(), 'drained', async (lab, app) => {
        const run = await app.run();
        await app.deploy('2');
        await lab.until(app.canary, 'has traffic', (now) => (raw(now)?.status?.canaryWeight ?? 0) > 0);
        for (let times = 0; times < DRAINS; times += 1) {
          await evict(lab, times % 2 === 0 ? 'EvictionByEvictionAPI' : 'TerminationByKubelet');
          await sleep(10_000);
        }
        expect(raw(await lab.cluster.get(app.canary))?.status?.failedChecks ?? 0).toBe(0);
        expect(await app.ends(run)).toBe('Succeeded');
      });
    });

    it('and crashes under a controller that is killed again and again is rolled back all the same', async () => {
      await withApp(environmentOf(), 'killed', async (lab, app) => {
        const run = await app.run();
        await app.deploy('2', failures[0].env);
        await lab.until(app.canary, 'has traffic', (now) => (raw(now)?.status?.canaryWeight ?? 0) > 0);
        const fromMs = monotonicMs();
        const failed = lab.until(app.canary, 'is rolled back', (now) => raw(now)?.status?.phase === 'Failed', 900_000);
        for (let times = 0; times < 6; times += 1) {
          await sleep(25_000);
          await lab.harm('killed', 3_000);
        }
        await failed;
        expect(monotonicMs() - fromMs).toBeLessThanOrEqual((THRESHOLD + 2) * INTERVAL_S * 1_000);
        expect(await app.ends(run)).toBe('Failed');
      });
    });
  });
}

async function withApp(environment: Environment, name: string, play: (lab: Lab, app: App) => Promise<void>): Promise<void> {
  const lab = await Lab.open(environment, { namespace: `crash-${name}`, interval: `${INTERVAL_S}s`, scaleDownDelay: '5s' });
  try {
    const app = new App(lab, 'podinfo');
    await app.create();
    lab.startController();
    await app.createCanary('istio', plan);
    await app.becomesIdle('Initialized');
    await play(lab, app);
  } finally {
    await lab.close();
  }
}

/** One pod of the canary, as the eviction API does it: first the condition, then the deletion. */
async function evict(lab: Lab, reason: string): Promise<void> {
  const { items } = await lab.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: lab.namespace }, { labelSelector: 'app=podinfo' });
  const [pod] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pod === undefined) return;
  const conditions = [...conditionsOf(pod), { type: 'DisruptionTarget', status: 'True', reason }];
  await lab.cluster.patch(refOf(pod), { status: { conditions } }, { subresource: 'status' });
  await lab.cluster.delete(refOf(pod));
}

const conditionsOf = (pod: KubeObject): object[] => raw(pod)?.status?.conditions ?? [];
