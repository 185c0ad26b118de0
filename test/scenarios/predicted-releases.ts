import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { VERSION_ANNOTATION } from '../../src/rehearsal/modelled-apps.ts';
import { type Moment, Recorder } from '../../src/rehearsal/recorder.ts';
import { type ControllerProcess, startController } from './controller.ts';
import { anEnvironment, startRealEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { type HookServer, startHookServer } from './hook-server.ts';
import { canaryFor } from './providers/canary-for.ts';
import { providerFixtures } from './providers/index.ts';
import { istio } from './providers/istio.ts';
import type { AppName, ProviderFixture } from './providers/provider-fixture.ts';
import { rehearsed } from './rehearsals.ts';
import { APP } from './scenario.ts';
import { startUsers } from './users.ts';
import { monotonicMs } from './world.ts';

/** Longer than two scrapes of the model's Prometheus. */
const INTERVAL = '35s';
const METRICS = [{ name: 'request-success-rate', interval: '1m', thresholdRange: { min: 99 } }];
const LONGEST_MS = 600_000;
const WEIGHTS = { stepWeight: 30, maxWeight: 60, metrics: METRICS };

const kubernetes: ProviderFixture = {
  provider: 'kubernetes',
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }),
  edits: {},
};
const match = [{ headers: { 'x-canary': { exact: 'insider' } } }];

export interface PredictedCase {
  title: string;
  fixture: ProviderFixture;
  analysis: object;
}

const strategies: readonly PredictedCase[] = [
  { title: 'steps of different sizes', fixture: istio, analysis: { stepWeights: [5, 20, 70], metrics: METRICS } },
  { title: 'a promotion by steps', fixture: istio, analysis: { ...WEIGHTS, stepWeightPromotion: 50 } },
  { title: 'mirroring', fixture: istio, analysis: { ...WEIGHTS, mirror: true } },
  { title: 'A/B', fixture: istio, analysis: { iterations: 2, match } },
  { title: 'Blue/Green', fixture: kubernetes, analysis: { iterations: 2 } },
];
/** Every strategy, and every provider family of targets that are Deployments. */
export const predictedCases: readonly PredictedCase[] = [
  ...strategies,
  ...providerFixtures
    .filter(({ application }) => application === undefined)
    .map((fixture) => ({ title: `weights over ${fixture.provider}`, fixture, analysis: WEIGHTS })),
];

/** Visible course of one release. Events of one step are sent side by side: they have no order. */
interface Visible {
  phases: string[];
  weights: string[];
  events: string[];
  calls: unknown[];
}

