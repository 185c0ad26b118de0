import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { knativeApiVersion, primaryRevisionAnnotation } from '../../api/knative.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import { ensurePrimary } from './sides.ts';

const canary = aCanary({}, { provider: 'knative', targetRef: { apiVersion: knativeApiVersion, kind: 'Service', name: 'shop' } });
const service = (primary: string): KubeObject => ({
  apiVersion: knativeApiVersion,
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'test', resourceVersion: '7', annotations: { [primaryRevisionAnnotation]: primary } },
  status: { latestCreatedRevisionName: 'shop-00002', latestReadyRevisionName: 'shop-00002' },
});

/** Reconciles a Knative Service that names this Revision as its primary, at these times. shop-00001 was promoted, and exists if it is `kept`. */
async function passes(
  named: string,
  { promoted = true, isThere = (name: string): boolean => name === 'shop-00001', timesMs = [0], manager = 'kubectl' },
) {
  const patched: object[] = [];
  const brake = new HealingBrake();
  const outcomes: unknown[] = [];
  for (const nowMs of timesMs) {
    const context = {
      ...{ canary, brake, nowMs, config: {}, signal: new AbortController().signal },
      view: {
        find: ({ kind, name }: ObjectRef) => (kind === 'Revision' && isThere(name) ? { object: {} } : undefined),
        learn: () => undefined,
      },
      anchors: {
        templates: { promoted: async () => (promoted ? { revision: 'one', spec: { primaryRevision: 'shop-00001' } } : undefined) },
      },
      cluster: {
        patch: async (_: unknown, body: object) => {
          patched.push(body);
          return { metadata: {} };
        },
      },
    };
    const existing = { object: service(named), ...(manager && { marksManager: manager }) };
    outcomes.push(
      await ensurePrimary(context as never, existing as never, existing as never, { selector: {}, ports: [] } as never, {} as never),
    );
  }
  return { patched, outcomes, news: brake.takeNews() };
}

const changed = { converged: false, wrote: true };
const held = { converged: true, wrote: false };

describe('the name of the primary Revision', () => {
  const metadata = { resourceVersion: '7', annotations: { [primaryRevisionAnnotation]: 'shop-00001' } };

  it('is put back where it names a Revision that is missing, and who wrote it is reported', async () => {
    const { patched, outcomes, news } = await passes('shop-00009', {});
    expect([outcomes, patched]).toEqual([[changed], [{ metadata }]]);
    expect(news).toEqual([
      {
        key: `${knativeApiVersion}/Service/test/shop#primary`,
        field: expect.stringContaining('annotations'),
        by: 'another',
        who: 'kubectl',
      },
    ]);
  });

  it('is put back where it is not known who wrote it', async () => {
    const { news } = await passes('shop-00009', { manager: '' });
    expect(news).toEqual([{ key: expect.any(String), field: expect.any(String), by: 'another' }]);
  });

  it('is put back again only after a pause, which delays nothing else', async () => {
    const { patched, outcomes } = await passes('shop-00009', { timesMs: [0, 400, 1_000] });
    expect([outcomes, patched.length]).toEqual([[changed, { ...held, retryInMs: 600 }, changed], 2]);
  });

  it.each([
    { what: 'is another Revision that is there', named: 'shop-00002', seen: { isThere: () => true } },
    { what: 'is missing, and nothing is known to be promoted', named: 'shop-00009', seen: { promoted: false } },
    { what: 'is the promoted Revision, which is missing itself', named: 'shop-00001', seen: { isThere: () => false } },
  ])('stays where it $what', async ({ named, seen }) => {
    const { patched, outcomes } = await passes(named, seen);
    expect([outcomes, patched]).toEqual([[expect.objectContaining({ converged: true, wrote: false })], []]);
  });
});
