import { describe, expect, it } from 'vitest';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { eventually } from './eventually.ts';
import { until } from './until.ts';
import { afterAll, beforeAll } from './world.ts';

interface Topology {
  title: string;
  /** `zone` or `zone:CPUs` of each node; `-`: it says no zone. */
  nodes: string;
  /** The node of each pod, by its place; `!`: it is not ready. */
  pods: string;
  auto?: true;
  wish?: string;
  /** `zone>zones/nodes` that each endpoint is hinted to, sorted: which pod of a zone is lent does not matter. */
  hints: string;
}

const topologies: Topology[] = [
  { title: 'nothing without a wish', nodes: 'a b', pods: '0 1', hints: 'a> b>' },
  { title: 'PreferClose, two zones', nodes: 'a b', pods: '0 1 1', wish: 'PreferClose', hints: 'a>a b>b b>b' },
  { title: 'PreferSameZone, three zones', nodes: 'a b c', pods: '0 1 2 2', wish: 'PreferSameZone', hints: 'a>a b>b c>c c>c' },
  { title: 'PreferSameZone, a pod not ready', nodes: 'a b', pods: '0 0! 1', wish: 'PreferSameZone', hints: 'a> a>a b>b' },
  { title: 'PreferSameZone, a node without a zone', nodes: 'a -', pods: '0 1', wish: 'PreferSameZone', hints: '-> a>a' },
  { title: 'PreferSameNode', nodes: 'a a b', pods: '0 1 2', wish: 'PreferSameNode', hints: 'a>a/n0 a>a/n1 b>b/n2' },
  { title: 'PreferSameNode, no zones', nodes: '- -', pods: '0 1', wish: 'PreferSameNode', hints: '->/n0 ->/n1' },
  { title: 'Auto, even', nodes: 'a b', pods: '0 0 1 1', auto: true, hints: 'a>a a>a b>b b>b' },
  { title: 'Auto wins over PreferSameNode', nodes: 'a b', pods: '0 1', auto: true, wish: 'PreferSameNode', hints: 'a>a b>b' },
  { title: 'Auto, lopsided', nodes: 'a b', pods: '0 0 0 1', auto: true, hints: 'a>a a>a a>b b>b' },
  { title: 'Auto, by CPUs', nodes: 'a:3 b:1', pods: '0 0 1 1', auto: true, hints: 'a>a a>a b>a b>b' },
  { title: 'Auto, too few endpoints', nodes: 'a b', pods: '0', auto: true, wish: 'PreferClose', hints: 'a>' },
  { title: 'Auto, one zone would be overloaded', nodes: 'a b', pods: '0 0 1', auto: true, hints: 'a> a> b>' },
  { title: 'Auto, a node without a zone', nodes: 'a b -', pods: '0 0 1 1', auto: true, hints: 'a> a> b> b>' },
];

const LABELS = { app: 'web' };
const ready = (isReady: boolean) => ({ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' });

/** The same hints on the embedded control plane and from kube-controller-manager, for the same pods and nodes. `start`: without any node. */
export function topologyHintsSuite(where: string, start: () => Promise<{ cluster: KubeCluster; stop(): Promise<void> }>): void {
  describe(`EndpointSlice hints on ${where}`, () => {
    let environment: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      environment = await start();
    });
    afterAll(() => environment?.stop());

    async function makeNode(text: string, index: number): Promise<void> {
      const [zone, cpu = '4'] = text.split(':');
      const labels = zone === '-' ? {} : { 'topology.kubernetes.io/zone': zone ?? '' };
      const ref = { apiVersion: 'v1', kind: 'Node', name: `n${index}` };
      await environment.cluster.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: ref.name, labels } });
      const status = { capacity: { cpu }, allocatable: { cpu }, conditions: [ready(true)] };
      await environment.cluster.patch(ref, { status }, { subresource: 'status' });
    }

    async function makePod(namespace: string, text: string, index: number): Promise<void> {
      const ref = { apiVersion: 'v1', kind: 'Pod', name: `web-${index}`, namespace };
      const spec = { nodeName: `n${Number.parseInt(text, 10)}`, containers: [{ name: 'web', image: 'web:1' }] };
      await environment.cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: ref.name, namespace, labels: LABELS }, spec });
      const podIP = `10.244.0.${index + 1}`;
      const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [ready(!text.endsWith('!'))] };
      await environment.cluster.patch(ref, { status }, { subresource: 'status' });
    }

    async function hintsIn(namespace: string): Promise<string> {
      const { items } = await environment.cluster.list({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace });
      const endpoints: Raw[] = items.flatMap((slice) => raw(slice).endpoints ?? []);
      const names = (all: { name: string }[] | undefined) => (all ?? []).map(({ name }) => name).join(',');
      return endpoints
        .map(({ zone = '-', hints }) => `${zone}>${names(hints?.forZones)}${hints?.forNodes ? `/${names(hints.forNodes)}` : ''}`)
        .toSorted()
        .join(' ');
    }

    it.each(topologies.map((each, index) => ({ ...each, namespace: `topology-${index}` })))('$title', async (topology) => {
      const { namespace, nodes, pods, auto, wish, hints } = topology;
      const { cluster } = environment;
      const kind = { apiVersion: 'v1', kind: 'Node' };
      for (const { metadata } of (await cluster.list(kind)).items) await cluster.delete({ ...kind, name: metadata.name });
      for (const [index, text] of nodes.split(' ').entries()) await makeNode(text, index);
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      // Admission requires the account; the controllers of the embedded cluster create none.
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'default', namespace };
      if (where !== 'the embedded cluster') await until(cluster, account, 'is there', (now) => now !== undefined);
      for (const [index, text] of pods.split(' ').entries()) await makePod(namespace, text, index);
      const metadata = { name: 'web', namespace, ...(auto && { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } }) };
      const spec = { selector: LABELS, ports: [{ port: 80 }], ...(wish && { trafficDistribution: wish }) };
      const service = { apiVersion: 'v1', kind: 'Service', name: 'web', namespace };
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata, spec });
      let looks = 0;
      const seen = await eventually(
        'the hints',
        async () => {
          looks += 1;
          // kube-controller-manager does not look again when a node comes that it did not know.
          if (looks % 10 === 0) await cluster.patch(service, { metadata: { labels: { looked: `${looks}` } } });
          return await hintsIn(namespace);
        },
        (now) => now === hints,
      );
      expect(seen).toBe(hints);
    });
  });
}
