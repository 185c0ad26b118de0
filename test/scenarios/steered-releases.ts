import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/embedded/mesh/service-proxy.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { serviceApplication } from './kinds/core-service.ts';
import { daemonSetApplication } from './kinds/daemon-set.ts';
import { knativeApplication } from './kinds/knative.ts';
import { watchReadiness } from './ready-everywhere.ts';
import { describeRefusedTraffic } from './refused-traffic.ts';
import { APP, Scenario } from './scenario.ts';
import { afterAll, beforeAll } from './world.ts';

const CROWD = { each: 2, pauseMs: 200 };
const INSIDE: Client = { address: '10.0.0.7', isOutside: false };
const OUTSIDE: Client = { address: '192.0.2.7', isOutside: true };
/** Header that marks a request through a node port. */
const BY_NODE_PORT = { 'x-serin-entry': 'node-port' };
/** Settings of another controller on a Service, which steer nothing here. */
const FOREIGN = { metadata: { annotations: { 'example.org/owner': 'edge' } }, spec: { ipFamilyPolicy: 'PreferDualStack' } };
const AUTO = { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } };

interface Steering {
  what: string;
  service: Record<string, unknown>;
  /** Settings that the Services hold. Default: all of `service`. */
  held?: Record<string, unknown>;
  /** The condition's message, where the cluster does not take it. */
  message?: RegExp;
  /** The apex is reachable from outside, and so are its users. */
  isOpen?: true;
}

/** Each value of each field once, in few releases: a busy machine has to bear all of them at once. */
const steerings: Steering[] = [
  { what: 'local', service: { internalTrafficPolicy: 'Local' } },
  { what: 'same-zone', service: { trafficDistribution: 'PreferSameZone' } },
  {
    what: 'same-node-and-sticky',
    service: {
      trafficDistribution: 'PreferSameNode',
      clientAffinity: 'ClientIP',
      clientAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    },
    held: {
      trafficDistribution: 'PreferSameNode',
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    },
  },
  {
    what: 'outside-local',
    service: { externalTrafficPolicy: 'Local', trafficDistribution: 'PreferClose' },
    isOpen: true,
  },
  {
    what: 'outside-auto-unknown',
    service: { externalTrafficPolicy: 'Cluster', internalTrafficPolicy: 'Cluster', trafficDistribution: 'example.org/nearest', apex: AUTO },
    held: { externalTrafficPolicy: 'Cluster', internalTrafficPolicy: 'Cluster', trafficDistribution: undefined },
    message: /spec\.service\.trafficDistribution.*example\.org\/nearest/,
    isOpen: true,
  },
];

/**
 * Blue/Green over plain Services, only by selectors: a proxy on each node, nodes in two zones, a pod on each node. With users at each of the proxies, and a
 * look at every state from every node.
 */
export function describeSteeredReleases(environmentOf: () => Environment): void {
  describe('Blue/Green over Services that steer traffic', () => {
    let controller: ControllerProcess;
    beforeAll(() => {
      controller = startController(environmentOf());
    });
    afterAll(() => controller?.stop());

    describeRefusedTraffic(environmentOf, () => controller, { Service: serviceApplication, 'Knative Service': knativeApplication });

    it.concurrent.each(steerings)(
      '$what: from each node of each zone every moment of a release has a ready endpoint, no request is lost, and what others wrote stays',
      async ({ what, service, held = service, message, isOpen }) => {
        const { cluster } = environmentOf();
        const scenario = await Scenario.begin(environmentOf(), controller, `steered-${what}`);
        const { given, when, then, namespace } = scenario;
        const app = daemonSetApplication(cluster, namespace);
        const headers: Record<string, string> = isOpen ? BY_NODE_PORT : {};
        const apex = { name: APP, namespace };
        const readiness = watchReadiness(environmentOf(), apex, isOpen ? [INSIDE, OUTSIDE] : [INSIDE]);
        try {
          await app.create();
          // Under Local, a node whose pod ends before the next one is ready has no endpoint, with any controller.
          const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
          await cluster.patch({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: APP, namespace }, { spec: { updateStrategy } });
          if (isOpen) await cluster.patch({ apiVersion: 'v1', kind: 'Service', ...apex }, { spec: { type: 'NodePort' } });
          // Every proxy has seen that it is open when users come in from outside.
          await then.everyoneGets('1', headers);
          given.users(headers, CROWD);
          await readiness.begin();
          const spec = { ...app.spec, provider: 'kubernetes', service: { port: 80, targetPort: 'http', ...service } };
          await given.aCanary({ iterations: 1, metrics: [] }, spec);
          // The policy for clients outside goes to the Service that they reach.
          for (const name of isOpen ? [APP] : [APP, `${APP}-primary`, `${APP}-canary`]) {
            const made = await cluster.get({ apiVersion: 'v1', kind: 'Service', name, namespace });
            for (const [field, value] of Object.entries(held)) expect(raw(made)?.spec[field], `${name} ${field}`).toEqual(value);
          }
          const services = [APP, `${APP}-primary`, `${APP}-canary`].map((name) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }));
          for (const ref of services) await cluster.patch(ref, FOREIGN);
          if (message) await then.itIsReported('ServiceTrafficRejected', message);
          await when.thisHappens(() => app.push('2'));
          await then.releaseEnds('Succeeded');
          await app.primaryRuns('2');
          await then.everyoneGets('2', headers);
          for (const ref of services) expect(await cluster.get(ref), ref.name).toMatchObject(FOREIGN);
          expect(readiness.gaps()).toEqual([]);
          expect(readiness.looked().zones).toEqual(['zone-1', 'zone-2']);
          then.nothingWasLost();
        } finally {
          readiness.stop();
          await scenario.end();
        }
      },
    );
  });
}
