import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { ModelPods } from '../../../test/fakes/model/pods.ts';
import { initializedLab, ordersPlan, stepOf } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const routeRef: ObjectRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const serviceRef = (name: string): ObjectRef => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE });
const conditionsOf = (lab: ModelLab): { type: string; message: string }[] => raw(lab.canary())?.status?.conditions ?? [];
const contestsOf = (lab: ModelLab) => conditionsOf(lab).flatMap(({ type, message }) => (type === 'Contested' ? [message] : []));

/** Another manager who puts the spec of these objects back, `afterMs` after each write of Serin. */
class Rival {
  readonly #lab: ModelLab;
  readonly #declared: readonly KubeObject[];

  constructor(lab: ModelLab, refs: readonly ObjectRef[]) {
    this.#lab = lab;
    this.#declared = refs.flatMap((ref) => lab.server.find(ref) ?? []);
  }

  revert(): void {
    for (const { apiVersion, kind, metadata, spec } of this.#declared) {
      const live = this.#lab.server.find({ apiVersion, kind, name: metadata.name, namespace: NAMESPACE });
      if (!live || JSON.stringify(live.spec) === JSON.stringify(spec)) continue;
      const { managedFields: _, ...kept } = live.metadata;
      this.#lab.server.putAs('gitops', { apiVersion, kind, metadata: kept, spec });
    }
  }

  async until(isDone: () => boolean, mostMs: number, afterMs = 300): Promise<boolean> {
    for (let ms = 0; ms < mostMs && !isDone(); ms += afterMs) {
      await this.#lab.pass(afterMs);
      this.revert();
    }
    return isDone();
  }
}

/** Contested long before a release, so that the pause is at its longest. */
async function contestedLab(lab: ModelLab): Promise<Rival> {
  lab.server.patch(routeRef, { spec: { hosts: ['elsewhere'] } });
  const rival = new Rival(lab, [routeRef]);
  await rival.until(() => false, 1_200_000, 1_000);
  return rival;
}

const isOver = (lab: ModelLab) => () => stepOf(lab) === 'resting' && ['Succeeded', 'Failed'].includes(lab.phase());

