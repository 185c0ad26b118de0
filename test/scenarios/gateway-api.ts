import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { aController, type ControllerProcess } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { APP, Scenario } from './scenario.ts';
import { until } from './until.ts';
import { ask } from './users.ts';
import { fetchText } from './world.ts';

const METRICS = {
  // Requests that a busy Prometheus has not seen twice yet are no verdict on a version.
  unmeasured: 'hold',
  metrics: [
    { name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } },
    // Far above what a busy machine needs: slow is a fault of the application here, never of the machine.
    { name: 'request-duration', interval: '4s', thresholdRange: { max: 10_000 } },
  ],
};
const STEPS = { stepWeight: 20, maxWeight: 60 };
const v1 = 'gateway.networking.k8s.io/v1';

/** Releases through the Gateway API: from outside by a Gateway, and inside the mesh by the Service as parent. */
export function describeGatewayApi(environmentOf: () => Environment): void {
  const controllerOf = aController(environmentOf);

  const scenarioTest = (title: string, namespace: string, run: (scenario: Scenario, edge: Edge) => Promise<void>): void => {
    it(title, async () => {
      const scenario = await Scenario.begin(environmentOf(), controllerOf(), namespace);
      try {
        await scenario.given.aDeployment();
        const edge = new Edge(environmentOf(), namespace);
        await edge.open();
        await run(scenario, edge);
      } finally {
        await scenario.end();
      }
    });
  };

  describe.concurrent('the Gateway API', () => {
    scenarioTest(
      'a version is mirrored, then promoted by steps, for users of a Gateway and of the mesh alike (I2, I10)',
      'gw-promotion',
      async (scenario, edge) => {
        const { given, when, then } = scenario;
        given.users();
        await given.aCanary({ ...STEPS, ...METRICS, mirror: true, mirrorWeight: 50 }, edge.spec([edge.gatewayRef, edge.serviceRef]));
        await then.everyoneGets('1', edge.headers);
        given.users(edge.headers);
        await when.imageChanges('2');
        await then.canaryReceives(20);
        expect(environmentOf().mesh.counts().mirrored[`gw-promotion/${APP}`]).toBeGreaterThan(0);
        await then.canaryReceives(40);
        await then.releaseEnds('Succeeded');
        await then.primaryRuns('2');
        await then.everyoneGets('2');
        await then.everyoneGets('2', edge.headers);
        await then.scalesTo(APP, 0);
        expect(scenario.weights().slice(0, 4)).toEqual([0, 20, 40, 60]);
        then.nothingWasLost();
      },
    );

    scenarioTest(
      'a version that fails its requests is rolled back by the built-in success rate, with a Service as parent (I4)',
      'gw-bad',
      async (scenario, edge) => {
        const { given, when, then } = scenario;
        given.users();
        await given.aCanary({ ...STEPS, ...METRICS, webhooks: given.aClosedGate() }, edge.spec([edge.serviceRef], 'gatewayapi:v1beta1'));
        await when.imageChanges('2', { ERROR_RATE: '0.5' });
        await then.canaryReceives(20);
        await then.releaseEnds('Failed');
        await then.everyoneGets('1');
        await then.scalesTo(APP, 0);
        then.nothingWasLost();
      },
    );

    scenarioTest('A/B: those who match get the new version, by header and by query, and no one else', 'gw-ab', async (scenario, edge) => {
      const { given, when, then } = scenario;
      const match = [{ headers: { 'x-user': { exact: 'insider' } } }, { headers: { cookie: { regex: '^(.*?;)?(canary=always)(;.*)?$' } } }];
      await given.aCanary({ iterations: 2, match, webhooks: given.aClosedGate() }, edge.spec([edge.gatewayRef]));
      await then.everyoneGets('1', edge.headers);
      await when.imageChanges('2');
      await then.iterationIs(1);
      await then.everyoneGets('2', { ...edge.headers, 'x-user': 'insider' });
      await then.everyoneGets('2', { ...edge.headers, cookie: 'a=b;canary=always' });
      await then.everyoneGets('1', { ...edge.headers, 'x-user': 'insider-not' });
      await then.everyoneGets('1', edge.headers);
      when.gateOpens('finish');
      await then.releaseEnds('Succeeded');
      await then.everyoneGets('2', edge.headers);
    });

    scenarioTest(
      'who has met a version stays on it while the weights move, and the cookies are taken away at the end',
      'gw-sticky',
      async (scenario, edge) => {
        const { given, when, then } = scenario;
        const sessionAffinity = { cookieName: 'web-canary', primaryCookieName: 'web-primary', path: '/' };
        const rise = { name: 'rise', type: 'confirm-traffic-increase', url: scenario.hooks.url('rise') };
        scenario.hooks.answers('rise', ({ canaryWeight }) => (canaryWeight === 40 ? 403 : 200));
        const webhooks = [rise, ...given.aClosedGate()];
        await given.aCanary({ stepWeight: 40, maxWeight: 80, sessionAffinity, webhooks }, edge.spec([edge.gatewayRef]));
        await when.imageChanges('2');
        await then.canaryReceives(40);
        const { sessionAffinityCookie, primarySessionAffinityCookie } = raw(await edge.canary()).status;
        await then.everyoneGets('2', { ...edge.headers, cookie: `a=b; ${sessionAffinityCookie}` });
        await then.everyoneGets('1', { ...edge.headers, cookie: primarySessionAffinityCookie });
        when.gateOpens('rise');
        await then.canaryReceives(80);
        const moved = raw(await edge.canary()).status;
        expect(moved.sessionAffinityCookie).toBe(sessionAffinityCookie);
        expect(moved.primarySessionAffinityCookie, 'who stayed on the primary is asked again').not.toBe(primarySessionAffinityCookie);
        await then.everyoneGets('2', { ...edge.headers, cookie: sessionAffinityCookie });
        await then.everyoneGets('1', { ...edge.headers, cookie: moved.primarySessionAffinityCookie });
        when.gateOpens('finish');
        await then.releaseEnds('Succeeded');
        const rules = raw(await edge.route()).spec.rules;
        expect(JSON.stringify(rules)).toContain(`${sessionAffinityCookie}; Max-Age=-1; Path=/`);
        await then.everyoneGets('2', { ...edge.headers, cookie: sessionAffinityCookie });
      },
    );

    scenarioTest(
      'a GRPCRoute is released like an HTTPRoute: A/B by metadata for the calls of one service',
      'gw-grpc',
      async (scenario, edge) => {
        const { given, when, then } = scenario;
        const { provider, service } = edge.spec([edge.gatewayRef]);
        const grpc = { appProtocol: 'grpc', match: [{ uri: { prefix: '/web.v1.Shop/' } }] };
        const match = [{ headers: { 'x-user': { regex: 'in.*' } } }];
        await given.aCanary(
          { iterations: 2, match, webhooks: given.aClosedGate() },
          { provider, service: { ...(service as object), ...grpc } },
        );
        const call = async (path: string, headers: Record<string, string> = {}) => {
          const url = `${environmentOf().mesh.url(0)}${path}`;
          const { status, headers: answered } = await fetchText(url, {
            method: 'POST',
            headers: { ...edge.headers, 'x-serin-host': `${APP}.gw-grpc`, ...headers },
          });
          return answered['x-serin-version'] ?? status;
        };
        await eventually(
          'a call is answered by the primary',
          () => call('/web.v1.Shop/Buy'),
          (by) => by === '1',
        );
        await when.imageChanges('2');
        await then.iterationIs(1);
        const asInsider = () => call('/web.v1.Shop/Buy', { 'x-user': 'insider' });
        await eventually('an insider is answered by the new version', asInsider, (by) => by === '2');
        expect(await call('/web.v1.Shop/Buy')).toBe('1');
        expect(await call('/web.v1.Other/Buy', { 'x-user': 'insider' })).toBe(404);
        when.gateOpens('finish');
        await then.releaseEnds('Succeeded');
        await eventually(
          'a call is answered by the promoted version',
          () => call('/web.v1.Shop/Buy'),
          (by) => by === '2',
        );
        expect(raw(await edge.route('GRPCRoute')).spec.rules).toHaveLength(1);
        await expect(edge.route()).rejects.toThrow('no HTTPRoute');
      },
    );

    scenarioTest(
      'a Gateway that refuses the route holds the release up and says why; a failing check takes it back all the same',
      'gw-refused',
      async (scenario, edge) => {
        const { given, when, then, hooks } = scenario;
        const webhooks = [...given.aClosedGate(), { name: 'smoke', type: 'rollout', url: hooks.url('smoke'), timeout: '1s' }];
        await given.aCanary({ stepWeight: 10, maxWeight: 50, webhooks }, edge.spec([edge.gatewayRef]));
        await when.imageChanges('2');
        await then.canaryReceives(10);
        await when.thisHappens(() => edge.serves('*.elsewhere.example.org'));
        await edge.until(
          'says why it waits',
          (now) => raw(now).status.conditions[0].message.includes('edge says Accepted False'),
          controllerOf(),
        );
        const held = raw(await edge.canary()).status.canaryWeight;
        await then.hookWasCalled('smoke', hooks.calls('smoke').length + 2);
        expect(raw(await edge.canary()).status.canaryWeight).toBe(held);
        hooks.answers('smoke', 500);
        await edge.until('has failed', (now) => raw(now).status.phase === 'Failed' && raw(now).status.canaryWeight === 0, controllerOf());
        await when.thisHappens(() => edge.serves(undefined));
        await then.scalesTo(APP, 0);
        await then.everyoneGets('1', edge.headers);
      },
    );
  });
}

