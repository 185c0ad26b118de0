import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry, Fact } from '../recording/recording.ts';
import { type NamedScenario, PLAIN } from '../scenarios/scenario.ts';
import { queryShape } from './aspects.ts';
import { CLAIMS } from './claims.ts';
import { withoutDips } from './claims-of-routes.ts';
import { compareSides } from './compare.ts';
import { type Claim, idsIn, judge } from './judge.ts';

const scenario = { ...PLAIN, name: 's000x' };
const at = (...facts: (Fact & { afterMs?: number })[]): Entry[] => {
  let atMs = 0;
  return facts.map(({ afterMs = 10_000, ...fact }) => {
    atMs += afterMs;
    return { ...(fact as Fact), atMs };
  });
};
const status = (phase: string, weight = 0, iterations = 0, failedChecks = 0): Fact => ({
  kind: 'status',
  phase,
  weight,
  iterations,
  failedChecks,
});
const pods = (available: number, desired = 2, role: 'canary' | 'primary' = 'canary'): Fact => ({
  kind: 'pods',
  role,
  desired,
  available,
  isCurrent: available === desired,
  template: 'web:2',
});
const hook = (answer: number, phase = 'Progressing', more = {}): Fact => ({
  kind: 'hook',
  hook: 'gate',
  answer,
  payload: { name: 's000x', phase, checksum: 'a', ...more },
});
const query = (text: string): Fact => ({ kind: 'query', query: text });
const differing = (flagger: Entry[], serin: Entry[]) => compareSides(scenario, { flagger, serin }).map(({ aspect }) => aspect);

const release = [
  status('Initialized'),
  pods(2),
  status('Progressing'),
  status('Progressing', 20),
  status('Progressing', 40),
  status('Promoting'),
  status('Succeeded'),
];

describe('two recordings', () => {
  it('of the same facts differ in nothing, however long they took', () => {
    expect(differing(at(...release), at(...release.map((fact) => ({ ...fact, afterMs: 1_500 }))))).toEqual([]);
  });

  it('differ by a weight that is off by one', () => {
    const other = release.map((fact) => (fact.kind === 'status' && fact.weight === 40 ? { ...fact, weight: 41 } : fact));
    expect(differing(at(...release), at(...other))).toEqual(['weights in Progressing']);
  });

  it('differ by a step without the pods that it needs', () => {
    const other = release.map((fact) => (fact.kind === 'pods' ? pods(1) : fact));
    expect(differing(at(...release), at(...other))).toEqual(['readiness']);
  });

  it('differ by the phase of a payload, and by a gate that was not called, but not by the number of calls of a closed gate', () => {
    const closed = at(hook(403), hook(403), hook(403), hook(200));
    expect(differing(closed, at(hook(403), hook(200)))).toEqual([]);
    expect(differing(closed, at(hook(403), hook(403, 'Waiting'), hook(200)))).toEqual(['calls of gate']);
    expect(differing(closed, at())).toEqual(['hook order']);
  });

  it('differ by a hook that is called again at once, and by a field of its payload', () => {
    expect(differing(at(hook(403), hook(403)), at(hook(403), { ...hook(403), afterMs: 900 }))).toEqual(['rapid calls of gate']);
    expect(differing(at(hook(403), { ...hook(403), afterMs: 900 }), at(hook(403), hook(403)))).toEqual([]);
    expect(differing(at(hook(403)), at(hook(403, 'Progressing', { extra: 1 })))).toEqual(['payload of gate: extra']);
  });

  it('differ by the revision that a checksum names, but not by how it is computed', () => {
    const old = [hook(403, 'Progressing', { checksum: 'a' }), hook(403, 'Progressing', { checksum: 'b' })];
    const named = [hook(403, 'Progressing', { checksum: 's1:x' }), hook(403, 'Progressing', { checksum: 's1:y' })];
    expect(differing(at(...old), at(...named))).toEqual([]);
    expect(differing(at(...old), at(hook(403), hook(403)))).toEqual(['checksums of gate']);
  });

  it('differ by a query, but not by its white space or by the length of its window', () => {
    const asked = query('sum( rate( a{b="c", }[1m] ) )');
    expect(differing(at(asked), at(query('sum(rate(a{b="c"}[10s]))')))).toEqual([]);
    expect(differing(at(asked), at(query('sum(rate(a{b="d"}[10s]))')))).toHaveLength(2);
    expect(differing(at(query('a{route=~"kube_side_one__x"}')), at(query('a{route=~"kube_side_two__x"}')))).toEqual([]);
    expect(queryShape('a{y!~"5..", x="{1,2}"} [1m]')).toBe('a{x="{1,2}",y!~"5.."}[WINDOW]');
  });

  it('differ by a primary without pods, and by a Service that loses its endpoints', () => {
    const endpoints = (ready: number): Fact => ({ kind: 'endpoints', service: 's000x', ready });
    expect(differing(at(status('Initialized'), pods(2, 2, 'primary')), at(status('Initialized'), pods(0, 2, 'primary')))).toEqual([
      'least primary',
    ]);
    expect(differing(at(endpoints(0), endpoints(2)), at(endpoints(2), endpoints(0), endpoints(2)))).toEqual(['emptied services']);
  });

  it('differ by each route on its own', () => {
    const route = (weight: number): Fact => ({ kind: 'object', object: 'VirtualService/s000x', content: { weight } });
    expect(differing(at(route(0), route(20)), at(route(0), route(10), route(20)))).toEqual(['object VirtualService/APP']);
  });
});