describe('I18: an object that another manager puts back', () => {
  it('is contested, and failed checks of metrics count once the other one stops (E63a)', async () => {
    const lab = await initializedLab();
    lab.externalMetric = () => ({ value: 9, afterMs: 0 });
    const rival = await contestedLab(lab);
    expect(contestsOf(lab)).toEqual([expect.stringContaining('VirtualService/test/podinfo: spec.hosts[0] is changed back by gitops')]);
    lab.push('2');
    expect(await rival.until(() => lab.phase() === 'Failed', 600_000)).toBe(false);
    const { phase, failedChecks, release } = raw(lab.canary())?.status ?? {};
    expect([phase, failedChecks, release.step]).toEqual(['Progressing', 0, 'analysing']);
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 1_200_000)).toBe(true);
  });

  it('is contested, and a canary that crashes is rolled back as soon as without it (E27a, I18)', async () => {
    const failedAfterMs = async (lab: ModelLab, until: (isDone: () => boolean) => Promise<boolean>) => {
      const pods = new ModelPods(lab.server, lab.clock, lab.nodes);
      const fail = () => {
        const target = lab.server.find({ apiVersion: 'apps/v1', kind: 'Deployment', name: APP, namespace: NAMESPACE });
        if (target) pods.fail(target, { how: 'exit', ms: 1_000 });
        return lab.phase() === 'Failed';
      };
      lab.push('2');
      expect(await until(() => stepOf(lab) === 'analysing')).toBe(true);
      const fromMs = lab.clock.monotonicMs();
      expect(await until(fail)).toBe(true);
      return lab.clock.monotonicMs() - fromMs;
    };
    const control = await initializedLab();
    const controlMs = await failedAfterMs(control, (isDone) => control.passUntil(isDone, 600_000));
    control.close();
    const lab = await initializedLab();
    const rival = await contestedLab(lab);
    expect(await failedAfterMs(lab, (isDone) => rival.until(isDone, 600_000))).toBeLessThanOrEqual(controlMs + 10_000);
  });

  it('delays no write of another object', async () => {
    const lab = await initializedLab();
    const apex = serviceRef(APP);
    lab.server.patch(apex, { spec: { selector: { app: 'elsewhere' } } });
    const rival = new Rival(lab, [apex]);
    await rival.until(() => false, 1_200_000, 1_000);
    const other = serviceRef(`${APP}-canary`);
    for (let times = 0; times < 2; times += 1) {
      lab.server.patch(other, { spec: { selector: { app: 'elsewhere' } } });
      await lab.pass(2_000);
      expect(raw(lab.server.find(other))?.spec.selector).toEqual({ app: APP });
    }
  });

  it('delays no write of another field of it', async () => {
    const lab = await initializedLab();
    lab.server.patch(routeRef, { spec: { hosts: ['elsewhere'] } });
    const rival = new Rival(lab, [routeRef]);
    await rival.until(() => false, 1_200_000, 1_000);
    const { http } = raw(lab.server.find(routeRef))?.spec ?? {};
    lab.server.patch(routeRef, { spec: { http: [{ route: [{ destination: { host: 'elsewhere' } }] }] } });
    await lab.pass(2_000);
    expect(raw(lab.server.find(routeRef))?.spec.http).toEqual(http);
  });

  it.each([
    { what: 'the routes', refs: [routeRef] },
    { what: 'the routes and the apex Service', refs: [routeRef, serviceRef(APP)] },
  ])('with $what contested from its start, a good release waits, and ends when the other one stops (E63a)', async ({ refs }) => {
    const lab = await initializedLab({}, aModelCanary({ ...ordersPlan, maxWeight: 50 }));
    if (refs.length > 1) lab.server.patch(serviceRef(APP), { spec: { selector: { app: APP } } });
    const rival = new Rival(lab, refs);
    lab.push('2');
    expect(await rival.until(isOver(lab), 600_000)).toBe(false);
    expect(await lab.passUntil(isOver(lab), 1_200_000)).toBe(true);
    expect(lab.phase()).toBe('Succeeded');
  });

  it('is not contested where the API server itself drops a field', async () => {
    const lab = await initializedLab();
    // An admission webhook that knows better.
    const { api } = lab.server;
    const patch = api.patch.bind(api);
    api.patch = (resource, namespace, name, how, body, context) => {
      const isRoute = resource.kind === 'VirtualService' && context.manager === 'serin';
      const mutated = { ...raw(body), spec: { ...raw(body).spec, hosts: ['mutated'] } };
      return patch(resource, namespace, name, how, isRoute ? mutated : body, context);
    };
    lab.server.patch(routeRef, { spec: { hosts: ['elsewhere'] } });
    await lab.pass(60_000);
    expect(contestsOf(lab)).toEqual([]);
    expect(conditionsOf(lab)).toContainEqual(
      expect.objectContaining({
        type: 'FieldDropped',
        message: expect.stringContaining('VirtualService/test/podinfo: spec.hosts[0] does not hold'),
      }),
    );
  });
});

it.each([
  { what: 'a route', ref: routeRef, change: { spec: { hosts: ['elsewhere'] } }, field: 'spec.hosts[0]' },
  { what: 'a Service', ref: serviceRef(`${APP}-canary`), change: { spec: { selector: { app: 'elsewhere' } } }, field: 'spec.selector.app' },
])('the first correction of a change of $what by hand is an event, and the next ones are the condition', async ({ ref, change, field }) => {
  const lab = await initializedLab();
  const eventsOf = () =>
    lab.writes.flatMap(({ verb, ref: { kind }, body }) =>
      verb === 'create' && kind === 'Event' && raw(body).reason === 'DriftCorrected' ? raw(body) : [],
    );
  await lab.pass(30_000);
  for (let times = 0; times < 2; times += 1) {
    lab.server.patch(ref, change);
    await lab.pass(5_000);
  }
  expect(eventsOf()).toEqual([
    expect.objectContaining({ type: 'Normal', message: expect.stringContaining(`${ref.kind}/test/${ref.name}: ${field} was changed`) }),
  ]);
  expect(contestsOf(lab)).toHaveLength(1);
});