/** The oracle of `serin rehearse`: the same manifests on a real control plane, in real time. */
export function describePredictions(played: readonly PredictedCase[]): void {
  describe('a rehearsal predicts a release on a real control plane', () => {
    const plays = new Map<string, { objects: KubeObject[]; hooks: HookServer; predicted: Visible }>();
    // Rehearsed before the cluster starts: this process cannot connect while a rehearsal runs.
    beforeAll(async () => {
      for (const { title, fixture, analysis } of played) {
        const hooks = await startHookServer();
        const objects = manifests(fixture, appOf(title), { interval: INTERVAL, ...analysis, webhooks: webhooksOf(hooks) });
        const { outcome, moments, log } = await rehearsed(objects, 'good');
        expect(outcome, `${title}: ${log}`).toBe('promoted');
        const calls = moments.flatMap((moment) => (moment.kind === 'call' ? moment.received : []));
        const predicted = visibleIn(moments, (hook) =>
          calls.filter(({ url }) => url.endsWith(`/${hook}`)).map(({ body }) => JSON.parse(body)),
        );
        plays.set(title, { objects, hooks, predicted: predicted });
      }
    }, LONGEST_MS);
    const environment = anEnvironment(startRealEnvironment);
    let controller: ControllerProcess;
    beforeAll(() => {
      controller = startController(environment(), { 'min-analysis-interval': '10s', 'scale-down-delay': '30s' });
    });
    afterAll(async () => {
      await controller?.stop();
      for (const { hooks } of plays.values()) await hooks.stop();
    });

    it.concurrent.each(played)(
      '$title: the same phases, weights, events and calls of webhooks',
      async ({ title, fixture }) => {
        const play = plays.get(title);
        if (play === undefined) throw new Error('it was rehearsed');
        expect(await release(play.objects, appOf(title), fixture, play.hooks)).toEqual(play.predicted);
      },
      LONGEST_MS,
    );

    async function release(objects: readonly KubeObject[], app: AppName, fixture: ProviderFixture, hooks: HookServer): Promise<Visible> {
      const { cluster, mesh } = environment();
      const canary = refOf(objects.find(({ kind }) => kind === 'Canary') as KubeObject);
      const recorder = new Recorder(canary, monotonicMs);
      await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: app.namespace } });
      const see = (object: KubeObject): void => recorder.write({ userAgent: '', subresource: '', before: undefined, object });
      const watches = [canary, { apiVersion: 'v1', kind: 'Event' }].map(({ apiVersion, kind }) =>
        cluster.watch(
          { apiVersion, kind, namespace: app.namespace },
          { onEvent: ({ type, object }) => type !== 'DELETED' && see(object), onList: (items) => items.forEach(see) },
        ),
      );
      await Promise.all(watches.map(({ synced }) => synced));
      for (const object of objects) await cluster.create(object);
      const users = startUsers(mesh.urls, fixture.host(app), fixture.headers?.(app), { each: 2, pauseMs: 500 });
      try {
        await recorder.until(({ phase, release: { step } = {} }) => phase === 'Initialized' && step === 'resting');
        await cluster.patch(
          { apiVersion: 'apps/v1', kind: 'Deployment', ...app },
          { spec: { template: { metadata: { annotations: { [VERSION_ANNOTATION]: 'new' } } } } },
        );
        await recorder.until(({ phase, release: { step } = {} }) => phase === 'Succeeded' && step === 'resting');
        await eventually(
          'the last event is there',
          async () => visibleIn(recorder.moments, hooks.calls),
          ({ events }) => events.some((event) => event.includes(' post-rollout ')),
        );
        return visibleIn(recorder.moments, hooks.calls);
      } finally {
        await users.stop();
        for (const watch of watches) watch.stop();
      }
    }
  });
}

const HOOKS = {
  before: 'pre-rollout',
  start: 'confirm-rollout',
  gate: 'confirm-traffic-increase',
  check: 'rollout',
  finish: 'confirm-promotion',
  after: 'post-rollout',
  events: 'event',
};

const appOf = (title: string): AppName => ({ name: APP, namespace: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') });

const webhooksOf = (hooks: HookServer) => Object.entries(HOOKS).map(([name, type]) => ({ name, type, url: hooks.url(name) }));

function manifests(fixture: ProviderFixture, app: AppName, analysis: object): KubeObject[] {
  const labels = { app: app.name };
  const container = { name: 'web', image: `${app.name}:1`, ports: [{ name: 'http', containerPort: 9898 }] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...app }, spec },
    ...(fixture.objects?.(app) ?? []),
    canaryFor(fixture, app, analysis),
  ];
}

function visibleIn(moments: readonly Moment[], callsOf: (hook: string) => Record<string, unknown>[]): Visible {
  return {
    phases: moments.flatMap((moment) => (moment.kind === 'phase' ? moment.phase : [])),
    weights: moments.flatMap((moment) => (moment.kind === 'weight' ? `${moment.routes} ${moment.weightPercent}` : [])),
    events: moments
      .flatMap((moment) => (moment.kind === 'event' ? `${moment.type} ${moment.reason}: ${withoutCounts(moment.message)}` : []))
      .sort(),
    calls: Object.entries(HOOKS).map(([hook, type]) => {
      const calls = callsOf(hook).map(predictable);
      return { hook, calls: type === 'event' ? calls.toSorted(byText) : calls };
    }),
  };
}

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Real users send as many requests as the machine lets them, so a rehearsal cannot predict their exact number. */
const withoutCounts = (text: string): string => text.replaceAll(/\(\d[\d.,]* requests?\)/g, '(counted requests)');

function predictable({ metadata, ...call }: Record<string, unknown>): object {
  if (typeof metadata !== 'object') return call;
  const { timestamp: _, eventMessage, ...rest } = metadata as Record<string, unknown>;
  return { ...call, metadata: { ...rest, ...(typeof eventMessage === 'string' && { eventMessage: withoutCounts(eventMessage) }) } };
}
