import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, type Behaviour } from './applications.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { outcomeOf } from './outcome.ts';

const node = givenNode('application', 'serin');
let installed: Installed;
beforeAll(async () => {
  installed = await installSerin(node(), { podLogs: true });
  // As docs/security.md has it.
  await node().kubectl('create', 'clusterrole', 'serin-pod-logs', '--verb=get', '--resource=pods/log');
  await node().kubectl('create', 'clusterrolebinding', 'serin-pod-logs', '--clusterrole=serin-pod-logs', '--serviceaccount=serin:serin');
});
afterAll(() => installed?.helm.stop());

/** A minute of analysis, so that each has the time to show what it does after it was ready. */
const ITERATIONS = 8;
const bad: readonly { behaviour: Behaviour; what: string }[] = [
  { behaviour: 'broken', what: 'does not start' },
  { behaviour: 'unready', what: 'never becomes ready' },
  { behaviour: 'exits', what: 'ends ten seconds after it was ready, again and again' },
  { behaviour: 'leaks', what: 'runs out of memory after it was ready' },
];

/** Last lines of the logs. */
const LOGGED: Readonly<Partial<Record<Behaviour, string>>> = {
  broken: 'this version does not start',
  exits: 'no connection to the database',
};

describe.concurrent('on a real kubelet', () => {
  it.each(bad)('I10, I20: a version that $what is rolled back, and its users notice nothing', async ({ behaviour }) => {
    const shop = await anApplication(node(), installed, behaviour, { iterations: ITERATIONS });
    const outcome = await outcomeOf(shop, { release: () => shop.release('2', behaviour) });
    expect(outcome).toMatchObject({ phase: 'Failed', lost: [], versions: ['1'] });
    expect(outcome.sent).toBeGreaterThan(100);
    const said = LOGGED[behaviour];
    if (said !== undefined) expect(await shop.message()).toContain(`its log ends: ${said}`);
  });
});
