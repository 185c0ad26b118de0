import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../test/fakes/world.ts';
import type { Canary } from '../api/canary.ts';
import type { Delivery } from '../api/canary-status.ts';

type Analysis = Partial<Canary['spec']['analysis']>;
type SentAlert = { what: string | undefined; severity: string | undefined };

/** All alerts that were listed, in order. */
function listening(analysis: Analysis = {}, spec: Partial<Canary['spec']> = {}) {
  const listed = new Map<string, Delivery>();
  const world = initialized(aCanary({ stepWeight: 50, maxWeight: 50, ...analysis }, spec), (one) => {
    one.onRecord = ({ release }) => {
      for (const delivery of release.deliveries ?? []) if (delivery.kind === 'alert') listed.set(delivery.key, delivery);
    };
  });
  const alerts = (): SentAlert[] => [...listed.values()].map(({ alert }) => ({ what: alert?.reason, severity: alert?.severity }));
  return { world, listed, alerts, last: () => [...listed.values()].at(-1) };
}

const initial: SentAlert = { what: 'Initialized', severity: 'info' };
const begun: SentAlert = { what: 'NewRevision', severity: 'info' };
const failed: SentAlert = { what: 'Failed', severity: 'error' };
const measured = (world: World) => {
  world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed', value: 7.5, limit: 'at most 1' }];
};
const isOver = ({ phase, step }: World) => ['Succeeded', 'Failed'].includes(phase) && step === 'resting';
const fieldNames = (delivery: Delivery | undefined) => delivery?.alert?.fields.map(({ name }) => name);
const shown = (delivery: Delivery | undefined, name: string) => delivery?.alert?.fields.find((one) => one.name === name)?.value;

