import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { AppBehaviour } from '../../src/embedded/nodes/behaviour.ts';
import { startController } from '../scenarios/controller.ts';
import { serveDashboard } from '../scenarios/dashboard-fixture.ts';
import { type Environment, type EnvironmentOptions, peopleFileOf } from '../scenarios/environment.ts';
import { startHookServer } from '../scenarios/hook-server.ts';
import { startUsers } from '../scenarios/users.ts';
import { startAlertReceiver } from './alert-receiver.ts';
import { startKubectlViews } from './kubectl-views.ts';
import { PodPlayer } from './kubelet/pod-player.ts';
import type { Played } from './mistake.ts';
import { playMistake, type Stage } from './play-mistake.ts';
import { mistakes } from './table/index.ts';
import { markdownOf, recordPlayed } from './table-of-seconds.ts';

/** Mistakes at a time, each in its own namespace. */
const AT_ONCE = 4;
const TLS = join(import.meta.dirname, '..', 'fixtures', 'tls');
/** A kind that one of the mistakes does without. */
const UNINSTALLED = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'trafficsplits.split.smi-spec.io' };

/**
 * Each mistake is made on this cluster: every surface names what to correct, while the release waits and after its end, and the remedy that `serin why` prints, taken literally, leads to a
 * promotion. `RECORD=name` records the seconds.
 */
export function describeMistakes(cluster: 'embedded' | 'real', start: (options: EnvironmentOptions) => Promise<Environment>): void {
  vi.setConfig({ maxConcurrency: AT_ONCE });
  const played: Played[] = [];
  const ends: (() => unknown)[] = [];
  let stage: Stage;
  let player: PodPlayer | undefined;

  beforeAll(async () => {
    const { dir } = await ensureBinaries();
    // The player has the pods that a kubelet cannot start.
    const appFor = (pod: KubeObject): Partial<AppBehaviour> => (player?.isFaulty(pod) ? { waitsFor: 'ContainerCreating' } : {});
    const environment = await start({ appFor });
    ends.push(() => environment.stop());
    player = new PodPlayer(environment.cluster);
    ends.push(() => player?.stop());
    await player.synced;
    await environment.cluster.delete(UNINSTALLED);
    const controller = startController(environment);
    ends.push(() => controller.stop());
    const [hooks, alerts] = await Promise.all([startHookServer(), startAlertReceiver()]);
    const untrusted = createServer(
      { cert: readFileSync(join(TLS, 'server.crt')), key: readFileSync(join(TLS, 'server.key')) },
      (_, answer) => answer.end(),
    );
    await new Promise<void>((resolve) => untrusted.listen(0, '127.0.0.1', resolve));
    const address = untrusted.address();
    ends.push(
      () => hooks.stop(),
      () => alerts.stop(),
      () => untrusted.close(),
    );
    const reader = { kubectl: join(dir, 'kubectl'), kubeconfigFile: peopleFileOf(environment) };
    const kubectl = startKubectlViews(reader.kubectl, reader.kubeconfigFile);
    ends.push(() => kubectl.stop());
    const dashboard = await serveDashboard(environment.cluster, async () => undefined);
    ends.push(() => dashboard.stop());
    stage = {
      fixture: {
        environment,
        hooks,
        untrustedUrl: `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
        prometheusUrl: environment.prometheusUrl,
        alertUrl: (namespace) => alerts.url(namespace),
        askFor(namespace) {
          const users = startUsers(environment.mesh.urls, `web.${namespace}`, {}, { pauseMs: 250 });
          ends.push(() => users.stop());
        },
      },
      reader,
      views: { kubectl, alerts, reader },
      dashboard,
      folder: mkdtempSync(join(tmpdir(), 'serin-mistakes-')),
    };
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
    process.stdout.write(`${markdownOf(played)}\n`);
  });

  describe.concurrent('a mistake', () => {
    it('is tried with at least twenty mistakes', () => expect(mistakes.length).toBeGreaterThanOrEqual(20));
    const here = mistakes.filter(({ only }) => only === undefined || only === cluster);
    it.for(here)('$id: every surface names it, before and after the end, and its remedy leads to a promotion', async (mistake) => {
      const one = await playMistake(mistake, stage);
      played.push(one);
      // At once: a run that is broken off keeps its rows.
      recordPlayed(cluster, [one]);
      const { unnamed, remedy } = one;
      expect({ unnamed, remedy: remedy.result }, `${remedy.printed}\n${remedy.done}`).toEqual({ unnamed: {}, remedy: 'promoted' });
    });
  });
}
