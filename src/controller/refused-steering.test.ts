import { expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { ApiError } from '../kube/errors.ts';
import { RefusedSteering } from './refused-steering.ts';

const service = (spec: object): KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop' }, spec });
const wished = service({ selector: { app: 'shop' }, trafficDistribution: 'example.org/nearest', sessionAffinity: 'ClientIP' });
const refusal = (text: string, status = 422) => new ApiError(`apply Service shop: ${text}`, { status, reason: 'Invalid' });

/** A cluster that does not know the value. */
function aCluster(error: Error = refusal('spec.trafficDistribution: Unsupported value: "example.org/nearest"')) {
  const asked: object[] = [];
  const written: object[] = [];
  const attempt = async ({ spec }: KubeObject): Promise<void> => {
    asked.push(spec);
    if (String(spec.trafficDistribution).includes('/')) throw error;
    written.push(spec);
  };
  return { asked, written, attempt };
}

it('07-S1: a value that the cluster refuses is left out, told with its field, and not asked for again in each pass', async () => {
  const steering = new RefusedSteering();
  const { asked, written, attempt } = aCluster();
  expect(await steering.write(wished, undefined, 0, attempt)).toBe(true);
  expect(written).toEqual([{ selector: { app: 'shop' } }]);
  expect(steering.message).toMatch(/^spec\.service\.trafficDistribution: .*"example\.org\/nearest".*Service shop/);
  expect(await steering.write(wished, undefined, 1000, attempt)).toBe(false);
  expect(asked).toHaveLength(3);
  expect(await steering.write(wished, undefined, 300_000, attempt)).toBe(false);
  expect(asked).toHaveLength(5);
});

it('07-S1: what the Service has already stays, where what is wanted instead is refused', async () => {
  const { written, attempt } = aCluster();
  const live = service({ trafficDistribution: 'PreferClose', sessionAffinity: 'None', internalTrafficPolicy: 'Local' });
  await new RefusedSteering().write(wished, live, 0, attempt);
  expect(written).toEqual([{ selector: { app: 'shop' }, trafficDistribution: 'PreferClose', sessionAffinity: 'None' }]);
});

it('07-S1: once it is corrected, it is written at once and no longer told', async () => {
  const steering = new RefusedSteering();
  const { written, attempt } = aCluster();
  await steering.write(wished, undefined, 0, attempt);
  expect(await steering.write(service({ trafficDistribution: 'PreferSameZone' }), undefined, 1, attempt)).toBe(true);
  expect(written.at(-1)).toEqual({ trafficDistribution: 'PreferSameZone' });
  expect(steering.message).toBeUndefined();
});

it('07-S1: a server that does not know the field at all refuses an apply with 500', async () => {
  const steering = new RefusedSteering();
  const { written, attempt } = aCluster(refusal('failed to create typed patch object: .spec.trafficDistribution: field not declared', 500));
  await steering.write(wished, undefined, 0, attempt);
  expect(written).toHaveLength(1);
});

it('07-S1: any other refusal is none of its business', async () => {
  const steering = new RefusedSteering();
  const { written, attempt } = aCluster(refusal('spec.ports: Required value'));
  await expect(steering.write(wished, undefined, 0, attempt)).rejects.toThrow('spec.ports');
  expect(written).toEqual([]);
});