it.each([
  { states: [0, 50, 0, 50, 0], left: [0, 50, 0] },
  { states: [9, 0, 20, 40, 0, 40, 0, 40, 0], left: [9, 0, 20, 40, 0] },
  { states: [0, 20, 0, 40, 0], left: [0, 20, 0, 40, 0] },
])('a share that goes and comes back is left out: $states', ({ states, left }) => {
  expect(withoutDips(states)).toEqual(left);
});

describe('claims', () => {
  const [difference] = compareSides(scenario, { flagger: at(status('Failed')), serin: at(status('Succeeded')) });
  const differences = difference ? [difference] : [];
  const claims: Claim[] = [
    { id: 'DF1', explains: ({ aspect }) => aspect === 'phases' },
    { id: 'DF2', explains: () => false },
  ];

  it('explain differences by rows of the page, and leave the others as defects', () => {
    expect(judge(differences, claims, new Set(['DF1', 'DF2']))).toMatchObject({
      unclaimed: [],
      claimed: [{ id: 'DF1' }],
      idleIds: ['DF2'],
    });
    expect(judge(differences, [], new Set()).unclaimed).toHaveLength(1);
  });

  it('explain nothing by a row that the page does not have', () => {
    expect(judge(differences, claims, new Set(['DF2']))).toMatchObject({ unclaimed: [{ aspect: 'phases' }], unknownIds: ['DF1'] });
  });

  const claimedOf = (routing: NamedScenario['routing'], flagger: Entry[], serin: Entry[]) => {
    const played = { ...scenario, routing };
    const known = new Set(['DF633', 'DF634']);
    return judge(compareSides(played, { flagger, serin }), CLAIMS, known);
  };
  const route = (rule: object): Fact => ({ kind: 'object', object: 'VirtualService/s000x', content: { spec: { http: [rule] } } });
  const split = { route: [{ weight: 20 }] };

  it('DF633 explains conditions that separate requests of the mesh from requests of a gateway, and no other weight', () => {
    const match = [{ gateways: ['a/b'] }, { gateways: ['mesh'], port: 80 }];
    const claimed = (rule: object) => claimedOf('ports-beside-mesh', at(route(split)), at(route(rule)));
    expect(claimed({ ...split, match })).toMatchObject({ unclaimed: [], claimed: [{ id: 'DF633' }] });
    expect(claimed({ route: [{ weight: 21 }], match }).unclaimed).toHaveLength(1);
    expect(claimed({ ...split, match: [{ uri: { prefix: '/' } }] }).unclaimed).toHaveLength(1);
    expect(claimedOf('plain', at(route(split)), at(route({ ...split, match }))).unclaimed).toHaveLength(1);
  });

  it('DF690 explains a crash loop that only Serin ends as failed, and not a crash loop that only Flagger ends as failed', () => {
    const claimed = (flagger: string, serin: string) => {
      const of = (phase: string) => at(status('Progressing', 10), status(phase));
      const differences = compareSides({ ...scenario, crashes: 'loop' }, { flagger: of(flagger), serin: of(serin) });
      return judge(differences, CLAIMS, new Set(['DF690'])).unclaimed.map(({ aspect }) => aspect);
    };
    expect([claimed('Succeeded', 'Failed'), claimed('Failed', 'Succeeded')]).toEqual([[], ['phases']]);
  });

  it('DF634 explains a Canary that is refused, and none that writes a route', () => {
    const flagger = at(status('Initializing'), route(split), status('Succeeded'), { kind: 'traffic', lost: [], versions: ['2'] });
    const claimed = (...more: Fact[]) => claimedOf('labels-beside-gateways', flagger, at(status('Initializing'), ...more));
    expect(claimed().claimed.map(({ id, difference }) => `${id} ${difference.aspect}`)).toEqual([
      'DF634 phases',
      'DF634 answers in the end',
      'DF634 object VirtualService/APP',
    ]);
    expect(claimed().unclaimed).toEqual([]);
    expect(claimed(route({ route: [] })).unclaimed).toMatchObject([{ aspect: 'object VirtualService/APP' }]);
    expect(claimed(status('Failed')).unclaimed.map(({ aspect }) => aspect)).toContain('phases');
  });

  it('DF141 explains an HTTPProxy of the user’s whose backends have the same shares, and no other share or condition', () => {
    const proxy = (...routes: object[]): Fact => ({ kind: 'object', object: 'HTTPProxy/s000x', content: { spec: { routes } } });
    const sides = (primary: number, canary?: number, more: object = {}) => ({
      ...more,
      services: [
        { name: 's000x-primary', weight: primary },
        { name: 's000x-canary', ...(canary !== undefined && { weight: canary }) },
      ],
    });
    const whole = { conditions: [{ prefix: '/' }] };
    const flagger = at(proxy(sides(100, undefined, whole)), proxy(sides(80, 20, whole)));
    const claimed = (...serin: Fact[]) =>
      judge(compareSides(scenario, { flagger, serin: at(...serin) }), CLAIMS, new Set(['DF141'])).unclaimed;
    expect(claimed(proxy(sides(100)), proxy(sides(800, 200)))).toEqual([]);
    expect(claimed(proxy(sides(100)), proxy(sides(790, 210)))).toHaveLength(1);
    expect(claimed(proxy(sides(100)), proxy(sides(800, 200, { conditions: [{ prefix: '/theirs' }] })))).toHaveLength(1);
  });

  it('DF826 explains a query of Serin that counts requests, and neither one of Flagger nor a share', () => {
    const selector = 'destination_workload=~"s000x",destination_workload_namespace="ns",reporter="destination"';
    const count = query(`sum(increase(istio_requests_total{${selector}}[30s]))`);
    const share = query(`sum(rate(istio_requests_total{${selector}}[30s])) / sum(rate(istio_requests_total{${selector}}[30s]))`);
    const unclaimed = (flagger: Fact[], serin: Fact[]) =>
      judge(compareSides(scenario, { flagger: at(...flagger), serin: at(...serin) }), CLAIMS, new Set(['DF826'])).unclaimed;
    expect(unclaimed([], [count])).toEqual([]);
    expect(unclaimed([count], [])).toHaveLength(1);
    expect(unclaimed([], [share])).toHaveLength(1);
  });

  it('DF871 explains the second query of Serin, and neither one of Flagger nor a share', () => {
    const second = query('label_replace(count(istio_requests_total), "serin_part", "canary", "", "")');
    const share = query('sum(rate(istio_requests_total[30s]))');
    const unclaimed = (flagger: Fact[], serin: Fact[]) =>
      judge(compareSides(scenario, { flagger: at(...flagger), serin: at(...serin) }), CLAIMS, new Set(['DF871'])).unclaimed;
    expect(unclaimed([], [second])).toEqual([]);
    expect(unclaimed([second], [])).toHaveLength(1);
    expect(unclaimed([], [share])).toHaveLength(1);
  });

  it('of this repository all name rows of docs/differences.md', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'differences.md'), 'utf8');
    expect(judge([], CLAIMS, idsIn(page)).unknownIds).toEqual([]);
    const ids = Array.from(page.matchAll(/^\| (DF\d+) \|/gm), ([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});
