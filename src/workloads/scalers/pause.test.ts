import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { pausedByUsAnnotation, pausedReplicas } from './pause.ts';
import { scaledObject } from './scaled-object.ts';

const so = (annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name: 'checkout', namespace: 'shop', resourceVersion: '7', ...(annotations && { annotations }) },
  spec: { scaleTargetRef: { name: 'checkout' }, invented: { deep: true } },
});

/** JSON merge patch (RFC 7386) of the annotations, which is all that these patches may touch. */
function patched(object: KubeObject, patch: ReturnType<typeof scaledObject.pausePatch>): KubeObject {
  if (patch === undefined) return object;
  expect(Object.keys(patch)).toEqual(['metadata']);
  expect(patch.metadata.resourceVersion).toBe('7');
  const merged = Object.entries({ ...object.metadata.annotations, ...patch.metadata.annotations });
  const annotations = Object.fromEntries(merged.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
  return { ...object, metadata: { ...object.metadata, annotations } };
}

describe('pause', () => {
  it.each([
    { had: 'no pause', annotations: {} },
    { had: "a user's own pause at 3", annotations: { [pausedReplicas]: '3' } },
    { had: 'other annotations', annotations: { 'autoscaling.keda.sh/paused': 'true', team: 'a' } },
  ])('with $had, the target is held at zero and everything is restored', ({ annotations }) => {
    const paused = patched(so(annotations), scaledObject.pausePatch(so(annotations)));
    expect(paused.metadata.annotations).toMatchObject({ [pausedReplicas]: '0' });
    expect(scaledObject.pausePatch(paused)).toBeUndefined();
    const resumed = patched(paused, scaledObject.resumePatch(paused));
    expect(resumed.metadata.annotations).toEqual(annotations);
    expect(scaledObject.resumePatch(resumed)).toBeUndefined();
  });

  it("the target is held by KEDA's annotation, and the note beside it is known to later versions of Serin", () => {
    expect(patched(so(), scaledObject.pausePatch(so())).metadata.annotations).toEqual({
      'autoscaling.keda.sh/paused-replicas': '0',
      'serin.dev/paused-replicas-before': '',
    });
  });

  it('a pause that was removed by hand is set again, and the values left are kept as those of the user', () => {
    const edited = so({ [pausedReplicas]: '5', [pausedByUsAnnotation]: '3' });
    const paused = patched(edited, scaledObject.pausePatch(edited));
    expect(patched(paused, scaledObject.resumePatch(paused)).metadata.annotations).toEqual({ [pausedReplicas]: '5' });
  });

  it('a zero that the controller before us left is taken away, or no release could start', () => {
    const left = so({ [pausedReplicas]: '0' });
    expect(scaledObject.pausePatch(left)).toBeUndefined();
    expect(patched(left, scaledObject.resumePatch(left)).metadata.annotations).toEqual({});
  });

  it('only the two annotations are in the patch, so that nothing else of the object can be lost', () => {
    expect(scaledObject.pausePatch(so())).toEqual({
      metadata: { resourceVersion: '7', annotations: { [pausedReplicas]: '0', [pausedByUsAnnotation]: '' } },
    });
  });
});
