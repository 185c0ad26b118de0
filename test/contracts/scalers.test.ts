import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { scalerFor, scalers } from '../../src/workloads/scalers/index.ts';
import { aCanary, casesIn, deepFreeze, goldenFile, publishedCrds, structuralErrors, toYaml } from './routers-cases.ts';

const apiVersions = { HorizontalPodAutoscaler: 'autoscaling/v2', ScaledObject: 'keda.sh/v1alpha1' } as const;

describe.each(Object.entries(scalers))('every scaler: %s', (kind, scaler) => {
  const canary = aCanary({ autoscalerRef: { apiVersion: apiVersions[kind as keyof typeof apiVersions], kind, name: 'shop' } });
  const source = (spec: object = {}): KubeObject => ({
    apiVersion: scaler.apiVersion,
    kind,
    metadata: { name: 'shop', namespace: 'prod', resourceVersion: '7' },
    spec: { scaleTargetRef: { name: 'shop' }, minReplicas: 3, minReplicaCount: 3, maxReplicas: 9, maxReplicaCount: 9, ...spec },
  });

  it('is found by its kind, and speaks the version of the table', () => {
    expect(scalerFor({ kind: kind as keyof typeof scalers })).toBe(scaler);
    expect(scaler).toMatchObject({ kind, apiVersion: apiVersions[kind as keyof typeof apiVersions] });
  });

  it('its primary has its own name, scales the primary, and is of the same kind', () => {
    const { object } = scaler.renderPrimary(canary, deepFreeze(source()));
    expect(object).toMatchObject({
      apiVersion: scaler.apiVersion,
      kind,
      metadata: { name: 'shop-primary', namespace: 'prod', annotations: { 'serin.dev/canary-uid': 'c-1' } },
      spec: { scaleTargetRef: { name: 'shop-primary' } },
    });
  });

  it.each([
    { min: 3, starts: 3 },
    { min: 1, starts: 1 },
    { min: 0, starts: 1 },
    { min: undefined, starts: 1 },
  ])('with a minimum of $min the target starts from zero with $starts', ({ min, starts }) => {
    expect(scaler.startReplicas(source({ minReplicas: min, minReplicaCount: min }))).toBe(starts);
  });

  it('an invented field at every level passes', () => {
    const invented = { invented: { deep: [{ newer: true }] } };
    const spec = {
      ...invented,
      scaleTargetRef: { name: 'shop', ...invented },
      triggers: [{ type: 'cron', ...invented, metadata: invented }],
    };
    const { object } = scaler.renderPrimary(canary, source({ ...spec, metrics: [invented], advanced: invented }));
    expect(object.spec).toMatchObject({
      ...spec,
      scaleTargetRef: { name: 'shop-primary', ...invented },
      metrics: [invented],
      advanced: invented,
    });
  });

  it('it resumes exactly the scalers that it paused', () => {
    expect(scaler.resumePatch(source())).toBeUndefined();
    expect(scaler.pausePatch(source()) === undefined).toBe(kind === 'HorizontalPodAutoscaler');
  });
});

describe('golden files of the scalers', () => {
  const cases = casesIn('scalers').map((one) => {
    const ref = one.canary.spec.autoscalerRef;
    if (!ref || !one.scaler) throw new Error(`${one.name} needs spec.autoscalerRef and scaler`);
    return { ...one, ref, scaler: one.scaler };
  });
  const crds = publishedCrds('keda');

  it.each(cases)('$name: $note', async ({ name, canary, ref, scaler, atLeast }) => {
    const { object, warnings } = scalerFor(ref).renderPrimary(deepFreeze(canary), deepFreeze(scaler), { atLeast });
    await expect(toYaml([object, { warnings }])).toMatchFileSnapshot(goldenFile('scalers', name));
  });

  it.each(cases.filter(({ ref }) => ref.kind === 'ScaledObject'))(
    'what $name renders is valid for the published CRD',
    ({ canary, ref, scaler, atLeast }) => {
      const { object } = scalerFor(ref).renderPrimary(canary, scaler, { atLeast });
      expect(structuralErrors(object, crds)).toEqual([]);
    },
  );
});
