import { describe, expect, it, vi } from 'vitest';
import { ordersTemplate } from '../../../test/fakes/model/journals.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { ordersPlan } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ownerAnnotation } from '../../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 10_000;
const aCanary = (name = APP) =>
  aModelCanary({ ...ordersPlan, stepWeight: 10 }, { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: APP } }, name);

async function initialized(hasService: boolean): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService });
  await lab.application(hasService);
  lab.server.create(ordersTemplate);
  lab.server.create(aCanary());
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  return lab;
}

const objects = (lab: ModelLab) =>
  [
    ...['', '-primary', '-canary'].map((suffix) => ({ apiVersion: 'v1', kind: 'Service', name: `${APP}${suffix}` })),
    { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary` },
    { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP },
  ].flatMap((ref) => lab.server.find({ ...ref, namespace: NAMESPACE }) ?? []);
const marks = (lab: ModelLab) => new Set(objects(lab).flatMap(({ metadata }) => metadata.annotations?.[ownerAnnotation] ?? []));
const isContested = (lab: ModelLab, name = APP): boolean =>
  raw(lab.canary(name))?.status?.conditions?.some(({ type }: { type: string }) => type === 'Contested');
const weight = (lab: ModelLab, name = APP) => raw(lab.canary(name))?.status?.canaryWeight;

describe('I18: a Canary that is deleted and created again at once', () => {
  const ways = [
    { how: 'kubectl replace --force', heir: APP },
    { how: 'under another name', heir: 'renamed' },
  ].flatMap((one) => [true, false].map((hasService) => ({ ...one, hasService, apex: hasService ? 'the user’s' : 'ours' })));
  it.each(ways)('$how, apex Service $apex: settles, contests nothing, and is idle', async ({ heir, hasService }) => {
    const lab = await initialized(hasService);
    lab.push('2');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
    await lab.pass(60_000);
    lab.server.delete(canaryRef);
    lab.server.create(aCanary(heir));
    await lab.pass(600_000);
    expect([lab.phase(heir), isContested(lab, heir)]).toEqual(['Initialized', false]);
    const before = lab.writes.length;
    await lab.pass(HOUR_MS);
    expect(lab.writes.slice(before)).toEqual([]);
    expect(marks(lab)).toEqual(new Set([lab.canary(heir)?.metadata.uid]));
    expect(lab.clock.pending).toBe(0);
  });

  it.each(ways)('$how, apex Service $apex: the next bad release is rolled back as soon as without it', async ({ heir, hasService }) => {
    const rolledBackAfterMs = async (lab: ModelLab, name: string) => {
      await lab.pass(100_000);
      lab.externalMetric = () => ({ value: 9, afterMs: 0 });
      lab.push('3');
      expect(await lab.passUntil(() => (weight(lab, name) ?? 0) > 0, 120_000)).toBe(true);
      const fromMs = lab.clock.monotonicMs();
      expect(await lab.passUntil(() => lab.phase(name) === 'Failed' && weight(lab, name) === 0, 600_000)).toBe(true);
      return lab.clock.monotonicMs() - fromMs;
    };
    const control = await initialized(hasService);
    const controlMs = await rolledBackAfterMs(control, APP);
    control.close();
    const lab = await initialized(hasService);
    lab.push('2');
    await lab.passUntil(() => weight(lab) === 10, 120_000);
    lab.server.delete(canaryRef);
    lab.server.create(aCanary(heir));
    // It takes the primary over, and releases what the target holds (I19).
    expect(await lab.passUntil(() => lab.phase(heir) === 'Succeeded', 300_000)).toBe(true);
    expect(await rolledBackAfterMs(lab, heir)).toBeLessThanOrEqual(controlMs + INTERVAL_MS);
    expect([lab.lost, isContested(lab, heir)]).toEqual([[], false]);
  });
});
