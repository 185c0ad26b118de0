import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ensureGitopsStatus } from '../../scripts/e2e-gitops-status.ts';
import { mergePatchOf } from '../../src/base/json-merge.ts';
import { canary, manifests, type Shop } from '../appliers/shop.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type HookServer, startHookServer } from '../scenarios/hook-server.ts';
import { canaryRef } from '../scenarios/troubles/objects.ts';
import { until } from '../scenarios/until.ts';
import { askGitops } from './gitops-status.ts';

const shop: Shop = { subject: 'Service', namespace: 'argo' };
const ref = canaryRef(shop.namespace, 'shop');
const KEY = 'resource.customizations';
const file = join(import.meta.dirname, '..', '..', 'examples', 'gitops', 'argocd', 'argocd-cm.yaml');

/** Argo CD's own Lua and the ConfigMap of the example, on the live Canary of a release; what changed is patched, as Argo CD does. */
describe('the actions of Argo CD on a real control plane', () => {
  const environment = anEnvironment(startRealEnvironment);
  const { data } = parse(readFileSync(file, 'utf8')) as { data: Record<string, string> };
  const texts = { health: data[`${KEY}.health.flagger.app_Canary`] ?? '', actions: data[`${KEY}.actions.flagger.app_Canary`] ?? '' };
  let program: string;
  let controller: ControllerProcess;
  let hooks: HookServer;

  const live = async (): Promise<Raw> => raw(await environment().cluster.get(ref));
  const answerTo = async (action?: string) => {
    const object = await live();
    const [answer] = askGitops(program, [{ object, ...texts, ...(action && { action }) }]);
    return { object, answer };
  };
  const health = async () => (await answerTo()).answer?.health.status;
  const offered = async () =>
    ((await answerTo()).answer?.actions ?? []).flatMap(({ name, disabled }) => (disabled ? [] : [name])).toSorted();
  const isSo = (what: string, is: (status: Raw) => boolean) =>
    until(environment().cluster, ref, what, (now) => now !== undefined && is(raw(now).status ?? {}), { boundMs: 240_000 });
  const isIn = (phase: string) => isSo(`is ${phase}`, (status) => status.phase === phase);
  const click = async (action: string): Promise<void> => {
    // The button is enabled in the first whole second of the release.
    const { object, answer } = await eventually(
      `${action} is possible`,
      () => answerTo(action),
      (now) => now.answer?.error === undefined,
    );
    const patch = mergePatchOf(object, answer?.changed) as Record<string, unknown>;
    expect(patch).toEqual({ metadata: { annotations: { 'serin.dev/request': expect.stringContaining(`${action} argocd-`) } } });
    await environment().cluster.patch(ref, patch);
    const [, id] = answer?.changed?.metadata.annotations?.['serin.dev/request']?.split(' ') ?? [];
    const outcomeIn = ({ release }: Raw) => release?.requests?.find((one: Raw) => one.id === id)?.outcome;
    const answered = await isSo(`has answered ${id}`, (status) => outcomeIn(status) !== undefined);
    expect([action, raw(answered).status.release.requests.at(-1)]).toEqual([
      action,
      expect.objectContaining({ id, verb: action, by: 'argocd', outcome: 'carriedOut' }),
    ]);
  };
  const push = async (version: string) => {
    for (const object of manifests(shop, version)) if (object.kind === 'Deployment') await environment().cluster.apply(object);
  };

  beforeAll(async () => {
    program = await ensureGitopsStatus();
    hooks = await startHookServer();
    hooks.answers('hold', 403);
    const { cluster } = environment();
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop.namespace } });
    for (const object of manifests(shop, '1')) await cluster.apply(object);
    await cluster.apply(canary(shop, hooks.url('hold')));
    expect([await health(), await offered()]).toEqual(['Progressing', []]);
    controller = startController(environment(), { 'scale-down-delay': '1s' });
    await isIn('Initialized');
  }, 900_000);
  afterAll(async () => {
    await controller?.stop();
    await hooks?.stop();
  });

  it('nothing is offered at rest, and a release at its gate is Suspended', async () => {
    expect([await health(), await offered()]).toEqual(['Healthy', []]);
    await push('2');
    await isIn('WaitingPromotion');
    expect(await health()).toBe('Suspended');
    expect(await offered()).toEqual(expect.arrayContaining(['pause', 'rollback']));
  });

  it('pause holds the release, and resume lets it go on', async () => {
    await click('pause');
    await isSo('is paused', ({ release }) => release?.paused?.by === 'argocd');
    expect([await health(), await offered()]).toEqual(['Suspended', ['promote', 'resume', 'rollback']]);
    await click('resume');
    await isSo('goes on', ({ release }) => release?.paused === undefined);
  });

  it('rollback ends the release, which is Degraded, and retry releases the same revision again', async () => {
    const { revision } = (await live()).status.release;
    await click('rollback');
    await isSo('is rolled back', ({ phase, release }) => phase === 'Failed' && release.step === 'resting');
    expect([await health(), await offered()]).toEqual(['Degraded', ['retry']]);
    await click('retry');
    await isIn('WaitingPromotion');
    expect((await live()).status.release.revision).toBe(revision);
  });

  it('promote ends the gate, and undo releases the earlier template', async () => {
    await click('promote');
    await isSo('is promoted', ({ phase, release }) => phase === 'Succeeded' && release.step === 'resting');
    expect([await health(), await offered()]).toEqual(['Healthy', ['undo']]);
    await click('undo');
    await isIn('WaitingPromotion');
    const target = raw(
      await environment().cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', namespace: shop.namespace }),
    );
    expect(target.spec.template.spec.containers[0].image).toBe('web:1');
  });

  it('an action that the state does not allow is an error and writes nothing', async () => {
    const { answer } = await answerTo('undo');
    expect([answer?.error, answer?.changed]).toEqual([expect.stringContaining('in no state for undo'), undefined]);
  });

  it('the kubectl command of the page puts both texts into the ConfigMap argocd-cm, and keeps what it has', async () => {
    const { cluster, kubectl } = environment();
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
    const had = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm', namespace: 'argocd' },
      data: { url: 'https://cd.example.org' },
    };
    await cluster.create(had);
    await kubectl('patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--patch-file', file);
    const now = raw(await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', name: 'argocd-cm', namespace: 'argocd' }));
    expect(now.data).toEqual({ url: 'https://cd.example.org', ...data });
  });
});
