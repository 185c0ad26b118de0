import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns, propertyTimeoutMs } from '../../../test/fakes/property-runs.ts';
import { aCanary, World, withHooks } from '../../../test/fakes/world.ts';
import type { Facts } from '../facts.ts';
import { JournalMemory } from './journal-memory.ts';
import { JournalPart, LARGEST_PART, MOST_JOURNAL_ENTRIES } from './journal-part.ts';
import { JournalRecorder } from './recorder.ts';
import { isSame, replay } from './replay.ts';

const hide = (text: string) => `#${createHmac('sha256', 'salt').update(text).digest('hex').slice(0, 12)}`;

/** The parts that a recorder of this world keeps, as read back from the store. */
function recorded(world: World, memory = new JournalMemory()): JournalPart[] {
  const parts: JournalPart[] = [];
  const recorder = new JournalRecorder({
    ...{ namespace: 'test', engine: '1.2.3', writer: 'w1', memory },
    hide: () => hide,
    keep: (part) => void parts.push(part),
  });
  world.onStep = (step) => recorder.stepped(step);
  return parts;
}

const stored = (part: JournalPart): JournalPart => JournalPart.parse(JSON.parse(JSON.stringify(part)));

/** The steps at which a replay differs or ends. */
function differences(parts: readonly JournalPart[]): unknown[] {
  const found: unknown[] = [];
  for (const one of replay(parts.map(stored))) {
    if ('unfit' in one) found.push(one);
    else if (!isSame(one)) found.push({ event: one.entry.event, recorded: one.recorded, decided: one.decided });
  }
  return found;
}

const gates = withHooks('pre-rollout', 'confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback', 'post-rollout');
const plans = [
  aCanary({ stepWeight: 40, threshold: 1, ...gates }),
  aCanary({ stepWeights: [10, 60], stepWeightPromotion: 25, mirror: true, unmeasured: 'hold' }),
  aCanary({ iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] }),
  aCanary({ stepWeight: 30, sessionAffinity: { cookieName: 'side', primaryCookieName: 'main' } }),
  aCanary({ stepWeight: 50 }, { skipAnalysis: true }),
];

const acts: Readonly<Record<string, (world: World) => void>> = {
  tick: (world) => world.tick(),
  late: (world) => world.tick(4_000),
  crash: (world) => world.crash(),
  apply: (world) => world.apply(),
  answer: (world) => void world.answer(),
  look: (world) => world.sendFacts(),
  deliver: (world) => void world.deliver(),
  targetDown: (world) => {
    world.targetDown = !world.targetDown;
    world.sendFacts();
  },
  primaryDown: (world) => {
    world.primaryDown = !world.primaryDown;
    world.sendFacts();
  },
  failing: (world) => {
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed', value: 7, reason: 'errors: 7% is above 1%, asked with token=abc' }];
  },
  passing: (world) => {
    world.behaviour.verdicts = [];
  },
  refusing: (world) => {
    world.behaviour.refusesPromote = !world.behaviour.refusesPromote;
  },
  broken: (world) => void (world.behaviour.brokenPrimary.delete('s1:b') || world.behaviour.brokenPrimary.add('s1:b')),
  watchPods: (world) => {
    world.watchPods();
    world.sendFacts();
  },
  crashPods: (world) => {
    world.watchPods();
    world.crashPods();
    world.sendFacts();
  },
  push: (world) => {
    world.targetRevision = `s1:${world.targetRevision}x`.slice(0, 40);
    world.sendFacts();
  },
  suspend: (world) => {
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: world.canary.spec.suspend !== true } };
    world.sendFacts();
  },
};
const anAct = fc.oneof({ weight: 4, arbitrary: fc.constant('tick') }, { weight: 3, arbitrary: fc.constantFrom(...Object.keys(acts)) });

