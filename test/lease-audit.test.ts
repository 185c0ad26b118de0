import { expect, it } from 'vitest';
import { shardOf } from '../src/kube/shards/shard-of.ts';
import { LeaseAudit } from './scenarios/shards/lease-audit.ts';

const CANARY = 'app-0003';
const LEASE = `serin-${shardOf({ namespace: 'bench', name: CANARY }, 3)}`;
const GROUP = 'flagger-leader-election';

/** Seconds after an hour, with microseconds. */
const at = (seconds: number): string =>
  `2026-11-20T06:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${(seconds % 60).toFixed(6).padStart(9, '0')}Z`;

type Line = Parameters<LeaseAudit['learn']>[0];
const line = (
  user: string,
  from: number,
  to: number,
  rest: Pick<Line, 'objectRef' | 'responseObject'> & { code?: number; verb?: string },
): Line => ({
  ...{ verb: 'patch', ...rest, user: { username: user }, responseStatus: { code: rest.code ?? 200 } },
  ...{ requestReceivedTimestamp: at(from), stageTimestamp: at(to) },
});

let versions = 0;
const lease = (name: string, user: string, holder: string, from: number): Line => {
  versions += 1;
  const responseObject = {
    metadata: { resourceVersion: String(versions) },
    spec: { holderIdentity: holder, leaseDurationSeconds: holder === '' ? 1 : 15 },
  };
  return line(user, from, from + 0.01, {
    verb: 'update',
    objectRef: { apiGroup: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system', name },
    responseObject,
  });
};
const write = (
  user: string,
  from: number,
  to = from + 0.01,
  { name = CANARY, namespace = 'bench', resource = 'canaries', code = 200 } = {},
): Line => line(user, from, to, { code, objectRef: { resource, namespace, name } });

const held = (user: string, from: number): Line[] => [
  lease(GROUP, user, 'serin-shards-3', from),
  lease(LEASE, user, `${user}-id`, from + 0.1),
];

function trespassesIn(...lines: Line[]): string[] {
  const audit = new LeaseAudit();
  for (const one of lines) audit.learn(one);
  return audit.trespasses.map((text) => text.slice(text.indexOf(' ') + 1).replace(/, answered \d+ after [\d.]+ s/, ''));
}

it.each([
  { what: 'while its process holds both leases', lines: [...held('a', 1), write('a', 2), write('a', 14)] },
  { what: 'of an object that belongs to the Canary', lines: [...held('a', 1), write('a', 2, 3, { name: `${CANARY}-primary.17e` })] },
  { what: 'of another process that was refused', lines: [...held('a', 1), write('b', 2, 3, { code: 409 })] },
  {
    what: 'of the next process, after the release',
    lines: [...held('a', 1), lease(LEASE, 'a', '', 5), ...held('b', 6), write('a', 4), write('b', 7)],
  },
  { what: 'under a lease that stands for all Canaries', lines: [lease(GROUP, 'a', 'a-id', 1), write('a', 2)] },
])('I9: the audit accepts a write $what', ({ lines }) => expect(trespassesIn(...lines)).toEqual([]));

const THIS = `patch canaries bench/${CANARY}`;
it.each([
  {
    what: 'of a process that holds nothing',
    lines: [...held('a', 1), write('b', 2)],
    says: `b: ${THIS}: ${GROUP}: it never held it before`,
  },
  {
    what: 'of a process that holds another shard',
    lines: [...held('a', 1), lease(GROUP, 'b', 'serin-shards-3', 1), lease('serin-9', 'b', 'b-id', 1), write('b', 2)],
    says: `b: ${THIS}: ${LEASE}: it never held it before`,
  },
  {
    what: 'after the time of a lease that was not renewed, though no one took it',
    lines: [...held('a', 1), lease(GROUP, 'a', 'serin-shards-3', 15), write('a', 17)],
    says: `a: ${THIS}: ${LEASE}: its time ended 0.890 s before`,
  },
  {
    what: 'after its release',
    lines: [...held('a', 1), lease(LEASE, 'a', '', 5), write('a', 6)],
    says: `a: ${THIS}: ${LEASE}: a wrote "" into it 1.000 s before the write was done`,
  },
  {
    what: 'after the release of a lease that stands for all Canaries',
    lines: [lease(GROUP, 'a', 'a-id', 1), lease(GROUP, 'a', '', 5), write('a', 5.5)],
    says: `a: ${THIS}: ${GROUP}: a wrote "" into it 0.500 s before the write was done`,
  },
  {
    what: 'that began in time, and was not done when another process took the lease',
    lines: [...held('a', 1), write('a', 2, 18.6), ...held('b', 18)],
    says: `a: ${THIS}: ${LEASE}: b wrote "b-id" into it 0.500 s before the write was done`,
  },
  {
    what: 'without an answer counts, as it may have been carried out',
    lines: [...held('a', 1), write('b', 2, 3, { code: 504 })],
    says: `b: ${THIS}: ${GROUP}: it never held it before`,
  },
  {
    what: 'while replicas with another number of shards hold the group lease',
    lines: [...held('a', 1), lease(GROUP, 'b', 'serin-shards-2', 3), write('a', 5)],
    says: `a: ${THIS}: ${GROUP}: b wrote "serin-shards-2" into it 2.010 s before the write was done`,
  },
  {
    what: 'of an object of no Canary',
    lines: [...held('a', 1), write('a', 2, 3, { name: 'other', namespace: 'default' })],
    says: 'a: patch canaries default/other: the object belongs to no Canary',
  },
])('I9: the audit finds a write $what', ({ lines, says }) => expect(trespassesIn(...lines)).toEqual([says]));

it('I9: the audit reports the answer to each write that it finds, since a cancelled write can still be carried out', () => {
  const audit = new LeaseAudit();
  for (const one of [...held('a', 1), write('b', 2, 3.5, { code: 504 })]) audit.learn(one);
  expect(audit.trespasses).toEqual([`2026-11-20T06:00:02.000Z: b: ${THIS}, answered 504 after 1.500 s: ${GROUP}: it never held it before`]);
});
