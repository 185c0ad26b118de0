import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';
import { workloads } from '../../workloads/index.ts';
import { undo } from './undo.ts';

const template = (image: string) => ({ metadata: { labels: { app: 'podinfo' } }, spec: { containers: [{ name: 'app', image }] } });
const deployment = (metadata: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo', namespace: 'test', resourceVersion: '7', ...metadata },
  spec: { selector: { matchLabels: { app: 'podinfo' } }, template: template('podinfo:2') },
});

type Undo = Parameters<typeof undo>[1];

/** Undoes the promotion of podinfo:2, with this record of the previous promotion. `promoted`: the target at its promotion. */
async function undone(
  target: KubeObject | undefined,
  before: object | undefined,
  failure?: Error,
  promoted = target,
): Promise<{ done: unknown; patches: unknown[] }> {
  const patches: unknown[] = [];
  const promotions = async () => [{ revision: 's1:2' }, ...(before ? [{ revision: 's1:1', ...before }] : [])];
  const cluster = {
    get: async () => target,
    patch: async (_: unknown, patch: unknown) => {
      patches.push(patch);
      if (failure) throw failure;
    },
  };
  const anchors = { templates: { promotions } };
  const release = { template: promoted && workloads.Deployment.revision(promoted) };
  const context = {
    canary: { ...aCanary(), status: { release } },
    cluster,
    anchors,
    signal: new AbortController().signal,
  } as unknown as Undo;
  return { done: await undo('s1:2', context), patches };
}

it.each([
  ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } }],
  ['Flux', { labels: { 'helm.toolkit.fluxcd.io/name': 'apps' } }],
  ['Flux', { managedFields: [{ manager: 'kustomize-controller' }] }],
  ['Flux', { managedFields: [{}, { manager: 'helm-controller' }] }],
  ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'apps' } }],
  ['Argo CD', { labels: { 'argocd.argoproj.io/instance': 'apps' } }],
  ['Argo CD', { managedFields: [{ manager: 'argocd-controller' }] }],
  ['Argo CD', { managedFields: [{ manager: 'argocd-application-controller' }] }],
])('E74: %s would put back what undo writes, so that it is refused: %j', async (name, metadata) => {
  const { done, patches } = await undone(deployment(metadata), { target: template('podinfo:1') });
  expect(done).toEqual({
    outcome: 'refused',
    reason: expect.stringMatching(`^${name} keeps Deployment podinfo .* where ${name} reads it$`),
  });
  expect(patches).toEqual([]);
});

it.each([
  ['no earlier promotion is recorded', undefined],
  ['the template that the target had at the earlier promotion is not known', {}],
  ['the template was the same at the earlier promotion', { target: template('podinfo:2') }],
])('E74: undo is refused where %s', async (reason, before) => {
  const { done, patches } = await undone(deployment(), before);
  expect([done, patches]).toEqual([{ outcome: 'refused', reason: expect.stringContaining(reason) }, []]);
});

const moved: KubeObject = { ...deployment(), spec: { selector: { matchLabels: { app: 'podinfo' } }, template: template('podinfo:3') } };

it.each([
  {
    what: 'refused where the target was changed since',
    before: 'podinfo:1',
    outcome: 'refused',
    reason: 'Deployment podinfo was changed at the same moment',
  },
  { what: 'done where a write without an answer has done it', before: 'podinfo:3', outcome: 'written', reason: undefined },
])('E74: undo is $what', async ({ before, outcome, reason }) => {
  const { done, patches } = await undone(moved, { target: template(before) }, undefined, deployment());
  expect([done, patches]).toEqual([{ outcome, ...(reason && { reason }) }, []]);
});

it('E74: undo is refused where the target is gone', async () => {
  const { done, patches } = await undone(undefined, { target: template('podinfo:1') });
  expect([done, patches]).toEqual([{ outcome: 'refused', reason: 'the target does not exist' }, []]);
});

it('E74: the template of the previous promotion is written, as long as the target is the version that was read', async () => {
  const before = template('podinfo:1');
  const { done, patches } = await undone(deployment(), { target: before });
  expect(done).toEqual({ outcome: 'written' });
  expect(patches).toEqual([
    [
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'replace', path: '/spec/template', value: before },
    ],
  ]);
});

const answer = (status: number) => new ApiError(`answered ${status}`, { status, reason: 'x' });

it.each([400, 403, 404])('E74: an answer of %i to the write is definite: undo is refused with it', async (status) => {
  const { done, patches } = await undone(deployment(), { target: template('podinfo:1') }, answer(status));
  expect([done, patches.length]).toEqual([
    { outcome: 'refused', reason: `Deployment podinfo could not be written: answered ${status}` },
    1,
  ]);
});

it.each([409, 422])(
  'E74: an answer of %i says that the target has moved: it is read and written five times, then undo is refused',
  async (status) => {
    const { done, patches } = await undone(deployment(), { target: template('podinfo:1') }, answer(status));
    expect([done, patches.length]).toEqual([
      { outcome: 'refused', reason: `Deployment podinfo could not be written: answered ${status}` },
      5,
    ]);
  },
);

it.each([429, 500, 503])('E74: an answer of %i is not definite, and undo is tried again later', async (status) => {
  await expect(undone(deployment(), { target: template('podinfo:1') }, answer(status))).rejects.toThrow(`answered ${status}`);
});