/** The Gateway of one namespace, and the ways to it. */
class Edge {
  readonly headers: Record<string, string>;
  readonly gatewayRef = { name: 'edge' };
  readonly serviceRef: object;
  readonly #environment: Environment;
  readonly #namespace: string;

  constructor(environment: Environment, namespace: string) {
    this.#environment = environment;
    this.#namespace = namespace;
    this.headers = { 'x-serin-gateway': `${namespace}/edge` };
    this.serviceRef = { group: 'core', kind: 'Service', name: APP, namespace, port: 80 };
  }

  /** Every proxy knows of it: with nothing attached it answers 404. */
  async open(): Promise<void> {
    await this.#environment.cluster.create(this.#gateway(undefined));
    const urls = this.#environment.mesh.urls;
    const isKnown = async (url: string) => (await ask(url, `${APP}.${this.#namespace}`, this.headers)).status === 404;
    await eventually(
      'every proxy knows of the Gateway',
      () => Promise.all(urls.map(isKnown)),
      (known) => known.every(Boolean),
    );
  }

  async serves(hostname: string | undefined): Promise<void> {
    await this.#environment.cluster.apply(this.#gateway(hostname), { fieldManager: 'test' });
  }

  spec(gatewayRefs: object[], provider = 'gatewayapi:v1'): Record<string, unknown> {
    return { provider, service: { port: 80, targetPort: 'http', hosts: [`${APP}.${this.#namespace}`], gatewayRefs } };
  }

  canary(): Promise<KubeObject> {
    return this.#get('flagger.app/v1beta1', 'Canary');
  }
  route(kind = 'HTTPRoute'): Promise<KubeObject> {
    return this.#get(v1, kind);
  }

  async until(what: string, isSo: (canary: KubeObject) => boolean, controller: ControllerProcess): Promise<void> {
    const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: this.#namespace };
    const hint = () => controller.logOf(`${this.#namespace}/${APP}`);
    await until(this.#environment.cluster, ref, what, (now) => now !== undefined && isSo(now), { hint });
  }

  async #get(apiVersion: string, kind: string): Promise<KubeObject> {
    const found = await this.#environment.cluster.get({ apiVersion, kind, name: APP, namespace: this.#namespace });
    if (!found) throw new Error(`no ${kind} ${APP} in ${this.#namespace}`);
    return found;
  }

  #gateway(hostname: string | undefined): KubeObject {
    const listener = { name: 'http', port: 80, protocol: 'HTTP', ...(hostname === undefined ? {} : { hostname }) };
    return {
      apiVersion: v1,
      kind: 'Gateway',
      metadata: { name: 'edge', namespace: this.#namespace },
      spec: { gatewayClassName: 'embedded', listeners: [listener] },
    };
  }
}
