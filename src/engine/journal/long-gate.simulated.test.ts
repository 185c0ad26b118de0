import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counting, releasing } from '../../../test/fakes/compared-release.ts';
import { propertyRuns, propertyTimeoutMs } from '../../../test/fakes/property-runs.ts';
import { aCanary, World, withHooks } from '../../../test/fakes/world.ts';
import { seededRandom } from '../../embedded/mesh/random.ts';
import type { Compared } from '../../judge/compared.ts';
import type { ComparedPods } from '../../judge/pod-spread.ts';
import { JournalMemory } from './journal-memory.ts';
import { FIRST_PART_MS, JournalPart } from './journal-part.ts';
import { CountsNotes, NotedCompared } from './noted-counts.ts';
import { type NotedPoll, notedPoll } from './noted-polls.ts';
import { JournalRecorder } from './recorder.ts';
import { isSame, replay } from './replay.ts';

/** The parts that a recorder beside this world keeps, and the evidence after each answer with counts. */
function recorded(world: World): { parts: JournalPart[]; evidence: string[]; stop: () => void } {
  const parts: JournalPart[] = [];
  const evidence: string[] = [];
  const recorder = new JournalRecorder({
    ...{ namespace: 'test', engine: '1.2.3', writer: 'w1', memory: new JournalMemory() },
    hide: () => (text) => `#${text.length}`,
    keep: (part) => void parts.push(part),
  });
  world.onStep = (step) => {
    recorder.stepped(step);
    if (step.event.type === 'ANSWER' && 'compared' in step.event.answer)
      evidence.push(JSON.stringify(step.next.context.release.comparison));
  };
  return { parts, evidence, stop: () => recorder.stop() };
}

/** A part as read back from the store. */
const stored = (part: JournalPart): JournalPart => JournalPart.parse(JSON.parse(JSON.stringify(part)));

function replayed(parts: readonly JournalPart[]): { differences: unknown[]; evidence: string[] } {
  const differences: unknown[] = [];
  const evidence: string[] = [];
  for (const one of replay(parts.map(stored))) {
    if ('unfit' in one || !isSame(one)) differences.push(one);
    else if (one.entry.answer && 'compared' in one.entry.answer) evidence.push(JSON.stringify(one.release.comparison));
  }
  return { differences, evidence };
}

/** Whole counts of pods with long names, as a Deployment has them. */
function countingPods(world: World, pods: number): void {
  const random = seededRandom(7);
  const side = (prefix: string) => {
    const all = Array.from({ length: pods }, (_, index) => ({
      name: `podinfo-${prefix}5d9c7b6f4d-${(index + 10).toString(36)}x7k2`,
      requests: 45 + Math.floor(30 * random()),
      failures: random() < 0.1 ? 1 : 0,
    }));
    const sum = (of: 'requests' | 'failures') => all.reduce((total, pod) => total + pod[of], 0);
    return { all, sums: { requests: sum('requests'), failures: sum('failures') } };
  };
  world.behaviour.compare = ({ fromMs, learnMs }, toMs) => {
    if (learnMs !== undefined) return { kind: 'history', primary: Array.from({ length: 2160 }, () => side('').sums) };
    const [canary, primary] = [side(''), side('primary-')];
    const window = { fromMs, toMs, canary: canary.sums, primary: primary.sums, pods: { canary: canary.all, primary: primary.all } };
    return { kind: 'window', window, endsAtSample: true };
  };
}

const slowGate = { mode: 'gate', pace: 'evidence', maxStepDuration: '24h' } as const;