describe('alerts that are sent', () => {
  it('E64: a release that passes reports its start and its end', () => {
    const { world, alerts } = listening();
    world.pushUntil('s1:b', isOver);
    expect(alerts()).toEqual([initial, begun, { what: 'Succeeded', severity: 'info' }]);
  });

  it('E64: a release without an analysis reports its start and its end', () => {
    const { world, alerts } = listening({}, { skipAnalysis: true });
    world.pushUntil('s1:b', isOver);
    expect(alerts().at(-1)).toEqual({ what: 'Succeeded', severity: 'info' });
  });

  it.each<{ why: string; prepare: (world: World) => void; analysis?: Analysis; later?: (world: World) => void }>([
    { why: 'too many failed checks', prepare: measured, analysis: { threshold: 2 } },
    {
      why: 'checks that cannot be measured',
      prepare: (world) => {
        world.behaviour.verdicts = [{ check: 'errors', verdict: 'unmeasured', reason: 'no answer' }];
      },
    },
    {
      why: 'a rollout hook that says no',
      prepare: (world) => {
        world.behaviour.hooks.rollout = 'refused';
      },
      analysis: withHooks('rollout'),
    },
    {
      why: 'a pre-rollout hook that says no',
      prepare: (world) => {
        world.behaviour.hooks['pre-rollout'] = 'refused';
      },
      analysis: withHooks('pre-rollout'),
    },
    { why: 'a canary that is not ready at the deadline', prepare: (world) => void world.behaviour.brokenCanary.add('s1:b') },
    {
      why: 'a canary that is stalled',
      prepare: (world) => {
        world.behaviour.brokenCanary.add('s1:b');
        world.behaviour.stalls = true;
      },
    },
    {
      why: 'a canary that loses its pods for longer than the deadline',
      prepare: () => undefined,
      later: (world) => {
        world.tickUntil(({ release }) => release.step === 'analysing');
        world.targetDown = true;
      },
    },
  ])('E64: a release that fails by $why is reported once, as an error', ({ prepare, analysis, later }) => {
    const { world, alerts } = listening({ threshold: 1, ...analysis });
    prepare(world);
    world.push('s1:b');
    later?.(world);
    world.tickUntil(isOver);
    expect(world.phase).toBe('Failed');
    expect(alerts()).toEqual([initial, begun, failed]);
  });

  it('E64: a promotion that the primary cannot take is reported', () => {
    const { world, alerts } = listening();
    world.behaviour.brokenPrimary.add('s1:b');
    world.pushUntil('s1:b', isOver);
    expect(alerts()).toEqual([initial, begun, { what: 'PromotionFailed', severity: 'error' }]);
  });

  it.each([
    { threshold: 3, severity: 'warn' },
    { threshold: 2, severity: 'error' },
  ])('E64: a rollback hook after 2 failed checks of $threshold is reported as $severity', ({ threshold, severity }) => {
    const { world, alerts } = listening({ threshold: 3, ...withHooks('rollback') });
    measured(world);
    world.pushUntil('s1:b', ({ release }) => release.failedChecks === 2);
    world.canary.spec.analysis.threshold = threshold;
    world.behaviour.hooks.rollback = 'passed';
    world.tickUntil(isOver);
    expect([world.release.failedChecks, alerts().at(-1)]).toEqual([2, { what: 'Failed', severity }]);
  });

  it.each(['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion'] as const)(
    'E64: a closed %s is reported once, over polls, other answers and restarts',
    (type) => {
      const { world, alerts, last } = listening({ stepWeight: 20, maxWeight: 60, ...withHooks(type) });
      world.behaviour.hooks[type] = 'refused';
      world.push('s1:b');
      for (let ticks = 0; ticks < 10; ticks += 1) {
        if (ticks === 5) world.crash();
        world.tick();
      }
      const closed = alerts().filter(({ what }) => what === 'GateClosed');
      expect(closed).toEqual([{ what: 'GateClosed', severity: 'warn' }]);
      expect(last()?.message).toContain('waits for approval');
      world.behaviour.hooks[type] = 'passed';
      world.tickUntil(isOver);
      expect(world.phase).toBe('Succeeded');
    },
  );

  it('E64: a gate that was open in between is reported again, as is a gate of the next release', () => {
    const { world, alerts } = listening({ stepWeight: 20, maxWeight: 60, ...withHooks('confirm-traffic-increase') });
    const count = () => alerts().filter(({ what }) => what === 'GateClosed').length;
    const gate = world.behaviour.hooks;
    gate['confirm-traffic-increase'] = 'refused';
    world.pushUntil('s1:b', () => count() === 1);
    gate['confirm-traffic-increase'] = 'passed';
    world.tickUntil(({ release }) => release.routes.kind === 'weighted' && release.routes.canary === 20);
    gate['confirm-traffic-increase'] = 'refused';
    world.tickUntil(() => count() === 2);
    gate['confirm-traffic-increase'] = 'passed';
    world.tickUntil(isOver);
    gate['confirm-traffic-increase'] = 'refused';
    world.pushUntil('s1:c', () => count() === 3);
    expect(count()).toBe(3);
  });

  it('E64: muteAlert mutes a gate, and nothing else', () => {
    const webhooks = withHooks('confirm-promotion').webhooks?.map((one) => ({ ...one, muteAlert: true }));
    const { world, alerts } = listening({ webhooks });
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.pushUntil('s1:b', ({ phase }) => phase === 'WaitingPromotion');
    world.behaviour.hooks['confirm-promotion'] = 'passed';
    world.tickUntil(isOver);
    expect(alerts()).toEqual([initial, begun, { what: 'Succeeded', severity: 'info' }]);
  });

  it('E64: a revision that replaces another or is withdrawn is not reported as an end', () => {
    const { world, alerts } = listening();
    world.push('s1:b');
    world.tick();
    world.push('s1:c');
    world.pushUntil('s1:a', isOver);
    expect(alerts()).toEqual([initial, begun]);
  });
});

describe('receivers of alerts', () => {
  const provider = (name: string, severity?: '' | 'info' | 'warn' | 'error', namespace?: string) => ({
    name,
    ...(severity === undefined ? {} : { severity }),
    providerRef: { name, ...(namespace ? { namespace } : {}) },
  });

  // As in Flagger, except the last two rows, which it never sends.
  it.each([
    { severity: 'info', gets: ['info', 'warn', 'error'] },
    { severity: 'warn', gets: ['warn', 'error'] },
    { severity: 'error', gets: ['error'] },
    { severity: '', gets: ['info', 'warn', 'error'] },
    { severity: undefined, gets: ['info', 'warn', 'error'] },
  ] as const)('E64: severity "$severity" gets $gets', ({ severity, gets }) => {
    const { world, listed } = listening({ threshold: 1, alerts: [provider('chat', severity)], ...withHooks('confirm-rollout') });
    world.behaviour.hooks['confirm-rollout'] = 'refused';
    world.push('s1:b');
    world.tick();
    world.behaviour.hooks['confirm-rollout'] = 'passed';
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tickUntil(isOver);
    const severities = new Set([...listed.values()].map(({ alert }) => alert?.severity));
    expect([...severities].toSorted()).toEqual([...gets].toSorted());
  });

  it('E64: each provider has its own message, in its namespace, and the global receiver none', () => {
    const { world, listed } = listening({ alerts: [provider('a'), provider('b', 'error'), provider('a', 'error', 'ops'), provider('a')] });
    world.pushUntil('s1:b', isOver);
    const ended = [...listed.keys()].filter((key) => key.includes('Succeeded'));
    expect(ended).toEqual(['c-1/1/s1:b/Succeeded/alert/test/a']);
    world.behaviour.brokenCanary.add('s1:c');
    world.pushUntil('s1:c', ({ phase, step }) => phase === 'Failed' && step === 'resting');
    const failures = [...listed.values()].filter(({ key }) => key.includes('Failed')).map(({ alert }) => alert?.to);
    expect(failures).toEqual([
      { namespace: 'test', name: 'a' },
      { namespace: 'test', name: 'b' },
      { namespace: 'ops', name: 'a' },
    ]);
  });

  it('E64: without a receiver nothing is listed', () => {
    const { world, listed } = listening({ alerts: [provider('a', 'error')] });
    world.pushUntil('s1:b', isOver);
    expect([...listed.keys()]).toEqual([]);
  });
});

