import { expect, it } from 'vitest';
import { raw as loose } from '../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import type { NewBlocker } from '../api/blocker.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { recordedWaits } from './waits.ts';

const since = '2026-05-04T10:00:00Z';

/** A Canary whose controller recorded these blockers. */
function blocked(...blockers: NewBlocker[]): KubeObject {
  const canary = JSON.parse(JSON.stringify(initialized(aCanary({ stepWeight: 25 })).canary));
  canary.status.release.blockers = blockers.map((one) => ({ ...one, since }));
  return canary;
}

it.each<[what: string, blocker: NewBlocker, wait: object]>([
  [
    'a gate, under its name in all namespaces',
    { code: 'GateClosed', webhook: 'freeze', detail: 'not before Monday' },
    { kind: 'gate', name: 'freeze', who: 'the owner of the webhook' },
  ],
  ['a webhook that refuses', { code: 'HookRejected', webhook: 'smoke' }, { kind: 'gate', name: 'smoke' }],
  ['a check', { code: 'CheckFailed', metric: 'errors' }, { kind: 'check', name: 'errors', who: 'the owner of the target' }],
  [
    'an object, in its own namespace',
    { code: 'TemplateNotFound', metric: 'errors', object: { apiVersion: 'v1', kind: 'MetricTemplate', name: 'e', namespace: 'ops' } },
    { kind: 'object', name: 'MetricTemplate ops/e' },
  ],
  [
    'an object of the Canary’s namespace',
    { code: 'QuotaExceeded', object: { apiVersion: 'v1', kind: 'ResourceQuota', name: 'small' } },
    { kind: 'object', name: 'ResourceQuota test/small', who: 'the administrator of the cluster' },
  ],
  [
    'the user who paused it',
    { code: 'Paused', detail: 'alice' },
    { kind: 'decision', name: 'the release is paused by alice', who: 'the owner of the Canary' },
  ],
  ['another Canary', { code: 'TargetTaken' }, { kind: 'canary', name: 'Deployment test/podinfo' }],
])('waits for %s', (_, blocker, wait) => {
  expect(recordedWaits(blocked(blocker))).toEqual([expect.objectContaining({ ...wait, code: blocker.code, since })]);
});

it('each reason of one object is a wait of its own, and a reason that ends by itself is not a wait', () => {
  const object = { apiVersion: 'v1', kind: 'Service', name: 'podinfo' };
  const waits = recordedWaits(
    blocked(
      { code: 'TargetUnobserved', object },
      { code: 'NameTaken', object },
      { code: 'ApiRejected', object, field: 'spec.ports' },
      { code: 'ApiRejected', object, field: 'spec.selector' },
    ),
  );
  expect(waits.map(({ name, code, field }) => [name, code, field])).toEqual([
    ['Service test/podinfo', 'NameTaken', undefined],
    ['Service test/podinfo', 'ApiRejected', 'spec.ports'],
    ['Service test/podinfo', 'ApiRejected', 'spec.selector'],
  ]);
});

it('a Canary that was rejected before its first release waits by its condition', () => {
  const canary = blocked();
  delete loose(canary).status.release;
  loose(canary).status.conditions = [{ type: 'Accepted', status: 'False', reason: 'TargetTaken', message: 'an older one' }];
  expect(recordedWaits(canary)).toMatchObject([{ kind: 'canary', code: 'TargetTaken' }]);
  loose(canary).status.conditions[0].reason = 'constructor';
  expect(recordedWaits(canary)).toEqual([]);
});

it('a Canary that is being deleted waits for no one', () => {
  const canary = blocked({ code: 'GateClosed', webhook: 'freeze' });
  canary.metadata.deletionTimestamp = since;
  expect(recordedWaits(canary)).toEqual([]);
});

it('a refusal that is stored only in its condition comes before the blockers recorded until then', () => {
  const canary = blocked({ code: 'GateClosed', webhook: 'freeze' });
  loose(canary).status.conditions = [{ type: 'Accepted', status: 'False', reason: 'ForeignController', message: 'another one writes' }];
  expect(recordedWaits(canary).map(({ code }) => code)).toEqual(['ForeignController', 'GateClosed']);
  loose(canary).status.conditions[0].reason = 'GateClosed';
  expect(recordedWaits(canary).map(({ code }) => code)).toEqual(['GateClosed']);
});
