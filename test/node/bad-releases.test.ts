import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, type Behaviour, versionOf } from './applications.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { startUsers } from './users.ts';

const node = givenNode('application', 'serin');
let installed: Installed;
beforeAll(async () => {
  installed = await installSerin(node());
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

describe.concurrent('on a real kubelet', () => {
  it.each(bad)('I10, I20: a version that $what is rolled back, and its users notice nothing', async ({ behaviour }) => {
    const shop = await anApplication(node(), installed, behaviour, { iterations: ITERATIONS });
    await shop.waitFor('initialized');
    const users = startUsers(await shop.url(), versionOf);
    await shop.release('2', behaviour);
    await shop.waitFor('the end');
    const { lost, answers, sent } = await users.stop();
    expect(await shop.phase()).toBe('Failed');
    expect({ lost, versions: [...answers.keys()] }).toEqual({ lost: [], versions: ['1'] });
    expect(sent).toBeGreaterThan(100);
  });
});