describe('text of alerts', () => {
  it.each<{ plan: string; analysis: Analysis; routing?: string }>([
    { plan: 'weights', analysis: { stepWeight: 10, maxWeight: 50 }, routing: 'Canary, step weight 10, max weight 50' },
    { plan: 'weights without a bound', analysis: { stepWeight: 10 }, routing: 'Canary, step weight 10, max weight 0' },
    { plan: 'a list of weights', analysis: { stepWeights: [1, 10] }, routing: 'Canary, step weights 1,10, max weight 0' },
    { plan: 'iterations', analysis: { iterations: 5 }, routing: 'Blue/Green, 5 iterations' },
    {
      plan: 'an A/B test',
      analysis: { iterations: 5, match: [{ headers: { a: { exact: 'b' } } }] },
      routing: 'A/B test, 5 iterations',
    },
    { plan: 'nothing', analysis: {} },
  ])('E64: the plan of $plan is shown only at the start', ({ analysis, routing }) => {
    const { listed } = listening({ stepWeight: undefined, maxWeight: undefined, ...analysis }, { progressDeadlineSeconds: undefined });
    const [first] = listed.values();
    expect(first?.alert?.fields.slice(0, routing ? 4 : 3)).toEqual([
      { name: 'Target', value: 'Deployment/podinfo.test' },
      { name: 'Failed checks threshold', value: '3' },
      { name: 'Progress deadline', value: '600s' },
      ...(routing ? [{ name: 'Traffic routing', value: routing }] : []),
    ]);
    if (!routing) expect(fieldNames(first)).not.toContain('Traffic routing');
  });

  it('E64: an alert shows metric, value and bound of the deciding check, with weight, revision and duration', () => {
    const { world, last } = listening({ threshold: 1, stepWeight: 20 });
    world.pushUntil('s1:b', ({ release }) => release.routes.kind === 'weighted' && release.routes.canary === 20);
    world.behaviour.verdicts = [
      { check: 'latency', verdict: 'passed', value: 10 },
      { check: 'errors', verdict: 'failed', value: 7.5, limit: 'at most 1' },
      { check: 'jobs', verdict: 'unmeasured', reason: 'no series' },
    ];
    world.tickUntil(isOver);
    expect(last()?.alert?.fields.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'Revision: s1:b',
      'Step: 1 of 3',
      'Canary weight: 20%',
      'Metric: errors',
      'Verdict: failed',
      'Value: 7.5',
      'Limit: at most 1',
      'Metric: jobs',
      'Verdict: unmeasured',
      'Cause: no series',
      expect.stringMatching(/^Duration: \d+s$/),
    ]);
  });

  it('E64: values that passed long ago are not the reason for a deadline', () => {
    const { world, last } = listening({ threshold: 1 });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'passed', value: 0 }];
    world.pushUntil('s1:b', ({ release }) => release.step === 'analysing');
    world.targetDown = true;
    world.tickUntil(isOver);
    expect([world.phase, fieldNames(last())]).toEqual(['Failed', ['Revision', 'Step', 'Canary weight', 'Duration']]);
    expect(shown(last(), 'Canary weight')).toBe('0%');
  });
});

