import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, SPREAD } from './applications.ts';
import { givenTwoNodes } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { outcomeOf } from './outcome.ts';

const nodes = givenTwoNodes('application', 'serin');
let installed: Installed;
beforeAll(async () => {
  installed = await installSerin(nodes().node, { leaderElection: { enabled: true, replicaCount: 2 } });
});
afterAll(() => installed?.helm.stop());

const kubectl = (...args: string[]) => nodes().node.kubectl(...args);
const promoted = { phase: 'Succeeded', lost: [], versions: ['1', '2'] };
const budget = (minAvailable: number) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'shop' },
  spec: { minAvailable, selector: { matchLabels: { app: 'shop' } } },
});

describe('on two nodes', () => {
  it('a DaemonSet is promoted, and no request is lost', async () => {
    // Its pods are replaced one after the other, and each can answer for its 30 s: two of them would need all of the usual minute.
    const canary = { progressDeadlineSeconds: 180 };
    const shop = await anApplication(nodes().node, installed, 'daemonset', { kind: 'DaemonSet', canary });
    expect(await outcomeOf(shop)).toMatchObject(promoted);
    const ready = await kubectl('get', 'daemonset', 'shop-primary', '-n', shop.namespace, '-o', 'jsonpath={.status.numberReady}');
    expect(ready).toBe('2');
  });

  it('a gate that is named by its Service is found by the DNS of the cluster', async () => {
    const gate = { name: 'gate', type: 'pre-rollout', url: 'http://shop-primary.gated/' };
    const canary = { analysis: { interval: '10s', threshold: 2, iterations: 2, webhooks: [gate] } };
    const shop = await anApplication(nodes().node, installed, 'gated', { canary });
    expect(await outcomeOf(shop)).toMatchObject(promoted);
  });

  it("an autoscaler with the metrics of metrics-server: the release is promoted, and the primary's autoscaler still reads the use of its pods", async () => {
    const scaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'shop' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
        minReplicas: 2,
        maxReplicas: 4,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
      },
    };
    const autoscalerRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'shop' };
    const shop = await anApplication(nodes().node, installed, 'scaled', { canary: { autoscalerRef }, beside: [scaler] });
    expect(await outcomeOf(shop)).toMatchObject(promoted);
    // Set once the use of its pods was read.
    await kubectl('wait', 'hpa/shop-primary', '-n', shop.namespace, '--for=condition=ScalingActive', '--timeout=180s');
  });

  it('I10: an eviction that the budget refuses, and a drain once it permits one: the release is promoted, and no request is lost', async () => {
    const shop = await anApplication(nodes().node, installed, 'drained', { iterations: 8, pod: SPREAD, beside: [budget(2)] });
    const drain = (...flags: string[]) => kubectl('drain', 'node2', '--ignore-daemonsets', '--pod-selector=app', ...flags);
    const outcome = await outcomeOf(shop, {
      meanwhile: async () => {
        await expect(drain('--timeout=10s')).rejects.toThrow("would violate the pod's disruption budget");
        await installed.apply({ ...budget(1), metadata: { name: 'shop', namespace: shop.namespace } });
        await drain('--timeout=120s');
      },
    });
    await kubectl('uncordon', 'node2');
    expect(outcome).toMatchObject(promoted);
  });

  it('I10: the kubelet of one node is halted for a minute: the release is promoted, and no request is lost', async () => {
    const shop = await anApplication(nodes().node, installed, 'halted', { iterations: 6, pod: SPREAD });
    const { kubelet } = nodes().second;
    const outcome = await outcomeOf(shop, {
      meanwhile: async () => {
        kubelet.send('STOP');
        await kubectl('wait', 'node/node2', '--for=condition=Ready=Unknown', '--timeout=180s');
        // The length of the fault.
        await sleep(20_000);
        kubelet.send('CONT');
      },
    });
    expect(outcome).toMatchObject(promoted);
  });

  it('I10: a node is lost for good: the release ends, and requests are lost only until the cluster counts its pods as lost', async () => {
    const tolerations = ['not-ready', 'unreachable'].map((what) => ({
      key: `node.kubernetes.io/${what}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 5,
    }));
    const shop = await anApplication(nodes().node, installed, 'lost', { iterations: 6, pod: { ...SPREAD, tolerations } });
    let countedAt = '';
    const outcome = await outcomeOf(shop, {
      meanwhile: async () => {
        await nodes().second.unplug();
        await kubectl('wait', 'node/node2', '--for=condition=Ready=Unknown', '--timeout=180s');
        await expect.poll(() => readyOn('node2', shop.namespace), { timeout: 180_000 }).toEqual([]);
        countedAt = new Date().toISOString();
      },
    });
    expect(outcome).toMatchObject({ phase: 'Succeeded', versions: ['1', '2'] });
    expect(outcome.lost.filter((line) => line.slice(0, countedAt.length) > later(countedAt))).toEqual([]);
  });
});

/** Pods of a node that the cluster sends requests of the application to. */
async function readyOn(node: string, namespace: string): Promise<string[]> {
  const { items }: { items: Slice[] } = JSON.parse(
    await kubectl('get', 'endpointslices', '-n', namespace, '-l', 'kubernetes.io/service-name=shop', '-o', 'json'),
  );
  const endpoints = items.flatMap((slice) => slice.endpoints ?? []);
  return endpoints
    .filter(({ nodeName, conditions }) => nodeName === node && conditions?.ready !== false)
    .map(({ targetRef }) => targetRef.name);
}

interface Slice {
  endpoints?: { nodeName: string; conditions?: { ready?: boolean }; targetRef: { name: string } }[];
}

/** The rules of kube-proxy follow EndpointSlices after a moment. */
const later = (at: string): string => new Date(Date.parse(at) + 5_000).toISOString();
