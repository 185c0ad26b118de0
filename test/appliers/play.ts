import { loadavg } from 'node:os';
import type { KubeObject } from '../../src/api/kube-object.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import type { HookServer } from '../scenarios/hook-server.ts';
import { canaryRef } from '../scenarios/troubles/objects.ts';
import { until } from '../scenarios/until.ts';
import { startUsers, type Users } from '../scenarios/users.ts';
import { monotonicMs, sleep } from '../scenarios/world.ts';
import type { Applier } from './applier.ts';
import type { Cell, Moment } from './results.ts';
import { APP, callOf, canary, isAsInManifest, manifests, refOfSubject, type Shop, SUBJECTS, surroundings } from './shop.ts';

/** After each apply: longer than the first pauses of the brake. */
const LOOK_MS = 4_000;
const LONGEST_MS = 300_000;
/** Between the two applies of a moment. */
const TIMES = 2;

export interface Ground {
  cluster: KubeCluster;
  hooks: HookServer;
  proxyUrl: string;
  /** Runs this without Serin where the mode says so. */
  meanwhile<T>(apply: () => Promise<T>): Promise<T>;
}

interface Played extends Shop {
  applier: Applier;
}

/**
 * Plays one application of each kind of subject for each tool, from its first apply to the deletion of its Canary; all go on together. Returns the errors of
 * applications that could not go on.
 */
export async function playAppliers(ground: Ground, appliers: readonly Applier[], hear: (cell: Cell) => void): Promise<string[]> {
  const shops = appliers.flatMap((applier) =>
    SUBJECTS.filter((subject) => !applier.lacks?.includes(subject)).map(
      (subject): Played => ({ applier, subject, namespace: `${applier.id}-${subject.toLowerCase()}` }),
    ),
  );
  const problems = new Map<Shop, string>();
  const all = (one: (shop: Played) => Promise<void>) =>
    Promise.all(
      shops
        .filter((shop) => !problems.has(shop))
        .map((shop) => one(shop).catch((error: unknown) => void problems.set(shop, `${shop.namespace}: ${error}`))),
    );
  const { cluster, hooks } = ground;
  const users = new Map<Shop, Users>();
  const follow = await Promise.all(shops.map((shop) => followed(cluster, shop)));
  const moment = async (name: Moment, version: string): Promise<void> => {
    await ground.meanwhile(() =>
      all(async (shop) =>
        hear(await looked(ground, shop, { moment: name, version, users: users.get(shop), seen: follow[shops.indexOf(shop)] })),
      ),
    );
  };
  try {
    await all(async (shop) => {
      const { namespace, applier } = shop;
      await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } as KubeObject, {
        fieldManager: 'platform',
      });
      for (const one of surroundings(shop)) await cluster.apply(one, { fieldManager: 'platform' });
      const { isApplied, said } = await applier.apply(namespace, manifests(shop, '1'));
      if (!isApplied) throw new Error(`${applier.id} cannot install ${namespace}: ${said}`);
      await until(cluster, deploymentRef(shop), 'is available', (now) => raw(now)?.status?.availableReplicas > 0);
      hooks.answers(namespace, 403);
      await cluster.apply(canary(shop, hooks.url(namespace)), { fieldManager: 'platform' });
      await until(cluster, canaryRef(namespace, APP), 'is initialized', (now) => raw(now)?.status?.phase === 'Initialized', {
        boundMs: LONGEST_MS,
      });
      await until(cluster, deploymentRef(shop), 'is scaled down', (now) => raw(now)?.spec.replicas === 0, { boundMs: LONGEST_MS });
      const { host, headers } = callOf(shop);
      users.set(shop, startUsers([ground.proxyUrl], host, headers));
    });
    await moment('idle', '1');
    await moment('push', '2');
    await all(async (shop) => {
      // A tool that is refused halfway has possibly pushed nothing.
      if (!isPushed(await cluster.get(deploymentRef(shop)))) await cluster.patch(deploymentRef(shop), PUSH);
      await until(
        cluster,
        canaryRef(shop.namespace, APP),
        'waits for its promotion',
        (now) => raw(now)?.status?.phase === 'WaitingPromotion',
        { boundMs: LONGEST_MS },
      );
    });
    await moment('mid-release', '2');
    await all(async (shop) => {
      hooks.answers(shop.namespace, 200);
      await until(cluster, canaryRef(shop.namespace, APP), 'has ended', (now) => raw(now)?.status?.phase === 'Succeeded', {
        boundMs: LONGEST_MS,
      });
      await until(cluster, deploymentRef(shop), 'is scaled down', (now) => raw(now)?.spec.replicas === 0, { boundMs: LONGEST_MS });
      await cluster.delete(canaryRef(shop.namespace, APP));
      const primary = { ...deploymentRef(shop), name: `${APP}-primary` };
      await until(cluster, primary, 'is gone', (now) => now === undefined, { boundMs: LONGEST_MS });
    });
    await moment('after deletion', '2');
  } finally {
    for (const each of users.values()) await each.stop();
    for (const each of follow) each.stop();
    for (const { namespace } of shops) await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  }
  return [...problems.values()];
}

