import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { asScaler } from '../../api/kinds/scaler.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { scalers } from './index.ts';
import type { MergePatch } from './scaler.ts';

const fields = {
  HorizontalPodAutoscaler: { min: 'minReplicas', max: 'maxReplicas' },
  ScaledObject: { min: 'minReplicaCount', max: 'maxReplicaCount' },
} as const;

const scalerOf = (kind: string, spec: Record<string, unknown>): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'checkout-primary', resourceVersion: '7', annotations: { team: 'a' } },
  spec,
});

const merge = (into: Record<string, unknown>, change: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...into, ...change }).filter(([, value]) => value !== null));

function patched(object: KubeObject, patch: MergePatch | undefined): KubeObject {
  if (patch === undefined) return object;
  // Merged into the version from which it was computed.
  expect(patch.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
  const annotations = merge(object.metadata.annotations ?? {}, patch.metadata.annotations ?? {}) as Record<string, string>;
  return { ...object, metadata: { ...object.metadata, annotations }, spec: merge(asScaler(object).spec ?? {}, patch.spec ?? {}) };
}

describe.each(Object.entries(scalers))('raised minimum of a %s', (kind, scaler) => {
  const { min, max } = fields[kind as keyof typeof fields];
  const withSpec = (spec: Record<string, unknown>) => scalerOf(kind, spec);
  const specOf = (object: KubeObject) => asScaler(object).spec;
  const raised = (object: KubeObject, atLeast: number | undefined) => patched(object, scaler.raisePatch(object, atLeast));

  it.each([
    { own: 2, ceiling: 10, atLeast: 6, held: 6 },
    { own: 2, ceiling: 10, atLeast: 14, held: 10 },
    { own: 8, ceiling: 10, atLeast: 6, held: 8 },
    { own: undefined, ceiling: 10, atLeast: 6, held: 6 },
  ])('own $own, raised to $atLeast below $ceiling is $held, and is restored', ({ own, ceiling, atLeast, held }) => {
    const object = withSpec({ ...(own === undefined ? {} : { [min]: own }), [max]: ceiling, invented: { deep: [1] } });
    const up = raised(object, atLeast);
    expect(specOf(up)?.[min]).toBe(held);
    expect(scaler.limits(up)).toEqual(scaler.limits(object));
    expect(scaler.raisePatch(up, atLeast)).toBeUndefined();
    expect(raised(up, undefined)).toEqual(object);
  });

  it('remembers its own minimum over any number of raises', () => {
    const object = withSpec({ [min]: 2, [max]: 20 });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 })), (raises) => {
        const up = raises.reduce(raised, object);
        expect(scaler.limits(up)).toEqual(scaler.limits(object));
        expect(raised(up, undefined)).toEqual(object);
      }),
    );
  });

  it.each([
    { edit: 9, atLeast: 6, held: 9 },
    { edit: 3, atLeast: 6, held: 6 },
  ])('E101: a minimum that was edited to $edit meanwhile becomes its own', ({ edit, atLeast, held }) => {
    const up = raised(withSpec({ [min]: 2, [max]: 10 }), 6);
    const edited = { ...up, spec: { ...specOf(up), [min]: edit } };
    expect(scaler.limits(edited).min).toBe(edit);
    const again = raised(edited, atLeast);
    expect(specOf(again)?.[min]).toBe(held);
    expect(raised(again, undefined)).toEqual(withSpec({ [min]: edit, [max]: 10 }));
    expect(raised(edited, undefined)).toEqual(withSpec({ [min]: edit, [max]: 10 }));
  });

  it('a minimum that an earlier version has raised is also restored', () => {
    const old = withSpec({ [min]: 6, [max]: 10 });
    old.metadata.annotations = { team: 'a', 'serin.dev/before-raise': `{"${min}":2}` };
    expect(scaler.limits(old).min).toBe(2);
    expect(raised(old, undefined)).toEqual(withSpec({ [min]: 2, [max]: 10 }));
  });

  it('E101: the primary’s scaler is made from the own minimum of the user’s', () => {
    const up = raised(withSpec({ [min]: 2, [max]: 10, scaleTargetRef: { name: 'podinfo' } }), 6);
    const { object } = scaler.renderPrimary(aCanary(), up);
    expect([specOf(object)?.[min], object.metadata.annotations]).toEqual([
      2,
      expect.not.objectContaining({ 'serin.dev/before-raise': expect.anything() }),
    ]);
  });

  it('with an unreadable note the current value counts as wished by the user', () => {
    const broken = withSpec({ [min]: 6, [max]: 10 });
    broken.metadata.annotations = { 'serin.dev/before-raise': 'not JSON' };
    expect(scaler.limits(broken).min).toBe(6);
    expect(raised(broken, undefined).metadata.annotations).toEqual({});
  });
});

it('idleReplicaCount would undercut a raised minimum, and is restored with the own one', () => {
  const object = scalerOf('ScaledObject', { idleReplicaCount: 0, minReplicaCount: 2, maxReplicaCount: 10 });
  const up = patched(object, scalers.ScaledObject.raisePatch(object, 6));
  expect(up.spec).toEqual({ minReplicaCount: 6, maxReplicaCount: 10 });
  expect(patched(up, scalers.ScaledObject.raisePatch(up, undefined))).toEqual(object);
});
