import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';

vi.setConfig({ testTimeout: 60_000 });

const routeRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const plan = { stepWeights: [20, 60], sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } };

async function initialized(service: object = {}): Promise<ModelLab> {
  const lab = await labWithApp();
  await initialize(lab, aModelCanary(plan, { service: { port: 80, targetPort: 'http', ...service } }));
  return lab;
}
const weightOf = (lab: ModelLab): number | undefined => raw(lab.server.find(routeRef))?.spec.http?.at(-1)?.route?.[1]?.weight;
const cookiesSet = (lab: ModelLab): string[] =>
  (raw(lab.server.find(routeRef))?.spec.http?.at(-1)?.route ?? []).map(
    (side: { headers?: { response: { add: Record<string, string> } } }) => side.headers?.response.add['Set-Cookie']?.split(';')[0],
  );

it('cookies are recorded before they are routed, and a crash in between changes none of them', async () => {
  const lab = await initialized();
  let recorded: Record<string, string> | undefined;
  lab.refuse = ({ ref, body }) => {
    if (ref.kind !== 'VirtualService' || !JSON.stringify(body).includes('Set-Cookie')) return;
    recorded ??= raw(lab.canary())?.status?.release?.routes?.affinity;
    throw new Error('killed between the two writes');
  };
  lab.push('2');
  expect(await lab.passUntil(() => recorded !== undefined, 120_000)).toBe(true);
  lab.kill();
  expect(recorded).toEqual({ canary: expect.stringMatching(/^side=\w+$/), primary: expect.stringMatching(/^main=\w+$/) });
  lab.refuse = () => undefined;
  lab.start();
  expect(await lab.passUntil(() => weightOf(lab) === 20, 120_000)).toBe(true);
  expect(cookiesSet(lab)).toEqual([recorded?.primary, recorded?.canary]);
});

it('from step to step the canary keeps its cookie and the primary gets another; in the end both are taken out', async () => {
  const lab = await initialized();
  lab.push('2');
  expect(await lab.passUntil(() => weightOf(lab) === 20, 120_000)).toBe(true);
  const [main, side] = cookiesSet(lab);
  expect(await lab.passUntil(() => weightOf(lab) === 60, 120_000)).toBe(true);
  const [later, same] = cookiesSet(lab);
  expect(same).toBe(side);
  expect(later).toMatch(/^main=/);
  expect(later).not.toBe(main);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  const rules = JSON.stringify(raw(lab.server.find(routeRef))?.spec.http);
  expect(rules).toContain(`${side}; Max-Age=-1`);
  expect(rules).not.toContain('main=');
});

it('with a service match and empty fields the VirtualService of an idle Canary is written once, and drift of it is corrected', async () => {
  const lab = await initialized({ match: [{ uri: { prefix: '/' } }], hosts: [], headers: {}, retries: {} });
  await lab.pass(60_000);
  const writes = () => lab.writes.filter(({ ref }) => ref.kind === 'VirtualService').length;
  const before = writes();
  await lab.pass(600_000);
  expect(writes()).toBe(before);
  lab.server.patch(routeRef, { spec: { http: [] } });
  await lab.pass(1_000);
  expect(weightOf(lab)).toBe(0);
  expect(writes()).toBe(before + 1);
});