const PUSH = {
  spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2', ports: [{ name: 'http', containerPort: 9898 }] }] } } },
};
const isPushed = (object: KubeObject | undefined): boolean => raw(object)?.spec.template.spec.containers[0].image === 'web:2';
const deploymentRef = ({ namespace }: Shop) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace });

interface Look {
  moment: Moment;
  version: string;
  users: Users | undefined;
  seen: Followed | undefined;
}

async function looked({ cluster }: Ground, shop: Played, { moment, version, users, seen }: Look): Promise<Cell> {
  const { subject, namespace, applier } = shop;
  const resetMs: number[] = [];
  const lostBefore = users?.lost().length ?? 0;
  let refused: string | undefined;
  let stays = false;
  let isOutOfSync = false;
  // Serin raises the target itself as a release begins, and after the Canary is gone its replicas are the user's.
  const isJudged = moment !== 'after deletion' && !(subject === 'replicas' && moment !== 'idle');
  users?.forget();
  let early = 0;
  const reached = reachedBySerin(cluster, namespace, () => {
    early = users?.byVersion()['2'] ?? 0;
  });
  for (let time = 0; time < TIMES; time += 1) {
    const fromMs = monotonicMs();
    const { isApplied, said, outOfSync } = await applier.apply(namespace, manifests(shop, version));
    isOutOfSync = outOfSync?.includes(refOfSubject(shop).kind) ?? false;
    if (!isApplied) refused ??= said;
    await sleep(LOOK_MS);
    if (!isJudged) continue;
    const { ms, isOpen } = seen?.asInManifest(fromMs) ?? { ms: 0, isOpen: false };
    if (ms > 0) resetMs.push(Math.round(ms));
    stays ||= isOpen;
  }
  reached.stop();
  const lost = (users?.lost() ?? []).slice(lostBefore);
  return {
    ...{ applier: applier.name, ...(applier.isRemedy && { isRemedy: true as const }), subject, moment },
    ...(refused !== undefined && { refused }),
    ...(resetMs.length > 0 && { resetMs }),
    ...(stays && { stays: true as const }),
    ...(isOutOfSync && { isOutOfSync: true as const }),
    lost: lost.length,
    ...(lost.length > 0 && { because: [...new Set(lost.map(reasonOf))] }),
    // A route sends its share there at mid-release.
    early: moment === 'push' || (moment === 'mid-release' && subject === 'Service') ? early : 0,
    load: Math.round(loadavg()[0] ?? 0),
  };
}

/** Reason of a lost request, without its time. */
const reasonOf = (lost: string): string => lost.slice(lost.indexOf(' ') + 1);

/** Calls back each time until Serin first sends requests to the canary. */
function reachedBySerin(cluster: KubeCluster, namespace: string, count: () => void): { stop(): void } {
  let isReached = false;
  const timer = setInterval(() => !isReached && count(), 50);
  const look = (object: KubeObject | undefined) => {
    const { canaryWeight = 0, phase } = raw(object)?.status ?? {};
    if (!isReached && canaryWeight > 0 && phase !== 'Succeeded') {
      count();
      isReached = true;
    }
  };
  const watch = cluster.watch(
    { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace },
    { onEvent: ({ object }) => look(object), onList: ([one]) => look(one) },
  );
  return {
    stop() {
      clearInterval(timer);
      watch.stop();
    },
  };
}

interface Followed {
  /** Milliseconds since then for which the object said what the manifest says, and whether it does now. */
  asInManifest(fromMs: number): { ms: number; isOpen: boolean };
  stop(): void;
}

async function followed(cluster: KubeCluster, shop: Shop): Promise<Followed> {
  const { apiVersion, kind, name, namespace } = refOfSubject(shop);
  const history: { atMs: number; isAs: boolean }[] = [];
  const look = (object: KubeObject | undefined) => {
    if (object) history.push({ atMs: monotonicMs(), isAs: isAsInManifest(shop.subject, object) });
  };
  const watch = cluster.watch(
    { apiVersion, kind, ...(namespace !== undefined && { namespace }) },
    { onEvent: ({ type, object }) => type !== 'DELETED' && look(object), onList: ([one]) => look(one) },
    { fieldSelector: `metadata.name=${name}` },
  );
  await watch.synced;
  return {
    asInManifest(fromMs) {
      const untilMs = monotonicMs();
      const ends = history.map((_, index) => history[index + 1]?.atMs ?? untilMs);
      const ms = history.reduce((sum, { atMs, isAs }, index) => {
        const end = ends[index] ?? untilMs;
        return isAs && end > fromMs ? sum + end - Math.max(atMs, fromMs) : sum;
      }, 0);
      return { ms, isOpen: history.at(-1)?.isAs ?? false };
    },
    stop: () => watch.stop(),
  };
}