describe('changes in alerts', () => {
  const fieldsAt = (delivery: Delivery | undefined) => delivery?.alert?.fields.map(({ name, value }) => `${name}: ${value}`) ?? [];

  it('E64: old and new images are shown from the start of the release to its end, and the step at a gate', () => {
    const { world, listed, last } = listening({ stepWeight: 20, maxWeight: 60, ...withHooks('confirm-traffic-increase') });
    world.images['s1:a'] = { web: 'acme/web:1', log: 'acme/log:1' };
    world.images['s1:b'] = { web: 'acme/web:2', log: 'acme/log:1' };
    world.pushUntil('s1:b', ({ release }) => release.routes.kind === 'weighted' && release.routes.canary === 20);
    world.behaviour.hooks['confirm-traffic-increase'] = 'refused';
    world.tickUntil(() => last()?.alert?.reason === 'GateClosed');
    expect(fieldsAt(last())).toEqual([
      'Revision: s1:b',
      'Image of web: acme/web 1 → 2',
      'Changed: image',
      'Step: 1 of 3',
      'Canary weight: 20%',
    ]);
    expect(last()?.alert?.details).toEqual({
      release: 1,
      revision: 's1:b',
      change: { images: [{ container: 'web', from: 'acme/web:1', to: 'acme/web:2' }], configs: [] },
      step: { at: 1, of: 3 },
      weight: 20,
      checks: [],
      gate: { webhook: 'confirm-traffic-increase', type: 'confirm-traffic-increase' },
    });
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(isOver);
    const shown = [...listed.values()].filter((one) => fieldsAt(one).includes('Image of web: acme/web 1 → 2'));
    expect(shown.map(({ alert }) => alert?.reason)).toEqual(['NewRevision', 'GateClosed', 'Succeeded']);
    world.pushUntil('s1:a', ({ release }) => release.run === 2);
    expect(fieldsAt(last()), 'the next release has a change of its own').toContain('Image of web: acme/web 2 → 1');
    world.tickUntil(isOver);
    world.pushUntil('s1:unknown', ({ release }) => release.run === 3);
    expect(last()?.alert, 'nothing is known of this one').toMatchObject({ reason: 'NewRevision', details: { release: 3 } });
    expect(last()?.alert?.details).not.toHaveProperty('change');
  });

  it('E64: changed configs are named, and so is a template with the same images', () => {
    const { world, last } = listening();
    world.images['s1:a'] = { web: 'acme/web:1' };
    world.images['s1:b'] = { web: 'acme/web:1' };
    world.images['s1:c'] = { web: 'acme/web:1' };
    world.configs = { 'configmap/app': '1', 'secret/tls': '1' };
    world.pushUntil('s1:b', () => last()?.alert?.reason === 'NewRevision');
    expect(fieldsAt(last())).toContain('Changed: pod template');
    world.tickUntil(isOver);
    world.configs = { 'configmap/app': '2', 'secret/tls': '2' };
    world.pushUntil('s1:c', ({ release }) => release.run === 2);
    expect(fieldsAt(last())).toContain('Changed: pod template, ConfigMap app, Secret tls');
  });

  it('E64: at most a fixed number of images and checks is named, and the others are counted', () => {
    const { world, last } = listening({ threshold: 1 });
    const images = (version: number) =>
      Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`c${nth}`, `${'long/'.repeat(100)}web:${version}`]));
    world.images['s1:a'] = images(1);
    world.images['s1:b'] = images(2);
    const long = 'x'.repeat(9_999);
    world.behaviour.verdicts = Array.from({ length: 100 }, (_, nth) => ({
      check: `m${nth}`,
      verdict: 'failed',
      ...(nth % 2 === 0 ? { limit: long } : { reason: long }),
    }));
    world.pushUntil('s1:b', isOver);
    expect(fieldsAt(last())).toEqual(expect.arrayContaining(['More images: 3', 'More checks: 95']));
    expect(last()?.alert?.details?.change?.images).toHaveLength(5);
    expect(JSON.stringify(last()?.alert).length).toBeLessThan(8_000);
  });

  it.each([
    { weights: 90, isCut: false },
    { weights: 100, isCut: true },
  ])('the value of a field has at most 300 characters, and ends in … if it was cut ($weights step weights)', ({ weights, isCut }) => {
    const stepWeights = Array.from({ length: weights }, (_, nth) => nth + 1);
    const { listed } = listening({ stepWeight: 0, stepWeights, maxWeight: 100 });
    const whole = `Canary, step weights ${stepWeights.join(',')}, max weight 100`;
    expect(shown([...listed.values()][0], 'Traffic routing')).toBe(isCut ? `${whole.slice(0, 299)}…` : whole);
  });
});

