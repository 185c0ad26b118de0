import { expect, it, vi } from 'vitest';
import { initialized } from '../../../test/fakes/model/damage.ts';
import { APP, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { ApiError } from '../../kube/errors.ts';
import { CanaryProcess } from './canary-process.ts';

const routeRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const theirs = { http: [{ route: [{ destination: { host: 'elsewhere' } }] }] };

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

async function idle(): Promise<ModelLab> {
  const lab = await initialized();
  await lab.pass(60_000);
  return lab;
}

it('heals routes of an idle Canary under the brake, also when the first change comes long after its last reconcile', async () => {
  const lab = await idle();
  const before = lab.writes.length;
  for (let second = 0; second < 120; second += 1) {
    lab.server.patch(routeRef, { spec: theirs });
    await lab.pass(1_000);
  }
  const corrections = lab.writes.slice(before).filter(({ ref }) => ref.kind === 'VirtualService').length;
  // Corrections come at once, then after 1, 2, 4 … s.
  expect(corrections).toBeGreaterThan(3);
  expect(corrections).toBeLessThanOrEqual(8);
  expect(raw(lab.canary())?.status.conditions).toMatchObject([{ type: 'Promoted' }, { type: 'Contested', status: 'True' }]);
});

it('gives a route its marks back that is replaced without them while the Canary is idle', async () => {
  const lab = await idle();
  lab.server.patch(routeRef, { metadata: { annotations: { [ownerAnnotation]: null } } });
  await lab.pass(5_000);
  expect(lab.server.find(routeRef)?.metadata.annotations?.[ownerAnnotation]).toBe(lab.canary()?.metadata.uid);
});

it('I8: has no timer left when its messages are delivered, also when the target is seen at zero after that', async () => {
  const lab = await idle();
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Finalising', 300_000)).toBe(true);
  lab.watchLagMs = (kind) => (kind === 'Deployment' ? 3_000 : 0);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(60_000);
  expect(raw(lab.canary())?.status.release).toMatchObject({ step: 'resting', deliveries: [], scaledDownUid: expect.any(String) });
  expect(lab.clock.pending).toBe(0);
});

it('is all that is left of an idle Canary: a change finds a new process, which a release keeps to its end', async () => {
  const woken = vi.spyOn(CanaryProcess.prototype, 'wake');
  /** The processes that were woken since the last look. */
  const processes = () => {
    const found = new Set(woken.mock.contexts);
    woken.mockClear();
    return found;
  };
  const lab = await idle();
  const before = processes();
  lab.server.patch(routeRef, { spec: theirs });
  await lab.pass(5_000);
  const after = processes();
  expect([after.size > 0, [...after].filter((one) => before.has(one))]).toEqual([true, []]);
  await lab.pass(60_000);
  processes();
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect(processes().size).toBe(1);
});

it('I8: is not all that is left while a config has been read again that the status has in its version of before', async () => {
  const woken = vi.spyOn(CanaryProcess.prototype, 'wake');
  const lab = await initialized();
  lab.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: NAMESPACE }, data: { a: '1' } });
  const [container] = raw(lab.server.find(targetRef))?.spec.template.spec.containers ?? [];
  const reads = { ...container, envFrom: [{ configMapRef: { name: 'settings' } }] };
  lab.server.patch(targetRef, { spec: { template: { spec: { containers: [reads] } } } });
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(120_000);
  const config = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: NAMESPACE };
  woken.mockClear();
  lab.server.patch(config, { metadata: { labels: { seen: '1' } } });
  await lab.pass(60_000);
  const first = new Set(woken.mock.contexts);
  woken.mockClear();
  lab.server.patch(config, { metadata: { labels: { seen: '2' } } });
  await lab.pass(60_000);
  const again = [...new Set(woken.mock.contexts)].map((one) => first.has(one));
  expect([first.size, again]).toEqual([1, [true]]);
});

it.each([409, 500])('E54: a delivered message leaves the status, though the first write without it was answered by %i', async (status) => {
  const lab = await idle();
  const refused: unknown[] = [];
  const listed = () => raw(lab.canary())?.status.release.deliveries.length;
  lab.refuse = ({ ref, body }) => {
    const left = ref.kind === 'Canary' ? raw(body)?.status?.release?.deliveries : undefined;
    if (refused.length > 0 || left === undefined || left.length >= listed()) return;
    refused.push(left);
    throw new ApiError('not now', { status, reason: 'x' });
  };
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(60_000);
  expect(refused).toHaveLength(1);
  expect(listed()).toBe(0);
});
