import { expect, it } from 'vitest';
import { waitGroups } from './page/wait-groups.ts';
import type { CanaryRow, WaitView } from './wire.ts';

const row = (name: string, ...waits: WaitView[]): CanaryRow => ({
  ...{ namespace: 'test', name, phase: 'Progressing', suspended: false, target: { kind: 'Deployment', name } },
  ...{ traffic: { kind: 'weighted', primary: 80, canary: 20 }, failedChecks: 0, waits },
});
const service = { kind: 'object', name: 'Service test/shop' };
const taken: WaitView = { ...service, code: 'NameTaken', who: 'the owner of the object' };
const refused: WaitView = { ...service, code: 'ApiRejected', who: 'the administrator of the cluster' };
const gate: WaitView = { kind: 'gate', name: 'freeze', code: 'GateClosed', who: 'the owner of the webhook' };

it('a Canary that waits for one object because of two reasons is in its group once, with all who can act', () => {
  const shop = row('shop', taken, refused);
  expect(waitGroups([shop])).toEqual([
    { key: 'object Service test/shop', title: 'Service test/shop', who: `${taken.who}; ${refused.who}`, rows: [shop] },
  ]);
});

it('the largest group comes first, and a Canary that waits for several is in each', () => {
  const groups = waitGroups([row('a', taken, gate), row('b', gate), row('c')]);
  expect(groups.map(({ title, rows }) => [title, rows.map(({ name }) => name)])).toEqual([
    ['Gate freeze', ['a', 'b']],
    ['Service test/shop', ['a']],
  ]);
});
