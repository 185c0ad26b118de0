import fc from 'fast-check';
import { type Analysis, HookType } from '../../src/api/canary.ts';
import type { Release } from '../../src/api/canary-status.ts';
import { Phase } from '../../src/api/phase.ts';
import { weight } from '../../src/api/routes.ts';
import { Verb } from '../../src/api/verb-request.ts';
import type { Context, Input } from '../../src/engine/context.ts';
import type { Facts, SideFacts } from '../../src/engine/facts.ts';
import type { Answer, EngineEvent } from '../../src/engine/questions.ts';
import { deadlineMs, down, drainMs, nowMs, refused, scaler, short, stalled, unconfirmed, unroutable, weighted } from './deciding.ts';
import { aCanary, withHooks } from './world.ts';

const maybe = <Value>(...values: Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom<Value | undefined>(undefined, undefined, ...values);
const since = fc.constantFrom(nowMs, nowMs - drainMs, nowMs - 30_000, nowMs - deadlineMs);
const revision = fc.constantFrom('s1:a', 's1:b', 's1:b', 's1:c');
type Configs = NonNullable<Release['configs']>;
const config: Configs = { 'configmap/app': { uid: 'u', resourceVersion: '1', checksum: 'x' } };
const ready: SideFacts = { readiness: { state: 'ready', ready: 2, wanted: 2 }, serving: true, replicas: 2 };
const aSide = fc.constantFrom(ready, ready, ready, short, down, stalled, { ...short, progress: { lastMs: nowMs, updated: 1 } });

/** Drops undefined fields: an absent field is not a field without a value. */
const defined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Value;

const aRelease = fc
  .record({
    revision,
    routes: fc.constantFrom<Release['routes']>(
      weighted(0),
      weighted(20),
      weighted(60),
      weighted(100),
      { kind: 'mirrored', share: weight(100) },
      { kind: 'matched', match: [{}] },
    ),
    failedChecks: fc.constantFrom(0, 2),
    iterations: fc.constantFrom(0, 2, 3),
    stepStartedMs: since,
    awaitedSinceMs: fc.oneof(fc.constant(undefined), since),
    blindSinceMs: fc.oneof(fc.constant(undefined), since),
    capacity: maybe<NonNullable<Release['capacity']>>(
      { side: 'target', pods: 2 },
      { side: 'primary', pods: 2, had: 1 },
      { side: 'target', pods: 9, reachedMs: nowMs - deadlineMs },
      { side: 'primary', pods: 9, reachedMs: nowMs },
    ),
    gateClosed: maybe<NonNullable<Release['gateClosed']>>({
      webhook: 'confirm-promotion',
      type: 'confirm-promotion',
      sinceMs: nowMs - 20_000,
    }),
    paused: fc.constantFrom(undefined, undefined, undefined, { by: 'ann', sinceMs: nowMs }),
    heldRoutes: maybe(weighted(20)),
    preRolloutPassed: maybe(true),
    measuredFromMs: maybe(nowMs),
    configs: maybe<Configs>(config, {}),
    observedGeneration: fc.constantFrom(0, 1),
  })
  .map((known) => defined({ targetUid: 't-1', promotedRevision: 's1:a', run: 1, startedMs: nowMs, ...known }) as Omit<Release, 'step'>);

const aPlan = fc
  .tuple(
    fc.constantFrom<Partial<Analysis>>(
      { stepWeight: 20, maxWeight: 60 },
      { stepWeights: [20, 100], mirror: true },
      { iterations: 2 },
      { stepWeightPromotion: 30 },
    ),
    fc.subarray(HookType.options),
    fc.constantFrom<'hold' | 'fail'>('hold', 'fail'),
    fc.constantFrom(false, false, true),
    fc.constantFrom<Partial<Analysis>>({}, {}, { gateTimeout: '25s' }),
  )
  .map(([analysis, hooks, unmeasured, skipAnalysis, gates]) =>
    aCanary({ ...analysis, ...withHooks(...hooks), ...gates, unmeasured }, { skipAnalysis }),
  );

const someFacts = fc
  .record({
    canary: aPlan,
    supports: fc.constantFrom(true, true, false).map((weights) => ({ weights, mirroring: true, headerMatch: true, sessionAffinity: true })),
    converged: fc.constantFrom(true, true, false),
    target: fc.oneof(
      { weight: 9, arbitrary: fc.record({ side: aSide, revision, pods: fc.constantFrom(0, 2), configs: maybe<Configs>(config, {}) }) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    primary: fc.oneof(
      { weight: 9, arbitrary: fc.record({ side: aSide, carries: revision }) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    held: fc.constantFrom<Partial<Facts>>({}, {}, {}, {}, refused, unconfirmed, unroutable, {
      refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs },
    }),
    blocker: fc.constantFrom(undefined, undefined, undefined, { code: 'Forbidden' } as const),
    scaler: maybe(scaler),
  })
  .map(({ target, primary, held, ...known }): Facts => {
    const side =
      target &&
      defined({ ...target.side, uid: 't-1', generation: 1, revision: target.revision, pods: target.pods, configs: target.configs });
    return defined({
      ...{ nowMs, provider: 'istio', intervalMs: 10_000, scaleDownDelayMs: drainMs, cookieWord: 'word', ...held, ...known },
      target: side,
      primary: primary && { ...primary.side, carries: primary.carries },
    }) as Facts;
  });

const id = 'open';
const anAnswer: fc.Arbitrary<Answer> = fc.oneof(
  fc
    .constantFrom(...HookType.options)
    .chain((type) =>
      fc.constantFrom<Answer>(
        { kind: 'runHooks', id, type, outcome: 'passed', webhooks: [type] },
        { kind: 'runHooks', id, type, outcome: 'refused', webhook: type, reason: 'no' },
      ),
    ),
  fc
    .constantFrom('passed', 'failed', 'unmeasured')
    .map((verdict): Answer => ({ kind: 'measure', id, verdicts: [{ check: 'errors', verdict }] }) as Answer),
  fc.constantFrom<Answer>(
    { kind: 'promote', id, outcome: 'written' },
    { kind: 'promote', id, outcome: 'mismatch' },
    { kind: 'promote', id, outcome: 'refused', reason: 'no' },
    { kind: 'restorePrimary', id, outcome: 'written' },
    { kind: 'undo', id, outcome: 'refused', reason: 'no' },
  ),
);

const anEvent = fc.oneof(
  fc.constantFrom(
    { type: 'RESUME' },
    { type: 'FACTS' },
    { type: 'WAKE' },
    { type: 'DELIVERED', key: 'k' },
    { type: 'STOP', by: { webhook: 'rollback' } },
  ),
  anAnswer.map((answer) => ({ type: 'ANSWER', answer })),
  fc.constantFrom(...Verb.options).map((verb) => ({ type: 'REQUEST', request: { verb, id: 'r', by: 'ann', atMs: nowMs } })),
);

/** Any input that a state can have to decide about, likely or not. */
export const anyInput = fc
  .record({ release: aRelease, facts: someFacts, event: anEvent, wakeAtMs: maybe(nowMs, nowMs + 1), isPolled: fc.boolean() })
  .map(({ release, facts, event, wakeAtMs, isPolled }) => (state: string): Input => {
    const [top = '', step = ''] = state.split('.');
    const whole = { ...release, step } as Release;
    const context: Context = {
      ...{ release: whole, attempt: 1, asks: [], frozen: false, blocked: false, open: id },
      ...(top === 'New' ? {} : { recorded: { phase: Phase.parse(top), release: whole } }),
      ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
      ...(isPolled ? { rollback: { run: 1, answeredMs: nowMs } } : {}),
    };
    return { context, event: { ...event, facts } as EngineEvent };
  });
