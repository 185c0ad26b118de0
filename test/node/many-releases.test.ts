import { afterAll, beforeAll, expect, it } from 'vitest';
import { anApplication, type Behaviour, versionOf } from './applications.ts';
import { freezeLeader, haltKubelet, leader, signalLeader, throttle } from './faults.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { record } from './recorded.ts';
import { startUsers } from './users.ts';

/** The whole: `SERIN_NODE_RELEASES=40 SERIN_NODE_REQUESTS=1000000 npm run test:node -- many-releases`. */
const RELEASES = Number(process.env.SERIN_NODE_RELEASES ?? 5);
const REQUESTS = Number(process.env.SERIN_NODE_REQUESTS ?? 10_000);
/** A release lasts a minute, in which one of `startUsers` sends some two thousand requests. */
const USERS = Math.ceil(REQUESTS / RELEASES / 2_000);
const LONGEST_RELEASE_MS = 240_000;

const node = givenNode('application', 'serin');
let installed: Installed;
beforeAll(async () => {
  installed = await installSerin(node(), { leaderElection: { enabled: true, replicaCount: 2 } });
});
afterAll(() => installed?.helm.stop());

const FAULTS: Readonly<Record<string, () => Promise<unknown>>> = {
  none: async () => undefined,
  'leader deleted': async () => node().kubectl('delete', 'pod', await leader(node()), '-n', 'serin'),
  'leader killed': () => signalLeader(node(), 'SIGKILL'),
  'leader frozen': () => freezeLeader(node()),
  'API server refuses': () => throttle(node()),
  'kubelet halted': () => haltKubelet(node()),
};
const BAD: readonly Behaviour[] = ['unready', 'broken', 'exits'];

/** Every fifth version is bad; there are six faults, so that each meets good and bad ones. */
const BAD_EACH = 5;
const behaviourOf = (version: number): Behaviour =>
  version % BAD_EACH === 0 ? (BAD[(version / BAD_EACH) % BAD.length] ?? 'broken') : 'good';

it(
  `I10: in ${RELEASES} releases under faults, good ones are promoted, bad ones are rolled back, and no request is lost`,
  async () => {
    const shop = await anApplication(node(), installed, 'many');
    await shop.waitFor('initialized');
    const url = await shop.url();
    const users = Array.from({ length: USERS }, () => startUsers(url, versionOf));
    const sent = (): number => users.reduce((sum, { asked }) => sum + asked.sent, 0);
    const misled = (): string[] => users.flatMap(({ asked }) => asked.misled);
    const began = performance.now();
    const faults = Object.entries(FAULTS);
    const played: { version: number; behaviour: Behaviour; fault: string; phase: string; lost: number }[] = [];
    let lostBefore: readonly string[] = [];
    for (let version = 2; version < RELEASES + 2 || sent() < REQUESTS; version++) {
      const behaviour = behaviourOf(version);
      const [fault = 'none', happens] = faults[version % faults.length] ?? [];
      await shop.release(String(version), behaviour);
      await node().kubectl('wait', 'canary/shop', '-n', shop.namespace, '--for=jsonpath={.status.phase}=Progressing', '--timeout=120s');
      await happens?.();
      await shop.waitFor('the end');
      const lost = users.flatMap(({ asked }) => asked.lost).toSorted();
      played.push({ version, behaviour, fault, phase: await shop.phase(), lost: lost.length - lostBefore.length });
      for (const line of lost.filter((each) => !lostBefore.includes(each))) process.stdout.write(`${line}\n`);
      lostBefore = lost;
      // Each time: a run that is cut off has come so far.
      record('many-releases', {
        releases: played.length,
        requests: sent(),
        misled: misled().toSorted(),
        seconds: Math.round((performance.now() - began) / 1000),
        played,
      });
      process.stdout.write(
        `${played.length} releases, ${sent()} requests, ${lost.length} lost, ${misled().length} misled; ${behaviour}, ${fault}: ${await shop.phase()}\n`,
      );
    }
    const all = await Promise.all(users.map((each) => each.stop()));
    const answered = new Set(all.flatMap(({ answers }) => [...answers.keys()]));
    expect(all.flatMap(({ lost }) => lost)).toEqual([]);
    expect(played.filter(({ behaviour, phase }) => phase !== (behaviour === 'good' ? 'Succeeded' : 'Failed'))).toEqual([]);
    expect(played.filter(({ version, behaviour }) => behaviour !== 'good' && answered.has(String(version)))).toEqual([]);
  },
  RELEASES * LONGEST_RELEASE_MS,
);
