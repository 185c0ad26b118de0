import { readFileSync } from 'node:fs';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { loadConnection } from '../../../src/kube/connect.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { raw } from '../../fakes/raw.ts';
import { startController } from '../controller.ts';
import type { Environment } from '../environment.ts';
import { APP, Scenario } from '../scenario.ts';
import { until } from '../until.ts';
import { monotonicMs, world } from '../world.ts';
import { type BlackHoleProxy, startBlackHoleProxy } from './black-hole-proxy.ts';

/** The issue's own bound: a lost watch is noticed after 150 s, and a step or two come after that. */
const GOES_ON_WITHIN_MS = 180_000;
/** Above the floor of 10 s, so that a hundred steps of 1% last longer than all watches take. */
const INTERVAL = '12s';
const ENDS_WITHIN_MS = 180_000;

/** The objects of the release that each watch brings; a watch that is not named here has nothing that could be touched. */
const KINDS: Record<string, { apiVersion: string; kind: string }> = {
  canaries: { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment' },
  services: { apiVersion: 'v1', kind: 'Service' },
  virtualservices: { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService' },
  destinationrules: { apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule' },
};

export interface SilentWatches {
  /** For each watch: when it was opened again and when users saw two further steps, in seconds after it was lost. */
  watches: { resource: string; reopenedAfterS: number; steppedAfterS: number }[];
  /** True if the controller at the beginning still runs at the end. */
  isSameController: boolean;
  primaryImage: string;
  /** Number of silent watches in the controller's log. */
  fellSilent: number;
}

/**
 * One release at its true pace, of which each watch in turn is lost without a word; the controller has its default silence (150 s). While a
 * watch is lost, another writer touches every object that it brings: what the controller then writes from what it knows is refused as
 * outdated, and it can go on only when it sees the touch.
 */
export async function playSilentWatches(environment: Environment, say: (line: string) => void): Promise<SilentWatches> {
  const connection = await loadConnection({ kubeconfig: environment.kubeconfigFile });
  await connection.headers(); // which also reads the certificates
  const proxy = await startBlackHoleProxy(connection.baseUrl, connection.tls?.ca);
  const controller = startController(environment, { master: proxy.url, 'min-analysis-interval': '10s' });
  const scenario = await Scenario.begin(environment, controller, 'silent-watches');
  const { cluster } = environment;
  const named = (apiVersion: string, kind: string, name = APP): ObjectRef => ({ apiVersion, kind, name, namespace: scenario.namespace });
  const route = named('networking.istio.io/v1beta1', 'VirtualService');
  const canary = named('flagger.app/v1beta1', 'Canary');
  try {
    await scenario.given.aDeployment();
    await scenario.given.aCanary({ interval: INTERVAL, stepWeight: 1, maxWeight: 100 });
    await scenario.when.imageChanges('2');
    await scenario.then.canaryReceives(1);
    const watches: SilentWatches['watches'] = [];
    for (const resource of new Set(proxy.streams().map((stream) => stream.resource))) {
      const lost = await loseWatch(proxy, resource);
      await touchAll(cluster, resource, scenario.namespace);
      const weight = routedWeight(await cluster.get(route));
      say(`${resource}: lost at ${weight}%`);
      const hint = () => `\n${readFileSync(controller.logFile, 'utf8').split('\n').slice(-40).join('\n')}`;
      const stepped = until(cluster, route, `sends ${weight + 2}% to the canary`, (now) => routedWeight(now) >= weight + 2, {
        boundMs: GOES_ON_WITHIN_MS,
        hint,
      }).then(() => lost.sinceS());
      const [reopenedAfterS, steppedAfterS] = await Promise.all([lost.reopened, stepped]);
      say(`${resource}: opened again after ${reopenedAfterS} s, two steps further after ${steppedAfterS} s`);
      watches.push({ resource, reopenedAfterS, steppedAfterS });
    }
    // The plan is edited, so that the release need not walk the rest at 1% a step.
    await cluster.patch(canary, { spec: { analysis: { stepWeight: 50 } } });
    await until(cluster, canary, 'succeeds', (now) => raw(now)?.status?.phase === 'Succeeded', { boundMs: ENDS_WITHIN_MS });
    const primary = await cluster.get(named('apps/v1', 'Deployment', `${APP}-primary`));
    return {
      watches,
      isSameController: !controller.hasExited(),
      primaryImage: raw(primary)?.spec.template.spec.containers[0].image,
      fellSilent: readFileSync(controller.logFile, 'utf8').split('watch fell silent').length - 1,
    };
  } finally {
    await scenario.end();
    await controller.stop();
    await proxy.stop();
  }
}

interface LostWatch {
  sinceS(): number;
  /** Seconds until the watch was opened again. */
  reopened: Promise<number>;
}

async function loseWatch(proxy: BlackHoleProxy, resource: string): Promise<LostWatch> {
  const isOpen = () => proxy.streams().findLast((stream) => stream.resource === resource && stream.isOpen);
  // Between two streams of a kind there is a moment without one.
  while (isOpen() === undefined) await proxy.nextStream();
  const opened = proxy.streams().length;
  isOpen()?.blackHole();
  const lostAtMs = monotonicMs();
  const sinceS = () => Math.round((monotonicMs() - lostAtMs) / 1000);
  const again = () =>
    proxy
      .streams()
      .slice(opened)
      .some((stream) => stream.resource === resource);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = world().clock.setTimer(GOES_ON_WITHIN_MS, () => reject(new Error(`the watch of ${resource} was not opened again`)));
  const open = async (): Promise<number> => {
    while (!again()) await proxy.nextStream();
    return sinceS();
  };
  return { sinceS, reopened: Promise.race([open(), late]).finally(cancel) };
}

/** An annotation: it changes nothing but the version that a write must name. */
async function touchAll(cluster: KubeCluster, resource: string, namespace: string): Promise<void> {
  const kind = KINDS[resource];
  if (kind === undefined) return;
  const { items } = await cluster.list({ ...kind, namespace });
  const metadata = { annotations: { 'example.org/touched': 'true' } };
  for (const { metadata: found } of items) await cluster.patch({ ...kind, name: found.name, namespace }, { metadata });
}

/** Percent that the live route sends to the canary. */
function routedWeight(route: KubeObject | undefined): number {
  const routes: { destination: { host: string }; weight?: number }[] = raw(route)?.spec.http?.[0]?.route ?? [];
  return routes.find(({ destination }) => destination.host === `${APP}-canary`)?.weight ?? 0;
}
