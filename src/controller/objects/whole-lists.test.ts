import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { replacingLists } from './whole-lists.ts';

const owner = (name: string, uid: string) => ({ apiVersion: 'apps/v1', kind: 'ControllerRevision', name, uid });
const port = (number: number, more: object = {}) => ({ name: `p${number}`, port: number, ...more });
const service = (ports: object[], ownerReferences: ReturnType<typeof owner>[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'podinfo', namespace: 'test', resourceVersion: '7', ownerReferences },
  spec: { ports },
});

it('an apply does it where the list has no entries but ours', () => {
  expect(replacingLists(service([port(80)], []), service([port(80, { nodePort: 30080 })], []))).toBeUndefined();
});

it('a list with a foreign entry is replaced by ours, which keep what the server has set, and other owners stay beside ours', () => {
  const [ours, theirs] = [owner('podinfo-serin-anchor', 'a'), owner('other', 'o')];
  const live = service([port(80, { nodePort: 30080 }), port(9090)], [ours, theirs]);
  const patch = replacingLists(service([port(80)], [ours]), live);
  expect(patch?.spec.ports).toEqual([port(80, { nodePort: 30080 })]);
  expect(patch?.metadata).toEqual({ resourceVersion: '7', ownerReferences: [theirs, ours] });
});