describe('a journal', () => {
  it('replays to the same decisions after any order of events, crashes and suspends', { timeout: propertyTimeoutMs }, () => {
    let steps = 0;
    fc.assert(
      fc.property(fc.constantFrom(...plans), fc.array(anAct, { minLength: 10, maxLength: 60, size: 'max' }), (plan, names) => {
        const world = new World(plan);
        world.deliversAtOnce = false;
        const parts = recorded(world);
        world.begin();
        world.tick();
        world.push('s1:b');
        for (const name of names) acts[name]?.(world);
        expect(differences(parts)).toEqual([]);
        steps += parts.flatMap(({ segments }) => segments.flatMap(({ entries }) => entries)).length;
      }),
      propertyRuns(0.5),
    );
    expect(steps).toBeGreaterThan(500);
  });

  function released(world: World): JournalPart[] {
    const parts = recorded(world);
    world.begin();
    world.tick();
    world.push('s1:b');
    world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
    return parts;
  }

  it('of one release is one part, from the revision that began it to its end', () => {
    const [part, ...others] = released(new World(aCanary({ stepWeight: 40 })));
    expect(others).toEqual([]);
    expect(part).toMatchObject({ version: 1, engine: '1.2.3', writer: 'w1', run: 1, number: 1, revision: 's1:b', ended: 'Succeeded' });
    expect(part?.segments).toHaveLength(1);
    expect(part?.segments[0]?.entries.map(({ decided }) => decided.weight)).toEqual(expect.arrayContaining([0, 40, 80]));
  });

  it('has no step of an idle Canary, nor of its initialization', () => {
    const world = new World(aCanary());
    const parts = recorded(world);
    world.begin();
    for (let ticks = 0; ticks < 20; ticks += 1) world.tick();
    expect([world.phase, parts]).toEqual(['Initialized', []]);
  });

  it('shows the first decision that differs', () => {
    const [part] = released(new World(aCanary({ stepWeight: 40 }))).map(stored);
    const changed = part?.segments[0]?.entries.find(({ decided }) => decided.weight === 80);
    if (changed) changed.decided.weight = 79;
    const found = [...replay(part ? [part] : [])].filter((one) => 'unfit' in one || !isSame(one));
    expect(found).toMatchObject([{ recorded: { weight: 79 }, decided: { weight: 80 } }]);
  });

  it('I15: ends a part before it exceeds its bounds, and continues with the next one', () => {
    const world = new World(aCanary({ stepWeight: 40, ...withHooks('confirm-promotion') }));
    world.behaviour.hooks['confirm-promotion'] = 'refused';
    const parts = recorded(world);
    world.begin();
    world.tick();
    world.push('s1:b');
    for (let ticks = 0; ticks < MOST_JOURNAL_ENTRIES; ticks += 1) world.tick();
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      expect(part.ended).toBeUndefined();
      expect(part.segments.flatMap(({ entries }) => entries).length).toBeLessThanOrEqual(MOST_JOURNAL_ENTRIES);
      expect(JSON.stringify(part).length).toBeLessThan(1.2 * LARGEST_PART);
    }
    expect(differences(parts)).toEqual([]);
  });

  it('holds no secret of the Canary, of the texts of its backends, or of the cluster', () => {
    const secret = (where: string) => `hunter2-${where}-Xy9`;
    const s = new World(
      aCanary(
        {
          stepWeight: 50,
          match: [{ headers: { authorization: { exact: secret('match') } }, sourceLabels: { team: secret('label') } }],
          metrics: [
            {
              name: 'errors',
              query: `sum(up{password="${secret('query')}"})`,
              templateVariables: { key: secret('variable') },
              thresholdRange: { max: 1 },
            },
            {
              name: 'other',
              trafficQuery: `up{token="${secret('traffic')}"}`,
              baseline: { query: `up{password="${secret('baseline')}"}` },
            },
          ],
          webhooks: [
            {
              name: 'gate',
              type: 'confirm-promotion',
              url: `https://me:${secret('password')}@gate.test/hook?token=${secret('token')}`,
              metadata: { cmd: secret('metadata') },
            },
          ],
          sessionAffinity: { cookieName: 'side', domain: secret('domain') },
        },
        { service: { port: 80, headers: { request: { set: { 'x-key': secret('header') } } } } },
      ),
    );
    s.canary.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': `{"env":"${secret('annotation')}"}` };
    s.canary.metadata.labels = { key: secret('meta') };
    s.behaviour.verdicts = [
      { check: 'errors', verdict: 'failed', value: 3, reason: `answered ${secret('variable')}, token=${secret('answer')}` },
    ];
    const facts = s.facts.bind(s);
    s.facts = (): Facts => ({ ...facts(), cookieWord: secret('cookie') });
    const parts = recorded(s);
    s.begin();
    s.tick();
    s.push('s1:b');
    for (let ticks = 0; ticks < 20; ticks += 1) s.tick();
    expect(parts.map(({ ended }) => ended)).toEqual(['Failed']);
    const text = JSON.stringify(parts);
    expect(text.match(/hunter2[\w-]*/g) ?? []).toEqual([]);
    expect(differences(parts)).toEqual([]);
  });
});
