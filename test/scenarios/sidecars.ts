import { createServer } from 'node:http';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { workloadLabels } from '../../src/embedded/mesh/traffic-metrics.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';
import { world } from './world.ts';

/** Requests that pods have answered. */
export interface Sent {
  requests: number;
  failures: number;
}

/** Sidecars of Istio, one for each pod of a namespace, that Prometheus finds and scrapes one by one. */
export interface Sidecars {
  /** Lists them, for a Prometheus. */
  readonly discoveryUrl: string;
  /** Refuses this number of scrapes at all sidecars of a workload, or at `most` of them. */
  refuse(workload: string, scrapes: number, most?: number): Promise<void>;
  /** Scrapes that the sidecars of a workload will still refuse. */
  refusing(workload: string): Promise<number>;
  /** The counters of a workload's sidecars begin at zero again. */
  reset(workload: string): Promise<void>;
  /** Changes each exposition from now on. Without an argument, expositions are unmodified. */
  alter(change?: (text: string) => string): void;
  /** Scrapes since the last change, of the pod that had fewest. */
  fewestScrapes(): Promise<number>;
  /** Answers of all pods of a workload since the mesh began. */
  sent(workload: string): Sent;
  stop(): Promise<void>;
}

const isFailure = (status: string): boolean => Number(status) >= 500;

export async function startSidecars({ cluster, mesh }: Pick<Environment, 'cluster' | 'mesh'>, namespace: string): Promise<Sidecars> {
  let change = (text: string): string => text;
  const refusals = new Map<string, number>();
  const scrapes = new Map<string, number>();
  /** Counts at the last reset, by pod and status. */
  const before = new Map<string, Map<string, number>>();

  const pods = async (): Promise<KubeObject[]> =>
    (await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace })).items.filter((pod) => raw(pod).status?.podIP);

  const answered = (pod: string): Map<string, number> => {
    const byStatus = new Map<string, number>();
    for (const { labels, value } of mesh.metricsSamples()) {
      const isOurs = labels.__name__ === 'http_requests_total' && labels.kubernetes_namespace === namespace;
      const { status = '' } = labels;
      if (isOurs && labels.kubernetes_pod_name === pod) byStatus.set(status, (byStatus.get(status) ?? 0) + value);
    }
    return byStatus;
  };

  const exposition = (workload: string, pod: string): string => {
    const labels = `reporter="destination",destination_workload_namespace="${namespace}",destination_workload="${workload}"`;
    const lines = [...answered(pod)].flatMap(([status, count]) => {
      const since = count - (before.get(pod)?.get(status) ?? 0);
      return since > 0 ? [`istio_requests_total{${labels},response_code="${status}"} ${since}\n`] : [];
    });
    return change(`# TYPE istio_requests_total counter\n${lines.join('')}`);
  };

  const server = createServer(async (request, response) => {
    const [, path = '', workload = '', pod = ''] = (request.url ?? '').split('/');
    try {
      if (path === 'targets') {
        const all = await pods();
        const targets = all.map((one) => ({
          targets: [listener.url.slice('http://'.length)],
          labels: { __metrics_path__: `/pods/${workloadLabels(one).name}/${one.metadata.name}`, instance: one.metadata.name },
        }));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(targets));
        return;
      }
      const left = refusals.get(pod) ?? 0;
      if (left > 0) {
        refusals.set(pod, left - 1);
        response.writeHead(503).end();
        return;
      }
      scrapes.set(pod, (scrapes.get(pod) ?? 0) + 1);
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(exposition(workload, pod));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  const listener = await world().network.listen(server);

  const ofWorkload = async (workload: string): Promise<string[]> =>
    (await pods()).filter((one) => workloadLabels(one).name === workload).map(({ metadata }) => metadata.name);

  return {
    discoveryUrl: `${listener.url}/targets`,
    async refuse(workload, scrapes, most = Number.POSITIVE_INFINITY) {
      for (const pod of (await ofWorkload(workload)).slice(0, most)) refusals.set(pod, scrapes);
    },
    async refusing(workload) {
      return (await ofWorkload(workload)).reduce((sum, pod) => sum + (refusals.get(pod) ?? 0), 0);
    },
    async reset(workload) {
      for (const pod of await ofWorkload(workload)) before.set(pod, answered(pod));
    },
    alter(next = (text) => text) {
      change = next;
      scrapes.clear();
    },
    async fewestScrapes() {
      return Math.min(...(await pods()).map(({ metadata }) => scrapes.get(metadata.name) ?? 0));
    },
    sent(workload) {
      const byStatus = Object.entries(mesh.counts().byWorkload[`${namespace}/${workload}`] ?? {});
      const sum = (counts: [string, number][]) => counts.reduce((total, [, count]) => total + count, 0);
      return { requests: sum(byStatus), failures: sum(byStatus.filter(([status]) => isFailure(status))) };
    },
    stop: () => listener.close(true),
  };
}