describe('the journal of a long gate', () => {
  it('with checks every minute, polls every 5 s and 20 pods a side has parts of 15 and then of 30 minutes', () => {
    const world = releasing(slowGate, { canary: 0, primary: 0, perSecond: 0 }, {}, 60_000);
    countingPods(world, 20);
    const { parts, evidence } = recorded(world);
    world.push('s1:c');
    for (let tick = 0; parts.length < 2 && tick < 600; tick += 1) world.tick(5_000);
    const lasted = parts.map(({ beganMs, endedMs }) => endedMs - beganMs);
    expect(lasted[0]).toBeGreaterThanOrEqual(FIRST_PART_MS);
    expect(lasted[1]).toBeGreaterThanOrEqual(2 * FIRST_PART_MS);
    const again = replayed(parts);
    expect(again.differences).toEqual([]);
    expect(again.evidence.length).toBeGreaterThan(500);
    expect(again.evidence).toEqual(evidence.slice(0, again.evidence.length));
  });

  const comparison = { mode: 'gate', pace: 'evidence', warmUp: '10s', maxStepDuration: '2m', latency: {} } as const;
  const orders = { name: 'orders', templateRef: { name: 'orders' }, compare: { atLeast: '5%' } };
  const plans = [
    aCanary({ stepWeight: 40, comparison, ...withHooks('confirm-promotion', 'rollback') }),
    aCanary({ iterations: 5, comparison, metrics: [orders] }),
  ];
  const acts: Readonly<Record<string, (world: World, nth: number) => void>> = {
    poll: (world) => world.tick(5_000),
    tick: (world) => world.tick(),
    late: (world) => world.tick(17_000),
    answer(world) {
      world.nowMs += 400;
      world.answer();
    },
    asked(world) {
      world.nowMs += 5_000;
      world.send({ type: 'WAKE', facts: world.facts() });
    },
    crash: (world) => world.crash(),
    push(world, nth) {
      world.targetRevision = `s1:${nth}`;
      world.sendFacts();
    },
    canaryDown(world) {
      world.targetDown = !world.targetDown;
      world.sendFacts();
    },
    unread(world) {
      world.behaviour.compare = () => ({ kind: 'unknown', reason: 'Prometheus answered 503' });
    },
    begun(world) {
      const counted = world.behaviour.compare;
      world.behaviour.compare = (asked, nowMs) => {
        const one = counted(asked, nowMs);
        return one.kind === 'window' ? { ...one, window: { ...one.window, canary: { requests: 0, failures: 0 } }, isFinal: true } : one;
      };
    },
    few: (world) => countingPods(world, 3),
    many: (world) => countingPods(world, 30),
    plain: (world) => counting(world, { canary: 0.001, primary: 0.001, perSecond: 1_000 / 7 }),
    idle: (world) => countingPods(world, 0),
  };
  const anAct = fc.oneof({ weight: 4, arbitrary: fc.constant('poll') }, { weight: 3, arbitrary: fc.constantFrom(...Object.keys(acts)) });

  it('replays to the same decisions and the same evidence after any order of events', { timeout: propertyTimeoutMs }, () => {
    let polls = 0;
    fc.assert(
      fc.property(fc.constantFrom(...plans), fc.array(anAct, { minLength: 20, maxLength: 60, size: 'max' }), (plan, names) => {
        const world = new World(plan);
        const facts = world.facts.bind(world);
        world.facts = () => ({ ...facts(), intervalMs: 30_000 });
        countingPods(world, 3);
        const { parts, evidence, stop } = recorded(world);
        world.begin();
        world.tick();
        world.push('s1:b');
        for (const [nth, name] of names.entries()) acts[name]?.(world, nth);
        stop();
        expect(replayed(parts)).toEqual({ differences: [], evidence });
        polls += parts.flatMap(({ segments }) => segments.flatMap(({ entries }) => entries.flatMap((one) => one.polls ?? []))).length;
      }),
      propertyRuns(0.2),
    );
    expect(polls).toBeGreaterThan(20);
  });
});

it('the journal of a gate records which window is final and which ends at a sample, and replays to the same evidence and questions', () => {
  const world = releasing({ ...slowGate, warmUp: '0s' }, { canary: 0, primary: 0, perSecond: 0 }, {}, 60_000);
  const counted = world.behaviour.compare;
  const { parts, evidence, stop } = recorded(world);
  world.push('s1:c');
  world.tickUntil(({ canary }) => canary.status?.canaryWeight === 10);
  for (let tick = 0; tick < 20; tick += 1) {
    const isFinal = tick % 3 === 0;
    world.behaviour.compare = (asked, nowMs) => {
      const one = counted(asked, nowMs);
      if (one.kind !== 'window') return one;
      const sides = { canary: { requests: isFinal ? 0 : 50, failures: 0 }, primary: { requests: 450, failures: 1 } };
      return { ...one, window: { ...one.window, ...sides }, ...(isFinal && { isFinal }), ...(tick % 2 === 0 && { endsAtSample: true }) };
    };
    world.tick(5_000);
  }
  stop();
  expect(replayed(parts)).toEqual({ differences: [], evidence });
  expect(evidence.at(-1)).not.toContain('"noCanary":0');
});

