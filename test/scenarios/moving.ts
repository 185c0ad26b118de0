import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { FlaggerApplication, NAME, templateOf } from './flagger/flagger-application.ts';
import { weighted } from './flagger/objects.ts';
import { startUsers } from './users.ts';

const analysis = { stepWeight: 25, maxWeight: 50 };
const idle = { phase: 'Initialized', http: weighted(NAME, 0), analysis } as const;
const isResting = (phase: string) => (now: KubeObject | undefined) =>
  raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting';

/** Settings that a moving Canary takes along, and settings that it leaves behind. Other controllers must not run on the environment. */
export function describeMoving(environmentOf: () => Environment): void {
  describe('moving over and back', () => {
    it('I3: a field that the other controller set by PUT, or a user by kubectl edit, does not survive a promotion that leaves it out', async () => {
      const environment = environmentOf();
      const left = new FlaggerApplication(environment, 'leftovers');
      const [web] = templateOf('1').spec.containers;
      const old = {
        ...web,
        env: [{ name: 'OLD', value: 'yes' }],
        ports: [...web.ports, { name: 'metrics', containerPort: 9102 }],
        volumeMounts: [{ name: 'old', mountPath: '/old' }],
      };
      const pods = { containers: [old, { name: 'old-helper', image: 'helper:1' }], volumes: [{ name: 'old', emptyDir: {} }] };
      const [rule] = weighted(NAME, 0);
      const headers = { request: { set: { 'x-old': 'yes' } } };
      const service = { port: 80, targetPort: 'http', portDiscovery: true };
      await left.stands({
        ...idle,
        pods,
        ports: [{ name: 'metrics', protocol: 'TCP', port: 9102, targetPort: 9102 }],
        http: [{ ...rule, headers, match: [{ uri: { prefix: '/' } }, { uri: { prefix: '/old' } }] }],
        spec: { service: { ...service, headers, match: [{ uri: { prefix: '/' } }, { uri: { prefix: '/old' } }] } },
      });
      const controller = startController(environment, { namespace: left.namespace });
      const hint = () => controller.logOf(`${left.namespace}/${NAME}`);
      const users = startUsers(environment.mesh.urls.slice(0, 1), left.host);
      try {
        await left.until(left.canary, 'is adopted', isResting('Initialized'), hint);
        await left.until(left.primary, 'is ours', (now) => now?.metadata.ownerReferences?.[0]?.kind === 'ControllerRevision', hint);
        await left.edits(left.primary, { spec: { template: { metadata: { annotations: { edited: 'by hand' } } }, minReadySeconds: 1 } });
        await environment.cluster.patch(left.canary, { spec: { service: { ...service, headers: null, match: null } } });
        await left.replaceTemplate(templateOf('2'));
        await left.until(left.canary, 'is promoted', isResting('Succeeded'), hint);
        const [primary, target] = await Promise.all([left.get(left.primary), left.get(left.target)]);
        const { containers, volumes = [] } = raw(primary)?.spec.template.spec ?? {};
        expect({ containers, volumes }).toEqual({ containers: raw(target)?.spec.template.spec.containers, volumes: [] });
        expect(Object.keys(raw(primary)?.spec.template.metadata.annotations ?? {})).toEqual(['flagger-id']);
        expect(raw(primary)?.spec.minReadySeconds ?? 0).toBe(0);
        for (const name of [NAME, `${NAME}-primary`, `${NAME}-canary`])
          await left.until(left.ref('v1', 'Service', name), 'has one port', (now) => portsOf(now).join() === '80', hint);
        const route = await left.get(left.ref('networking.istio.io/v1beta1', 'VirtualService'));
        expect(JSON.stringify(route?.spec)).not.toContain('old');
        expect(users.lost(), hint()).toEqual([]);
      } finally {
        await users.stop();
        await controller.stop();
      }
    });

    it('leaving: with Serin stopped, every object that the other controller reads exists; its status is taken up again on return', async () => {
      const environment = environmentOf();
      const left = new FlaggerApplication(environment, 'leaving');
      // Long enough to stop Serin within a step.
      await left.stands({ ...idle, analysis: { ...analysis, interval: '10s' } });
      const users = startUsers(environment.mesh.urls.slice(0, 1), left.host);
      let controller = startController(environment, { namespace: left.namespace });
      const hint = () => controller.logOf(`${left.namespace}/${NAME}`);
      try {
        await left.until(left.canary, 'is adopted', isResting('Initialized'), hint);
        await left.push('2');
        await left.until(left.canary, 'is at 25%', (now) => raw(now)?.status?.canaryWeight === 25, hint);
        const route = left.ref('networking.istio.io/v1beta1', 'VirtualService');
        await left.until(route, 'has it too', (now) => raw(now)?.spec.http[0].route[1].weight === 25, hint);
        await controller.stop();
        expect(await left.get(left.canary)).toMatchObject({
          status: statusOf('Progressing', 'Unknown', { iterations: 0, canaryWeight: 25 }),
        });

        expect(await left.get(route)).toMatchObject({ spec: vs(25) });

        controller = startController(environment, { namespace: left.namespace });
        await left.until(left.canary, 'is promoted', isResting('Succeeded'), hint);
        // The intent is recorded first, and then the pods go.
        await left.until(left.target, 'is scaled down', (now) => raw(now)?.spec.replicas === 0, hint);
        await controller.stop();
        const rested = await left.get(left.canary);
        expect(rested).toMatchObject({ status: statusOf('Succeeded', 'True', { iterations: 0, canaryWeight: 0 }) });
        expect(raw(rested)?.status.lastAppliedSpec).toBe(raw(rested)?.status.lastPromotedSpec);
        expect(rested?.metadata.finalizers ?? []).toEqual([]);
        expect(await left.get(left.ref('networking.istio.io/v1beta1', 'VirtualService'))).toMatchObject({ spec: vs(0) });
        for (const role of ['primary', 'canary'])
          expect(await left.get(left.ref('networking.istio.io/v1beta1', 'DestinationRule', `${NAME}-${role}`))).toMatchObject({
            spec: { host: `${NAME}-${role}` },
          });
        for (const [name, app] of [
          [NAME, `${NAME}-primary`],
          [`${NAME}-primary`, `${NAME}-primary`],
          [`${NAME}-canary`, NAME],
        ] as const)
          expect(await left.get(left.ref('v1', 'Service', name))).toMatchObject({
            metadata: { labels: { app: name } },
            spec: { type: 'ClusterIP', selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] },
          });
        const primary = await left.get(left.primary);
        expect(raw(primary)?.spec.selector).toEqual({ matchLabels: { app: `${NAME}-primary` } });
        expect(raw(primary)?.spec.template.metadata).toMatchObject({
          labels: { app: `${NAME}-primary` },
          annotations: { 'flagger-id': expect.any(String) },
        });
        expect(raw(await left.get(left.target))?.spec.replicas).toBe(0);

        // The other controller takes over: it cannot know our hashes, and writes its own after it has analysed once more.
        await left.rewritesStatus('Succeeded');
        const pods = raw(primary)?.spec.template;
        controller = startController(environment, { namespace: left.namespace });
        const back = await left.until(left.canary, 'is adopted again', isResting('Succeeded'), hint);
        expect(raw(back)?.status.lastAppliedSpec).toMatch(/^s1:/);
        expect(raw(await left.get(left.primary))?.spec.template).toEqual(pods);
        expect(users.lost(), hint()).toEqual([]);
      } finally {
        await users.stop();
        await controller.stop();
      }
    });
  });
}

const portsOf = (service: KubeObject | undefined): number[] => (raw(service)?.spec.ports ?? []).map(({ port }: { port: number }) => port);

/** Every field of a status of Flagger, in its type. */
function statusOf(phase: string, status: string, fields: Record<string, unknown>): object {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  return {
    phase,
    failedChecks: 0,
    canaryWeight: expect.any(Number),
    lastAppliedSpec: expect.any(String),
    lastPromotedSpec: expect.any(String),
    lastTransitionTime: time,
    ...fields,
    conditions: [{ type: 'Promoted', status, reason: phase, message: expect.any(String), lastUpdateTime: time, lastTransitionTime: time }],
  };
}

/** One route, primary first. */
function vs(canary: number): object {
  const [rule] = weighted(NAME, canary);
  return { gateways: ['mesh'], hosts: [NAME], http: [rule] };
}
