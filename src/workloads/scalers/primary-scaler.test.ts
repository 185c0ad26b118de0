import { expect, it } from 'vitest';
import { anHpa } from '../../../test/fakes/model/scaled.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { promotedScalerAnnotation } from '../../api/names.ts';
import { hpa } from './hpa.ts';

const noteOf = ({ metadata }: KubeObject) => metadata.annotations?.[promotedScalerAnnotation];
const canary = aCanary();
const { object: rendered } = hpa.renderPrimary(canary, anHpa());

it('the promoted scaler is kept, with any later edits of the object', () => {
  const edited = { ...rendered, metadata: { ...rendered.metadata, labels: { theirs: 'yes' } }, spec: { maxReplicas: 33 } };
  expect(hpa.renderKept(canary, edited)).toEqual(rendered);
});

it('limits of the Canary apply, and are kept from then on', () => {
  const autoscalerRef = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler' as const,
    name: 'podinfo',
    primaryScalerReplicas: { maxReplicas: 30 },
  };
  const limited = hpa.renderKept({ ...canary, spec: { ...canary.spec, autoscalerRef } }, rendered);
  expect(specOf(limited as KubeObject)).toMatchObject({ minReplicas: 2, maxReplicas: 30 });
  expect(specOf(hpa.renderKept(canary, limited as KubeObject) as KubeObject)).toMatchObject({ minReplicas: 2, maxReplicas: 30 });
});

it.each([
  { what: 'none', note: undefined },
  { what: 'one that is not JSON', note: '{' },
  { what: 'one without a spec', note: '{"labels":{},"annotations":{}}' },
])('a note that is $what gives no scaler to keep', ({ note }) => {
  const annotations = { ...(note !== undefined && { [promotedScalerAnnotation]: note }) };
  expect(hpa.renderKept(canary, { ...rendered, metadata: { ...rendered.metadata, annotations } })).toBeUndefined();
});

it('I16: a scaler with very long annotations is promoted without a note', () => {
  const long = hpa.renderPrimary(canary, {
    ...anHpa(),
    metadata: { ...anHpa().metadata, annotations: { note: 'a'.repeat(70_000) } },
  }).object;
  expect([long.metadata.annotations?.note?.length, noteOf(long)]).toEqual([70_000, undefined]);
  expect(noteOf(rendered)).toContain('"maxReplicas":10');
});