describe('counts in a journal', () => {
  const pod = (name: string, requests: number, failures = 0) => ({ name, requests, failures });
  const sums = { requests: 1, failures: 0 };
  const window = (canary: ReturnType<typeof pod>[], primary: ReturnType<typeof pod>[]) =>
    ({ metric: 'errors', kind: 'window', window: { fromMs: 1, toMs: 2, canary: sums, primary: sums, pods: { canary, primary } } }) as const;

  it('name a pod once in a part, and contain neither pods of the canary nor those of the primary that are not followed', () => {
    const [writer, reader] = [new CountsNotes(), new CountsNotes()];
    const many = Array.from({ length: 30 }, (_, index) => pod(`p${index}`, index + 1, index % 2));
    const followed: ComparedPods = {
      canaryPods: 2,
      primary: Object.fromEntries(many.slice(0, 20).map(({ name, ...counts }) => [name, counts])),
    };
    const first = writer.noted(window([pod('c1', 5), pod('c2', 0), pod('c3', 1)], many), undefined);
    const second = writer.noted(window([pod('c1', 5)], many.slice(5)), followed);
    expect(JSON.stringify([first, second]).match(/"[cp]\d+"/g)).toHaveLength(20);
    expect(JSON.stringify(second)).not.toContain('"names"');
    const read = [first, second].map((one) => reader.read(NotedCompared.parse(JSON.parse(JSON.stringify(one)))));
    expect(read.map((one) => one.kind === 'window' && [one.window.pods?.canary.length, one.window.pods?.primary])).toEqual([
      [2, many.slice(0, 20)],
      [1, many.slice(5, 20)],
    ]);
  });

  it('have no pods if no pod of the canary had requests', () => {
    expect(new CountsNotes().noted(window([], [pod('p', 1)]), undefined)).not.toHaveProperty('window.pods');
  });

  it('are read with the pods of a journal that contains them in full', () => {
    const whole = window([pod('c', 1)], [pod('p', 1)]);
    expect(new CountsNotes().read(NotedCompared.parse(whole))).toEqual(whole);
  });

  it('contain a history as numbers, and the bounds of buckets once', () => {
    const notes = new CountsNotes();
    const history = { metric: 'errors', kind: 'history', primary: [sums, { requests: 2.5, failures: 1 }] } as const;
    const noted = notes.noted(history, undefined);
    expect(noted).toMatchObject({ primary: [1, [2.5, 1]] });
    expect(notes.read(NotedCompared.parse(noted))).toEqual(history);
    const boundsMs = [5, Number.POSITIVE_INFINITY];
    const other = { boundsMs: [7, Number.POSITIVE_INFINITY], cumulative: [1, 2] };
    const primary = [{ boundsMs, cumulative: [1, 2] }, { boundsMs, cumulative: [3, 4] }, other, other];
    const buckets = { metric: 'latency', kind: 'buckets', toMs: 3, primary } as const;
    const text = JSON.stringify(notes.noted(buckets, undefined));
    expect(text.match(/boundsMs/g)).toHaveLength(2);
    expect(notes.read(NotedCompared.parse(JSON.parse(text)))).toEqual(buckets);
  });

  it('have no short record if they have a field that it lacks', () => {
    const { pods: _, ...plain } = window([], []).window;
    const times: NotedPoll['times'] = [5_000, 0, null, null];
    const noted = (one: object) => notedPoll([one as Compared], { times, nowMs: 2, before: undefined }, new CountsNotes());
    const one = { metric: 'errors', kind: 'window', window: plain, endsAtSample: true };
    expect(noted(one)).toEqual({ times, span: [1, 0], canary: 1, primary: 1 });
    expect([noted({ ...one, more: 1 }), noted({ ...one, window: { ...plain, more: 1 } })]).toEqual([undefined, undefined]);
  });
});
