import { describe, expect, it } from 'vitest';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { setTraffic } from '../../src/cli/traffic/set-traffic.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { trafficEntries } from '../../src/routers/knative/traffic.ts';
import { raw } from '../fakes/raw.ts';
import { block, documentedCases, flagsOf, trafficCases, trafficMistakes, UNTOUCHED, written } from './knative-traffic-cases.ts';
import { afterAll, beforeAll } from './world.ts';

const NAMESPACE = 'by-hand';

/** `serin traffic set` against an API server that has Knative's definitions: the written traffic is the stored traffic. */
export function knativeTrafficSuite(where: string, start: () => Promise<{ cluster: KubeCluster; stop(): Promise<void> }>): void {
  describe(`the traffic block of a Knative Service on ${where}`, () => {
    let environment: Awaited<ReturnType<typeof start>>;
    let made = 0;
    beforeAll(async () => {
      environment = await start();
      await environment.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    });
    afterAll(() => environment?.stop());

    /** A Service with a field that this version of the command does not know. */
    const aService = (traffic: string): Promise<KubeObject> => {
      made += 1;
      return environment.cluster.create({
        apiVersion: 'serving.knative.dev/v1',
        kind: 'Service',
        metadata: { name: `web-${made}`, namespace: NAMESPACE },
        spec: { template: { spec: { timeoutSeconds: 60, containers: [{ image: 'web:1' }] } }, traffic: block(traffic) },
      });
    };

    it.each([...trafficCases, ...documentedCases.map(([title, ...rest]) => [`${title}`, ...rest] as const)])(
      '%s',
      async (_, before, line, expected) => {
        const service = await aService(before);
        const answer = await setTraffic(environment.cluster, NAMESPACE, service.metadata.name, flagsOf(line));
        const now = await environment.cluster.get(refOf(service));
        expect(written(trafficEntries(now ?? service))).toBe(expected);
        expect(raw(now)?.spec.template).toEqual(raw(service).spec.template);
        // Traffic that is already set is not written.
        expect(answer === undefined).toBe(before === expected);
        expect(now?.metadata.resourceVersion === service.metadata.resourceVersion).toBe(before === expected);
      },
    );

    it.each(trafficMistakes)('%s', async (_, line, message) => {
      const service = await aService(UNTOUCHED);
      await expect(setTraffic(environment.cluster, NAMESPACE, service.metadata.name, flagsOf(line))).rejects.toThrow(message);
      const now = await environment.cluster.get(refOf(service));
      expect(now?.metadata.resourceVersion, 'nothing was written').toBe(service.metadata.resourceVersion);
    });
  });
}
