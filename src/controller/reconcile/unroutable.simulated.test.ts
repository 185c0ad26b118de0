import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { anIngress, ingressRef, leadingTo, routedByIngress } from '../../../test/fakes/shop-ingress.ts';
import { ApiError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const copyRef = { ...ingressRef, name: 'shop-canary' };
const lead = (lab: ModelLab, service: string) => lab.server.patch(ingressRef, { spec: leadingTo(service) });
const said = (lab: ModelLab): string => raw(lab.canary())?.status?.conditions?.[0].message;
const copied = (lab: ModelLab): string | undefined =>
  lab.server.find(copyRef)?.metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'];
const MISSING = `no path of Ingress shop leads to Service ${APP}: add one, or correct spec.ingressRef or spec.service.name`;

/** Idle; the Ingress leads to the application from the start, or to another one. */
async function resting(spec: object, service: string): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create(anIngress(service));
  lab.server.create(aModelCanary(plan, { progressDeadlineSeconds: 90, ...spec }));
  lab.start();
  const isAtRest = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
  expect(await lab.passUntil(isAtRest, 120_000)).toBe(true);
  return lab;
}

it('E96, D10: after an edit to a provider whose Ingress lacks the backend no weight is reported that no route holds, and a release ends at its deadline', async () => {
  const lab = await resting({ provider: 'istio' }, 'elsewhere');
  lab.server.patch(canaryRef, { spec: routedByIngress });
  await lab.pass(20_000);
  expect([lab.phase(), said(lab)]).toEqual(['Initialized', expect.stringContaining(MISSING)]);
  const weights = new Set<number>();
  lab.betweenCalls = () => void weights.add(raw(lab.canary())?.status?.canaryWeight);
  lab.push('2');
  await lab.pass(60_000);
  expect([lab.phase(), said(lab)]).toEqual(['Progressing', expect.stringContaining(MISSING)]);
  expect(await lab.passUntil(() => lab.phase() === 'Failed', 120_000)).toBe(true);
  await lab.pass(30_000);
  expect([[...weights], raw(lab.server.find(targetRef))?.spec.replicas, lab.server.find(copyRef)]).toEqual([[0], 0, undefined]);
  expect(said(lab)).toContain('no route could send traffic to the canary within 90 s');
  lead(lab, APP);
  await lab.pass(20_000);
  expect(said(lab)).not.toContain(`Blocked: ${MISSING}`);
  lab.push('3');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 120_000)).toBe(true);
  expect(lab.lost).toEqual([]);
});

it('E96: an Ingress that loses its backend before a release is reported, holds the release, and lets it go on when it is corrected', async () => {
  const lab = await resting(routedByIngress, APP);
  expect(copied(lab)).toBe('0');
  lead(lab, 'elsewhere');
  await lab.pass(20_000);
  expect(said(lab)).toContain(MISSING);
  lab.push('2');
  await lab.pass(45_000);
  expect([lab.phase(), raw(lab.canary())?.status?.canaryWeight, copied(lab)]).toEqual(['Progressing', 0, '0']);
  lead(lab, APP);
  expect(await lab.passUntil(() => copied(lab) === '25', 30_000)).toBe(true);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 120_000)).toBe(true);
  expect(lab.lost).toEqual([]);
});

it('D10: a weight that the API server refuses to write into the route is not reported', async () => {
  const lab = await resting({ provider: 'istio' }, APP);
  lab.refuse = ({ ref }) => {
    if (ref.kind === 'VirtualService') throw new ApiError('patch VirtualService: denied by a policy', { status: 403, reason: 'Forbidden' });
  };
  lab.push('2');
  await lab.pass(60_000);
  expect(lab.canary()?.status).toMatchObject({ phase: 'Progressing', canaryWeight: 0, release: { routes: { canary: 25 } } });
  lab.refuse = () => undefined;
  expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 50, 60_000)).toBe(true);
});

const virtualService = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const edits = {
  'its provider': {
    before: { provider: 'istio' },
    edit: routedByIngress,
    shares: (lab: ModelLab) =>
      raw(lab.server.find(virtualService))
        ?.spec.http[0].route.map(({ weight }: { weight: number }) => weight)
        .join(),
    home: '100,0',
  },
  'its Ingress': {
    before: routedByIngress,
    edit: { ingressRef: { ...routedByIngress.ingressRef, name: 'front' } },
    shares: copied,
    home: '0',
  },
};
const cells = (['its provider', 'its Ingress'] as const).flatMap((what) =>
  ['Succeeded', 'Failed'].flatMap((end) => ['runs on', 'was restarted', 'was down'].map((serin) => ({ what, end, serin }))),
);

it.each(cells)(
  'I5, E113: $what edited in the middle of a release that ends $end leaves no share of the canary in the old route, when Serin $serin',
  async ({ what, end, serin }) => {
    const { before, edit, shares, home } = edits[what];
    const lab = await resting(before, APP);
    lab.server.create({ ...anIngress(APP), metadata: { name: 'front', namespace: NAMESPACE } });
    lab.push('2');
    expect(await lab.passUntil(() => raw(lab.canary())?.status?.canaryWeight === 25, 120_000)).toBe(true);
    if (serin === 'was down') lab.kill();
    lab.server.patch(canaryRef, { spec: edit });
    if (end === 'Failed') for (const name of ['shop', 'front']) lab.server.patch({ ...ingressRef, name }, { spec: leadingTo('elsewhere') });
    if (serin === 'was restarted') {
      await lab.pass(3_000);
      lab.kill();
    }
    if (!lab.isUp) lab.start();
    expect(await lab.passUntil(() => lab.phase() === end, 300_000)).toBe(true);
    await lab.pass(30_000);
    expect([raw(lab.server.find(targetRef))?.spec.replicas, shares(lab)]).toEqual([0, home]);
    expect(raw(lab.canary())?.status?.release).not.toHaveProperty('leftRoutes');
    expect(raw(lab.canary())?.status?.release).not.toHaveProperty('routedFor');
    expect(lab.lost).toEqual([]);
  },
);
