import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHARTS } from '../e2e/helm.ts';
import { anApplication, versionOf } from './applications.ts';
import { freezeLeader, haltKubelet, leader, signalLeader, throttle } from './faults.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { startUsers } from './users.ts';

const node = givenNode('application', 'serin');
let installed: Installed;
const VALUES = { leaderElection: { enabled: true, replicaCount: 2 } };
beforeAll(async () => {
  installed = await installSerin(node(), VALUES);
});
afterAll(() => installed?.helm.stop());

const kubectl = (...args: string[]) => node().kubectl(...args);

const upgrade = async (...flags: string[]): Promise<void> => {
  const upgraded = await installed.helm.run(
    'upgrade',
    'serin',
    join(CHARTS, 'serin'),
    '--namespace',
    'serin',
    '--reuse-values',
    '--wait',
    ...flags,
  );
  expect(upgraded.code, upgraded.complained).toBe(0);
};

const faults: readonly { what: string; happens: () => Promise<unknown> }[] = [
  { what: 'the leader is deleted', happens: async () => kubectl('delete', 'pod', await leader(node()), '-n', 'serin') },
  { what: 'the leader is killed with -9', happens: () => signalLeader(node(), 'SIGKILL') },
  { what: 'the leader is frozen for half a minute', happens: () => freezeLeader(node()) },
  { what: 'the API server refuses its requests for half a minute', happens: () => throttle(node()) },
  {
    what: 'helm upgrade, then helm rollback',
    happens: async () => {
      await upgrade('--set', 'logLevel=debug');
      const back = await installed.helm.run('rollback', 'serin', '--namespace', 'serin', '--wait');
      expect(back.code, back.complained).toBe(0);
    },
  },
  { what: 'the kubelet is halted for half a minute', happens: () => haltKubelet(node()) },
];

describe('in the middle of a release', () => {
  it.each(faults.map((fault, at) => ({ ...fault, at })))(
    'I10: $what, the release is promoted, and no request is lost',
    async ({ at, happens }) => {
      const shop = await anApplication(node(), installed, `fault-${at}`, 6);
      await shop.waitFor('initialized');
      const users = startUsers(await shop.url(), versionOf);
      await shop.release('2', 'good');
      await kubectl('wait', 'canary/shop', '-n', shop.namespace, '--for=jsonpath={.status.iterations}=2', '--timeout=120s');
      await happens();
      await shop.waitFor('the end');
      const { lost, answers } = await users.stop();
      expect(await shop.phase()).toBe('Succeeded');
      expect(lost).toEqual([]);
      expect([...answers.keys()]).toEqual(['1', '2']);
    },
  );
});
