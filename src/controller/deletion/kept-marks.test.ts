import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { keptPrimaryOn, writeKeptPrimary } from '../../api/kept-primary.ts';
import type { Labels } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { unmark } from './kept-marks.ts';

const [kept, accept] = ['serin.dev/kept-primary', 'serin.dev/accept'];

const target = (annotations?: Labels) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo', namespace: 'test', ...(annotations && { annotations }) },
});

it.each([
  { what: 'no annotations', annotations: undefined, removed: [] },
  { what: 'annotations of its own', annotations: { mine: 'yes' }, removed: [] },
  { what: 'one mark', annotations: { mine: 'yes', [accept]: '2' }, removed: [{ [accept]: null }] },
  { what: 'both marks', annotations: { [kept]: '{}', [accept]: '' }, removed: [{ [kept]: null, [accept]: null }] },
])('I19: a target with $what loses the marks that it has', async ({ annotations, removed }) => {
  const patched: unknown[] = [];
  const patch = async (_: unknown, body: object) => void patched.push(body);
  await unmark(aCanary(), target(annotations), { cluster: { patch } as unknown as Cluster, signal: new AbortController().signal });
  expect(patched).toEqual(removed.map((one) => ({ metadata: { annotations: one } })));
});

it('I19: the kept primary is read from the mark, and an object without annotations keeps nothing', () => {
  const what = { primary: 'a', target: 'b', promoted: '1', unpromoted: '2', since: '2026-01-01T00:00:00Z', next: 'push' };
  expect(keptPrimaryOn(target({ [kept]: writeKeptPrimary(what) }))).toEqual(what);
  expect([target({ mine: 'yes' }), target({ [kept]: '{' }), target()].map(keptPrimaryOn)).toEqual([undefined, undefined, undefined]);
});
