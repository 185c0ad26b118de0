import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type ControllerProcess, startController } from './controller.ts';
import { serviceApplication } from './kinds/core-service.ts';
import { daemonSetApplication } from './kinds/daemon-set.ts';
import { knativeApplication } from './kinds/knative.ts';
import { describeRefusedTraffic } from './refused-traffic.ts';
import type { Stage } from './stage.ts';
import { APP, Story } from './story.ts';

const CROWD = { each: 2, pauseMs: 200 };

interface Steering {
  what: string;
  row: string;
  service: Record<string, unknown>;
  /** What the Services hold of it; absent: all of it. */
  held?: Record<string, unknown>;
  /** The condition's message, where the cluster does not take it. */
  told?: RegExp;
}

const steerings: Steering[] = [
  { what: 'local', row: 'S7', service: { internalTrafficPolicy: 'Local' } },
  { what: 'same-zone', row: 'S8', service: { trafficDistribution: 'PreferSameZone' } },
  { what: 'same-node', row: 'S8', service: { trafficDistribution: 'PreferSameNode' } },
  { what: 'sticky', row: 'S6', service: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } } },
  {
    what: 'unknown',
    row: 'S1, S2',
    service: { trafficDistribution: 'example.org/nearest', internalTrafficPolicy: 'Cluster' },
    held: { internalTrafficPolicy: 'Cluster', trafficDistribution: undefined },
    told: /spec\.service\.trafficDistribution.*example\.org\/nearest/,
  },
];

/** Blue/Green over plain Services, by selectors alone: a proxy on each node, nodes in two zones, a pod on each node. */
export function describeSteeredReleases(stageOf: () => Stage): void {
  describe('Blue/Green over Services that steer traffic', () => {
    let controller: ControllerProcess;
    beforeAll(() => {
      controller = startController(stageOf());
    });
    afterAll(() => controller?.stop());

    describeRefusedTraffic(stageOf, () => controller, { Service: serviceApplication, 'Knative Service': knativeApplication });

    it.concurrent.each(steerings)(
      '07-S3, $row: $what: each moment of a release has a ready endpoint, and nobody is lost',
      async ({ what, service, held = service, told }) => {
        const { cluster } = stageOf();
        const story = await Story.begin(stageOf(), controller, `steered-${what}`);
        const { given, when, then, namespace } = story;
        const app = daemonSetApplication(cluster, namespace);
        const endpoints = watchApex(stageOf(), namespace);
        try {
          await app.create();
          // A node whose pod goes before the next one is there has none under Local, whoever releases.
          const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
          await cluster.patch({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: APP, namespace }, { spec: { updateStrategy } });
          await given.itServes();
          given.users({}, CROWD);
          endpoints.begin();
          const spec = { ...app.spec, provider: 'kubernetes', service: { port: 80, targetPort: 'http', ...service } };
          await given.aCanary({ iterations: 1, metrics: [] }, spec);
          for (const name of [APP, `${APP}-primary`, `${APP}-canary`]) {
            const made = await cluster.get({ apiVersion: 'v1', kind: 'Service', name, namespace });
            for (const [field, value] of Object.entries(held)) expect(made?.spec[field], `${name} ${field}`).toEqual(value);
          }
          if (told) await then.itIsTold('ServiceTrafficRefused', told);
          await when.thisHappens(() => app.push('2'));
          await then.releaseEnds('Succeeded');
          await app.primaryRuns('2');
          await then.everyoneGets('2');
          expect(endpoints.empty()).toEqual([]);
          then.nothingWasLost();
        } finally {
          endpoints.stop();
          await story.end();
        }
      },
    );
  });
}

/** The states of the apex Service's endpoints in which none was ready. */
function watchApex({ cluster }: Stage, namespace: string) {
  const slices = new Map<string, KubeObject>();
  const empty: string[] = [];
  let isOn = false;
  const look = (): void => {
    const all: { conditions: { ready?: boolean } }[] = [...slices.values()].flatMap((slice) => slice.endpoints ?? []);
    if (isOn && !all.some(({ conditions }) => conditions.ready)) empty.push(JSON.stringify(all));
  };
  const watch = cluster.watch(
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', namespace },
    {
      onEvent({ type, object }) {
        if (type === 'DELETED') slices.delete(object.metadata.name);
        else slices.set(object.metadata.name, object);
        look();
      },
      onList(items) {
        slices.clear();
        for (const item of items) slices.set(item.metadata.name, item);
        look();
      },
    },
    { labelSelector: `kubernetes.io/service-name=${APP}` },
  );
  return {
    begin() {
      isOn = true;
      look();
    },
    empty: () => [...empty],
    stop: () => watch.stop(),
  };
}
