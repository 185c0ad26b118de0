import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Application, type ApplicationOptions, anApplication, type Behaviour, SPREAD, versionOf } from './applications.ts';
import type { Controller } from './controllers.ts';
import { type ControllerName, signalLeader, throttle } from './faults.ts';
import type { PlayedRelease } from './played-release.ts';
import type { RealNode } from './real-node.ts';
import { startUsers } from './users.ts';

/** In the order of the table. */
export const BEHAVIOURS: readonly Behaviour[] = ['good', 'failing', 'slow', 'broken', 'unready', 'exits', 'leaks'];

export const FAULTS: Readonly<Record<string, (node: RealNode, controller: ControllerName) => Promise<unknown>>> = {
  calm: async () => undefined,
  'leader killed': (node, controller) => signalLeader(node, 'SIGKILL', controller),
  'API server refuses the controller': throttle,
  // The addons have one replica each, and are not drained.
  'node drained': (node) => node.kubectl('drain', 'node2', '--ignore-daemonsets', '--pod-selector=!k8s-app', '--timeout=120s'),
};

export type WayName = 'Blue/Green' | 'weights';
/** URL of the proxy for releases by weights, and the address of an application that sends requests to canaries. */
export interface Ground {
  proxyUrl: string;
  checker: string;
}

const hostOf = (namespace: string): string => `${namespace}.example.org`;

/** Options of the application; checks of 10 s. */
const WAYS: Readonly<Record<WayName, (namespace: string) => ApplicationOptions>> = {
  'Blue/Green': () => ({ iterations: 6 }),
  weights: (namespace) => ({
    canary: { provider: 'contour' },
    analysis: { stepWeight: 10, maxWeight: 50 },
    beside: [
      {
        apiVersion: 'projectcontour.io/v1',
        kind: 'HTTPProxy',
        metadata: { name: 'users' },
        spec: { virtualhost: { fqdn: hostOf(namespace) }, includes: [{ name: 'shop', conditions: [{ prefix: '/' }] }] },
      } as { metadata: { name: string } },
    ],
  }),
};

/** Good and bad releases at the same time, in the middle of which the fault comes. */
export interface Round {
  controller: Controller;
  way: WayName;
  fault: string;
}

/** Time for which users send requests after the end: errors of a promoted version show then. */
const AFTERWARDS_MS = 15_000;
/** Time until the fault begins: the canary is ready and is judged. */
const INTO_THE_RELEASE_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
const GIVEN_UP_MS = 300_000;
const ENDS = ['Succeeded', 'Failed'];

/** A release of each behaviour. */
export async function play(node: RealNode, { controller, way, fault }: Round, { proxyUrl, checker }: Ground): Promise<PlayedRelease[]> {
  const at = `${Object.keys(WAYS).indexOf(way)}-${Object.keys(FAULTS).indexOf(fault)}`;
  const shops = await Promise.all(
    BEHAVIOURS.map(async (behaviour) => {
      const namespace = `${behaviour}-${at}`;
      const shop = await anApplication(node, controller, namespace, { pod: SPREAD, ...WAYS[way](namespace) });
      await isInitialized(node, controller, shop, checker);
      return { behaviour, shop };
    }),
  );
  const released = shops.map(async ({ behaviour, shop }): Promise<PlayedRelease> => {
    const users = way === 'weights' ? startUsers(proxyUrl, versionOf, hostOf(shop.namespace)) : startUsers(await shop.url(), versionOf);
    const beganMs = performance.now();
    await shop.release('2', behaviour);
    const phase = await phaseAtLast(node, shop.namespace, ENDS);
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    await sleep(AFTERWARDS_MS);
    const { sent, lost, misled, answers } = await users.stop();
    const failed = [...lost, ...misled];
    return {
      controller: controller.name,
      way,
      fault,
      behaviour,
      phase,
      seconds,
      sent,
      failed: failed.length,
      reasons: counted(failed),
      answeredByNew: answers.get('2') ?? 0,
    };
  });
  await sleep(INTO_THE_RELEASE_MS);
  await FAULTS[fault]?.(node, controller.name);
  const outcomes = await Promise.all(released);
  for (const { shop } of shops) await node.kubectl('delete', 'namespace', shop.namespace, '--wait=false');
  return outcomes;
}

/** Number of lines for each reason, without the time at their beginning, and the port and the duration at their end. */
function counted(lost: readonly string[]): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const line of lost) {
    const reason = line.slice(line.indexOf(' ') + 1).replace(/( from port .*)? \(after \d+ ms\)$/, '');
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  return reasons;
}

/** Waits until the Canary is initialized, and adds the hook that sends a request to the canary. */
async function isInitialized(node: RealNode, controller: Controller, { namespace }: Application, checker: string): Promise<void> {
  const phase = await phaseAtLast(node, namespace, ['Initialized']);
  if (phase !== 'Initialized') throw new Error(`${namespace}: ${controller.name} has not initialized its Canary, which is ${phase}`);
  const canary = await node.kubectl('get', 'service', 'shop-canary', '-n', namespace, '-o', 'jsonpath={.spec.clusterIP}');
  const hook = { name: 'asks the canary', type: 'rollout', url: `http://${checker}/check?url=http://${canary}/`, timeout: '15s' };
  const patch = { spec: { analysis: { webhooks: [hook] } } };
  await node.kubectl('patch', 'canary', 'shop', '-n', namespace, '--type', 'merge', '-p', JSON.stringify(patch));
}

/** The first of these phases that is reached; after five minutes the current phase with a question mark. */
async function phaseAtLast(node: RealNode, namespace: string, phases: readonly string[]): Promise<string> {
  const deadlineMs = performance.now() + GIVEN_UP_MS;
  for (;;) {
    const canary = await node.plane.cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'shop', namespace });
    const phase = phaseOf(canary);
    if (phases.includes(phase)) return phase;
    if (performance.now() > deadlineMs) return `${phase}?`;
    await sleep(LOOK_EVERY_MS);
  }
}

const phaseOf = (canary: KubeObject | undefined): string => String((canary?.status as { phase?: string } | undefined)?.phase ?? '');
