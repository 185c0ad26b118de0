import { describe, expect, it } from 'vitest';
import type { Raw } from '../../../test/fakes/raw.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';
import { warningsOf } from '../status/warnings.ts';
import { RefusedTrafficFields } from './refused-traffic-fields.ts';

const service = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop' }, spec });
const wished = service({ selector: { app: 'shop' }, trafficDistribution: 'example.org/nearest', sessionAffinity: 'ClientIP' });
const refusal = (text: string, status = 422) => new ApiError(`apply Service shop: ${text}`, { status, reason: 'Invalid' });

/** A cluster that does not know the value. */
function whichRefuses(error: Error = refusal('spec.trafficDistribution: Unsupported value: "example.org/nearest"')) {
  const asked: object[] = [];
  const written: object[] = [];
  const attempt = async ({ spec }: Raw): Promise<void> => {
    asked.push(spec);
    if (String(spec.trafficDistribution).includes('/')) throw error;
    written.push(spec);
  };
  return { asked, written, attempt };
}

it('a value that the cluster refuses is left out, reported with its field, and not sent again at each reconcile', async () => {
  const trafficFields = new RefusedTrafficFields();
  const { asked, written, attempt } = whichRefuses();
  expect(await trafficFields.write(wished, undefined, 0, attempt)).toBe(true);
  expect(written).toEqual([{ selector: { app: 'shop' } }]);
  expect(trafficFields.messageFor(aCanary())).toMatch(/^spec\.service\.trafficDistribution: .*"example\.org\/nearest".*Service shop/);
  expect(await trafficFields.write(wished, undefined, 1000, attempt)).toBe(false);
  expect(asked).toHaveLength(3);
  expect(await trafficFields.write(wished, undefined, 300_000, attempt)).toBe(false);
  expect(asked).toHaveLength(5);
});

it('the Service keeps its live value where the wanted value is refused', async () => {
  const { written, attempt } = whichRefuses();
  const live = service({ trafficDistribution: 'PreferClose', sessionAffinity: 'None', internalTrafficPolicy: 'Local' });
  await new RefusedTrafficFields().write(wished, live, 0, attempt);
  expect(written).toEqual([{ selector: { app: 'shop' }, trafficDistribution: 'PreferClose', sessionAffinity: 'None' }]);
});

it('once it is corrected, it is written at once and no longer reported', async () => {
  const trafficFields = new RefusedTrafficFields();
  const { written, attempt } = whichRefuses();
  await trafficFields.write(wished, undefined, 0, attempt);
  expect(await trafficFields.write(service({ trafficDistribution: 'PreferSameZone' }), undefined, 1, attempt)).toBe(true);
  expect(written.at(-1)).toEqual({ trafficDistribution: 'PreferSameZone' });
  expect(trafficFields.messageFor(aCanary())).toBeUndefined();
});

it('a server that does not know the field at all refuses an apply with 500', async () => {
  const trafficFields = new RefusedTrafficFields();
  const { written, attempt } = whichRefuses(
    refusal('failed to create typed patch object: .spec.trafficDistribution: field not declared', 500),
  );
  await trafficFields.write(wished, undefined, 0, attempt);
  expect(written).toHaveLength(1);
});

it('any other refusal is none of its business', async () => {
  const trafficFields = new RefusedTrafficFields();
  const { written, attempt } = whichRefuses(refusal('spec.ports: Required value'));
  await expect(trafficFields.write(wished, undefined, 0, attempt)).rejects.toThrow('spec.ports');
  expect(written).toEqual([]);
});

describe('the copies of a Service target', () => {
  const canary = aCanary();
  const asking = (service: Partial<Canary['spec']['service']>): Canary => ({
    ...canary,
    spec: { ...canary.spec, service: { port: 80, ...service } },
  });
  const near = asking({ trafficDistribution: 'example.org/nearest', internalTrafficPolicy: 'Local' });
  const unsupported = refusal('spec.trafficDistribution: Unsupported value: "example.org/nearest"');

  it('are made without the field that the cluster refuses, and with all others', () => {
    const trafficFields = new RefusedTrafficFields();
    expect(trafficFields.withoutRefused(near)).toBe(near);
    expect(trafficFields.isRefusedForCopies(unsupported, near)).toBe(true);
    expect(trafficFields.withoutRefused(near).spec.service).toEqual({ port: 80, internalTrafficPolicy: 'Local' });
    expect(trafficFields.messageFor(near)).toMatch(
      /^spec\.service\.trafficDistribution: .*"example\.org\/nearest".*correct it, or remove it/,
    );
  });
  it('are made without a second one, which the cluster names only when the first is gone; both are reported', () => {
    const trafficFields = new RefusedTrafficFields();
    trafficFields.isRefusedForCopies(unsupported, near);
    expect(trafficFields.isRefusedForCopies(refusal('spec.internalTrafficPolicy: Invalid value: "Local"'), near)).toBe(true);
    expect(trafficFields.withoutRefused(near).spec.service).toEqual({ port: 80 });
    expect(trafficFields.messageFor(near)).toMatch(/trafficDistribution.*internalTrafficPolicy/);
  });
  it('are written with the field again, and the refusal is no longer reported, once the Canary requests another value', () => {
    const trafficFields = new RefusedTrafficFields();
    trafficFields.isRefusedForCopies(unsupported, near);
    for (const mended of [asking({ trafficDistribution: 'PreferSameZone', internalTrafficPolicy: 'Local' }), asking({})]) {
      expect(trafficFields.withoutRefused(mended)).toBe(mended);
      expect(trafficFields.messageFor(mended)).toBeUndefined();
    }
  });
  it('any other refusal is none of its business, nor is a field that is the target’s own', () => {
    const trafficFields = new RefusedTrafficFields();
    expect(trafficFields.isRefusedForCopies(refusal('spec.ports: Required value'), near)).toBe(false);
    expect(trafficFields.isRefusedForCopies(unsupported, asking({}))).toBe(false);
    trafficFields.isRefusedForCopies(unsupported, near);
    expect(trafficFields.isRefusedForCopies(unsupported, near)).toBe(false);
    expect(trafficFields.withoutRefused(asking({}))).toEqual(asking({}));
  });
});

it('a Knative Service, which makes its Services itself, has its field reported with the remedy', () => {
  const knative: Canary = {
    ...aCanary(),
    spec: {
      ...aCanary().spec,
      targetRef: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'shop' },
      service: { port: 80, trafficDistribution: 'PreferClose' },
    },
  };
  const [warning, ...others] = warningsOf(knative, 'knative', { find: () => undefined, all: () => [] }, new RefusedTrafficFields());
  expect(others).toEqual([]);
  expect(warning).toMatchObject({
    type: 'ServiceTrafficRejected',
    message: expect.stringMatching(/^spec\.service\.trafficDistribution: .*"PreferClose".*Remove it$/),
  });
});