describe('lifetime of alerts', () => {
  it('E54: messages during a release are given up after 15 minutes, its end after 24 hours', () => {
    const { world } = listening();
    world.deliversAtOnce = false;
    world.pushUntil('s1:b', isOver);
    const kinds = () => (world.release.deliveries ?? []).map(({ kind, outcome }) => `${kind} ${outcome ?? 'news'}`);
    expect(kinds()).toEqual(['alert news', 'event Succeeded', 'alert Succeeded']);
    world.tick(15 * 60_000);
    expect(kinds()).toEqual(['event Succeeded', 'alert Succeeded']);
    const listed = world.asked.findLast((one) => one.kind === 'announce' && one.announcement.reason === 'DeliveryExpired');
    expect(listed).toMatchObject({ announcement: { message: 'Given up after 15 min: alert' } });
    world.tick(24 * 3_600_000);
    expect(kinds()).toEqual([]);
  });

  it('E54: at most 20 messages of a release in progress wait: a dead receiver does not make the status grow', () => {
    const { world } = listening(withHooks('confirm-rollout'));
    world.deliversAtOnce = false;
    for (let turn = 0; turn < 40; turn += 1) {
      world.behaviour.hooks['confirm-rollout'] = 'refused';
      world.push(`s1:r${turn}`);
      world.tick(1_000);
      world.push('s1:a');
      world.tick(1_000);
    }
    const news = (world.release.deliveries ?? []).filter(({ outcome }) => outcome === undefined);
    expect(news.length).toBe(20);
    expect(news.every(({ sinceMs }) => world.nowMs - sinceMs < 60_000)).toBe(true);
  });
});

describe('alerts for a commit', () => {
  const hash = (letter: string) => letter.repeat(40);
  const alerts = [
    { name: 'all', providerRef: { name: 'all' } },
    { name: 'failures', severity: 'error' as const, providerRef: { name: 'failures' } },
  ];
  const named = (world: World) => {
    Object.assign(world.commits, { 's1:b': hash('b'), 's1:c': hash('c') });
  };
  const sentTo = (listed: ReadonlyMap<string, Delivery>) =>
    [...listed.values()].map(({ alert }) => {
      const { reason, to, commitOnly, details } = alert ?? {};
      return `${reason} to ${to?.name}${commitOnly ? ' for the commit' : ''}${details?.commit ? `: ${details.commit[0]}` : ''}`;
    });

  it('go to each receiver of any severity, marked where it would not get them', () => {
    const { world, listed } = listening({ alerts });
    named(world);
    world.pushUntil('s1:b', isOver);
    expect(sentTo(listed)).toEqual([
      'Initialized to all',
      'NewRevision to all: b',
      'NewRevision to failures for the commit: b',
      'Succeeded to all: b',
      'Succeeded to failures for the commit: b',
    ]);
  });

  it('are none without a commit', () => {
    const { world, listed } = listening({ alerts });
    world.pushUntil('s1:b', isOver);
    expect(sentTo(listed)).toEqual(['Initialized to all', 'NewRevision to all', 'Succeeded to all']);
  });

  it('name the commit of the beginning, also at an end after which the target names another one', () => {
    const { world, listed } = listening({ alerts, threshold: 1 });
    named(world);
    measured(world);
    world.push('s1:b');
    world.tickUntil(({ release }) => release.step === 'analysing');
    world.commits['s1:b'] = hash('d');
    world.tickUntil(isOver);
    expect(sentTo(listed).slice(-2)).toEqual(['Failed to all: b', 'Failed to failures: b']);
    expect(world.release.commit).toBe(hash('b'));
  });

  it.each([
    [
      'a newer revision',
      's1:c',
      ['Superseded to all for the commit: b', 'Superseded to failures for the commit: b', 'NewRevision to all for the commit: c'],
    ],
    ['the promoted revision', 's1:a', ['Cancelled to all for the commit: b', 'Cancelled to failures for the commit: b']],
  ])('say that its release was ended by %s, which no other receiver gets', (_, revision, expected) => {
    const { world, listed } = listening({ alerts, stepWeight: 10 });
    named(world);
    world.push('s1:b');
    world.tickUntil(({ release }) => release.step === 'analysing');
    world.push(revision);
    world.tickUntil(({ release }) => release.revision === revision);
    expect(sentTo(listed).slice(3, 3 + expected.length)).toEqual(expected);
  });

  it('are none for a closed gate, whose text would outlast it', () => {
    const { world, listed } = listening({ alerts, ...withHooks('confirm-promotion') });
    named(world);
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    world.push('s1:b');
    world.tickUntil(({ release }) => release.gate !== undefined);
    expect(sentTo(listed).slice(3)).toEqual(['GateClosed to all: b']);
  });
});
