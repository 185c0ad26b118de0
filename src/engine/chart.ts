import { assign, setup } from 'xstate';
import { type ChangeName, changes } from './changes.ts';
import type { Context, Input } from './context.ts';
import { type GuardName, guards } from './guards.ts';
import type { EngineEvent } from './questions.ts';

interface Move {
  guard: GuardName;
  target?: string;
  reenter?: boolean;
  actions?: ChangeName[];
}

/** Enters another step: its clock starts, an open question is dropped, then the changes. */
function go(guard: GuardName, target: string, ...actions: ChangeName[]): Move {
  return { guard, target, reenter: true, actions: ['begin', ...actions] };
}

/** Goes on within a step, whose clock runs on. */
function on(guard: GuardName, target: string, ...actions: ChangeName[]): Move {
  return { guard, target, reenter: true, actions };
}

/** Stays in the state; nothing is asked again. */
function stay(guard: GuardName, ...actions: ChangeName[]): Move {
  return { guard, actions };
}

interface Leaf {
  /** Asked on entry, and again after RESUME. */
  entry?: ChangeName[];
  /** Looked at before anything else, whatever the event. */
  first?: Move[];
  /** Looked at on RESUME, FACTS and WAKE. */
  seen?: Move[];
  answers?: Move[];
  /** What a person may ask for here and nowhere else in the phase. */
  asked?: Move[];
}

function leaf(name: string, { entry = [], first = [], seen = [], answers = [], asked = [] }: Leaf) {
  const looks = [...first, ...seen];
  // Where a first look changes the memory and stays, the step still has to ask and to set its wake (E53).
  const resumed = looks.map((move) => (move.target === undefined ? { ...move, actions: [...entry, ...(move.actions ?? [])] } : move));
  return {
    entry,
    on: {
      RESUME: [...resumed, on('always', name)],
      FACTS: looks,
      WAKE: looks,
      ANSWER: [...first, ...answers],
      ...(asked.length > 0 ? { REQUEST: asked } : {}),
    },
  };
}

/**
 * Everything that can end a release from outside, before its own business: what costs the user least comes first. Of a newer revision
 * `isStale` tells whether the pods that exist may not be the ones that are analysed.
 */
const overtakings = (isStale: GuardName): Move[] => [
  go('isBack', '#Succeeded.returningTraffic', 'cancel'),
  go(isStale, '#Progressing.withdrawing', 'supersede'),
  go('isNew', '#Progressing.scalingUp', 'supersede'),
  go('isInDoubt', '#Progressing.withdrawing', 'supersede'),
];
const interruptions: Move[] = [
  ...overtakings('isNewForStalePods'),
  go('isTargetStalled', '#Failed.returningTraffic', 'rollBack'),
  go('wasUncheckedForTooLong', '#Failed.returningTraffic', 'rollBack'),
  go('wasUnroutableForTooLong', '#Failed.returningTraffic', 'rollBack'),
  go('skipsAnalysis', '#Promoting.writingPrimary', 'startPromotion'),
];
/** While stale pods are on their way out: a template that comes and goes brings them back, so they go all the same (E56). */
const renewals = overtakings('isNewWithPods');
const rollBack = (guard: GuardName) => go(guard, '#Failed.returningTraffic', 'rollBack');
const failPromotion = (guard: GuardName) => go(guard, '#Failed.servingFromCanary', 'failPromotion');

/** A person asks for an end of the analysis, or holds it (E71–E73); `step` has looked whether it is possible. */
const requested: Move[] = [
  go('asksToPromote', '#Promoting.writingPrimary', 'startPromotion'),
  rollBack('asksToRollBack'),
  stay('asksToPause', 'pause'),
  stay('asksToResume', 'resume'),
];
/** The same where the release waits for its gate, in whose place the person answers. */
const approved: Move[] = [
  go('approvesWithPods', '#Progressing.withdrawing', 'startRun'),
  go('asksToPromote', '#Progressing.scalingUp', 'startRun'),
  rollBack('asksToRollBack'),
];

/** The failed revision once more, as if it were new (E75). */
const retried: Move[] = [
  go('retriesGated', 'confirming', 'pin'),
  go('retriesWithPods', '#Progressing.withdrawing', 'startRun'),
  go('asksToRetry', '#Progressing.scalingUp', 'startRun'),
];

/** At rest, and asking whether a new revision may start. */
function resting(phase: string, asked: Move[] = []) {
  return {
    resting: leaf('resting', {
      asked,
      seen: [
        stay('isRefused'),
        go('isNewAndGated', 'confirming', 'pin'),
        go('isNewWithPods', '#Progressing.withdrawing', 'startRun'),
        go('isNew', '#Progressing.scalingUp', 'startRun'),
        stay('isBack', 'noteReturn'),
      ],
    }),
    confirming: leaf('confirming', {
      entry: ['askConfirmRollout'],
      first: [go('isBack', `#${phase}.resting`, 'noteReturn'), go('isNew', 'confirming', 'pin')],
      answers: confirmed((guard) => go(guard, '#Waiting.gate', 'poll')),
      asked: approved,
    }),
  };
}

function confirmed(later: (guard: GuardName) => Move): Move[] {
  const renews = go('passedWithPods', '#Progressing.withdrawing', 'startRun');
  return [later('passedTooEarly'), renews, go('hasPassed', '#Progressing.scalingUp', 'startRun'), later('hasRefused')];
}

/**
 * Traffic to the primary, then the pods that lost it: proxies learn of routes late. `after` is entered when they may go; `followed` is
 * what does not wait for that, `waits` what wakes it where they may not go yet.
 */
function homeward(
  after: string,
  settle: ChangeName[],
  { first = [], followed = [], waits = [] }: { first?: Move[]; followed?: Move[]; waits?: Move[] } = {},
) {
  return {
    returningTraffic: leaf('returningTraffic', {
      entry: ['wakeAfterRaise'],
      first,
      seen: [stay('canReturn', 'goHome'), stay('canReturnSome', 'returnSome'), go('isConvergedAtHome', 'draining'), ...waits],
    }),
    draining: leaf('draining', { entry: ['wakeAfterDrain'], first, seen: [...followed, go('isDrained', after, ...settle), ...waits] }),
  };
}

/** The next revision needs the pods that would go, so it does not wait for them to be scaled down first (E50a). */
const next = (isStale: GuardName): Move[] => [
  go(isStale, '#Progressing.withdrawing', 'startRun'),
  go('isNewAndFree', '#Progressing.scalingUp', 'startRun'),
];

/** One interval of soaking, then hooks and metrics, then the next step; the same in both phases of an analysis. */
function analysis(phase: 'Progressing' | 'WaitingPromotion') {
  const soak = `#${phase}.analysing.soaking`;
  const first = [
    ...interruptions,
    go('targetIsDown', `#${phase}.heldBack`, 'holdBack', 'resumeClock'),
    go('skipsWhileUnready', '#Progressing.scalingUp'),
  ];
  const again: ChangeName[] = ['checkNextInterval'];
  const refusedPromotion =
    phase === 'Progressing'
      ? go('hasRefused', '#WaitingPromotion.analysing', 'poll', 'checkNextInterval')
      : on('hasRefused', soak, 'poll', ...again);
  return {
    analysing: {
      initial: 'soaking',
      states: {
        soaking: leaf('soaking', {
          entry: ['wakeAtCheck'],
          first,
          seen: [
            rollBack('isUnreadyTooLong'),
            on('isDueForHooks', 'callingHooks', 'noteReadiness'),
            on('isDueAndWritten', 'measuring', 'noteReadiness'),
          ],
        }),
        callingHooks: leaf('callingHooks', {
          entry: ['askRollout'],
          first,
          answers: [rollBack('hasRefusedForLast'), on('hasRefused', soak, 'countFailure', ...again), on('hasPassed', 'measuring')],
        }),
        measuring: leaf('measuring', {
          entry: ['askMeasure'],
          first,
          answers: [
            { ...rollBack('checksFailedForLast'), actions: ['begin', 'keepVerdicts', 'rollBack'] },
            on('checksFailed', soak, 'keepVerdicts', 'countFailure', ...again),
            { ...rollBack('checksHoldTooLong'), actions: ['begin', 'keepVerdicts', 'rollBack'] },
            on('checksHold', soak, 'keepVerdicts', 'hold'),
            on('mustWaitForPrimary', soak, 'keepVerdicts', 'waitForPrimary', ...again),
            on('mustWaitForTarget', soak, 'keepVerdicts', 'waitForTarget'),
            on('isPassedButHeldUp', soak, 'keepVerdicts', 'tellHoldUp', ...again),
            on('mustAskTraffic', 'confirmingTraffic', 'keepVerdicts'),
            on('mustAskPromotion', 'confirmingPromotion', 'keepVerdicts'),
            go('mayPromote', '#Promoting.writingPrimary', 'keepVerdicts', 'startPromotion'),
            go('mayStepButIsShort', '#Progressing.raising', 'keepVerdicts', 'raiseTarget'),
            go('mayStep', '#Progressing.analysing.soaking', 'keepVerdicts', 'takeStep'),
          ],
        }),
        confirmingTraffic: leaf('confirmingTraffic', {
          entry: ['askConfirmTraffic'],
          first,
          answers: [
            on('hasRefused', soak, 'poll', ...again),
            on('passedToPromotionGate', 'confirmingPromotion'),
            go('passedToPromotion', '#Promoting.writingPrimary', 'startPromotion'),
            go('passedToStepButIsShort', '#Progressing.raising', 'raiseTarget'),
            go('passedToStep', '#Progressing.analysing.soaking', 'takeStep'),
            on('isAnswered', soak, 'closeQuestion', ...again),
          ],
        }),
        confirmingPromotion: leaf('confirmingPromotion', {
          entry: ['askConfirmPromotion'],
          first,
          answers: [
            refusedPromotion,
            go('passedToPromotion', '#Promoting.writingPrimary', 'startPromotion'),
            go('passedToStepButIsShort', '#Progressing.raising', 'raiseTarget'),
            go('passedToStep', '#Progressing.analysing.soaking', 'takeStep'),
            on('isAnswered', soak, 'closeQuestion', ...again),
          ],
        }),
      },
    },
    heldBack: leaf('heldBack', {
      entry: ['wakeInRaise'],
      first: interruptions,
      seen: [
        stay('targetIsBackButIsShort', 'raiseToGiveBack'),
        on('targetIsBack', `#${phase}.comingBack`, 'keepClock', 'begin'),
        rollBack('isLate'),
        stay('isDueInRaise', 'wakeInRaise'),
      ],
    }),
    // New pods again: the same pause as before the first traffic (E6a).
    comingBack: leaf('comingBack', {
      entry: ['wakeAfterDrain'],
      first: [...interruptions, go('targetIsDown', `#${phase}.heldBack`, 'resumeClock')],
      seen: [
        stay('targetIsBackButIsShort', 'raiseToGiveBack'),
        go('hasComeBack', `#${phase}.analysing`, 'giveBack'),
        rollBack('isLate'),
        stay('isDueInRaise', 'wakeInRaise'),
      ],
    }),
  };
}

const machineSetup = setup({
  types: { context: {} as Context, events: {} as EngineEvent, input: {} as Context },
  guards: Object.fromEntries(Object.entries(guards).map(([name, guard]) => [name, (seen: Input) => guard(seen)])) as Record<
    GuardName,
    (seen: Input) => boolean
  >,
  actions: Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [name, assign((seen: Input): Partial<Context> => change(seen))]),
  ) as Record<ChangeName, ReturnType<typeof assign<Context, EngineEvent, undefined, EngineEvent, never>>>,
});

/**
 * The statechart of one release. First level: the phases that the status shows (`New` is the empty one); second level: the recorded
 * step; deeper levels are parts of one tick, which RESUME starts over. Print it with `serin diagram`.
 */
export const chart = machineSetup.createMachine({
  id: 'release',
  context: ({ input }) => input,
  initial: 'New',
  on: { DELIVERED: { actions: ['acknowledge'] } },
  states: {
    New: {
      id: 'New',
      on: {
        RESUME: on('always', '#Initializing', 'bindTarget', 'begin'),
        FACTS: on('always', '#Initializing', 'bindTarget', 'begin'),
      },
    },
    Initializing: {
      id: 'Initializing',
      initial: 'creatingPrimary',
      states: {
        creatingPrimary: leaf('creatingPrimary', {
          entry: ['wakeAtDeadline'],
          first: [stay('mustRaiseAtStart', 'raisePrimary')],
          seen: [go('primaryCanTakeOver', 'settling'), stay('isDueAndLate', 'reportLatePrimary')],
        }),
        settling: leaf('settling', {
          entry: ['wakeAfterDrain'],
          first: [stay('mustRaiseAtStart', 'raisePrimary')],
          seen: [go('primaryIsLost', 'creatingPrimary'), go('primaryHasSettled', 'takingTraffic', 'bindTarget')],
        }),
        takingTraffic: leaf('takingTraffic', { seen: [go('primaryIsLost', 'creatingPrimary'), go('isConverged', 'draining')] }),
        draining: leaf('draining', { entry: ['wakeAfterDrain'], seen: [go('isDrained', '#Initialized.resting', 'initialize')] }),
      },
    },
    Initialized: { id: 'Initialized', initial: 'resting', states: resting('Initialized') },
    Waiting: {
      id: 'Waiting',
      on: { REQUEST: [...approved, stay('asksToPause', 'pause'), stay('asksToResume', 'resume')] },
      initial: 'gate',
      states: {
        gate: leaf('gate', {
          // One that has just refused is asked again in an interval.
          entry: ['askGateUnlessPolled'],
          first: [go('isBack', '#Succeeded.resting', 'noteReturn'), go('isNew', 'gate', 'pin')],
          seen: [on('isDueToAsk', 'gate', 'forgetWake')],
          answers: confirmed((guard) => stay(guard, 'poll')),
        }),
      },
    },
    Progressing: {
      id: 'Progressing',
      on: { REQUEST: requested, STOP: rollBack('always') },
      initial: 'scalingUp',
      states: {
        // Pods read configs when they start: those that exist have read others than the ones to be analysed (02-15.1.11).
        withdrawing: leaf('withdrawing', {
          first: renewals,
          seen: [stay('canGoHome', 'goHome'), go('isConvergedAtHome', 'clearing')],
        }),
        clearing: leaf('clearing', { entry: ['wakeAfterDrain'], first: renewals, seen: [go('isDrained', 'emptying')] }),
        emptying: leaf('emptying', {
          entry: ['noteStopped', 'wakeAtDeadline'],
          first: renewals,
          // Straight to rest: the traffic has long left, and the next revision must not be analysed on pods that would not go.
          seen: [go('isEmpty', 'scalingUp', 'pinUnread'), go('isLate', '#Failed.resting', 'rollBack', 'forgetCapacity')],
        }),
        scalingUp: leaf('scalingUp', {
          entry: ['wakeAtDeadline'],
          first: [...interruptions, on('isUnread', 'scalingUp', 'pinUnread')],
          seen: [
            stay('canGoHome', 'goHome'),
            on('targetIsBackAtHome', 'settling', 'keepClock', 'begin'),
            rollBack('isLateAndUnready'),
            stay('targetRollsOn', 'wakeForTarget'),
          ],
        }),
        // Proxies learn of new pods as late as of new routes: traffic that came at once would find no endpoint (I10).
        settling: leaf('settling', {
          entry: ['wakeAfterDrain'],
          first: [...interruptions, go('targetIsDown', '#Progressing.scalingUp', 'resumeClock')],
          seen: [
            go('canStartHooks', 'preRollout', 'isolate'),
            go('canStartGate', 'preRollout.gate', 'isolate'),
            go('canStartButIsShort', 'raising', 'isolate', 'raiseTarget'),
            go('canStart', 'analysing', 'isolate', 'takeStep'),
            go('isDueAndShort', '#Progressing.scalingUp', 'resumeClock'),
          ],
        }),
        // What the next step sends must find pods: the target's scaler has sized it for what it has now (E60).
        raising: leaf('raising', {
          entry: ['wakeInRaise'],
          first: [
            ...interruptions,
            go('targetIsDownAtStart', '#Progressing.scalingUp', 'forgetCapacity'),
            go('targetIsDown', '#Progressing.heldBack', 'holdBack'),
            stay('capacityIsLost', 'noteLost'),
            stay('capacityIsReached', 'noteReached'),
          ],
          seen: [
            go('isTargetRaised', 'analysing', 'takeStep'),
            go('isGivenLess', 'analysing', 'takeStep'),
            rollBack('isLateAndShort'),
            stay('isDueInRaise', 'wakeInRaise'),
          ],
        }),
        preRollout: {
          initial: 'hooks',
          states: {
            hooks: leaf('hooks', {
              entry: ['askPreRollout'],
              first: [...interruptions, go('targetIsDown', '#Progressing.scalingUp')],
              seen: [
                // A restart begins the step anew, at its gate where the hooks have passed: each of them is a test of its own.
                on('hasPassedPreRollout', 'gate'),
                go('isDueAndUnready', '#Progressing.scalingUp'),
                on('isDueToAsk', 'hooks', 'forgetWake'),
              ],
              answers: [
                rollBack('hasRefusedForLast'),
                stay('hasRefused', 'countFailure', 'wakeNextInterval'),
                on('canPassToGate', 'gate', 'passPreRollout'),
                go('canPassToStepButIsShort', '#Progressing.raising', 'passPreRollout', 'raiseTarget'),
                go('canPassToStep', '#Progressing.analysing', 'passPreRollout', 'takeStep'),
                go('isAnswered', '#Progressing.scalingUp', 'passPreRollout'),
              ],
            }),
            gate: leaf('gate', {
              entry: ['askConfirmTraffic'],
              first: [...interruptions, go('targetIsDown', '#Progressing.scalingUp')],
              seen: [go('isDueAndUnready', '#Progressing.scalingUp'), on('isDueToAsk', 'gate', 'forgetWake')],
              answers: [
                stay('hasRefused', 'poll'),
                go('canPassToStepButIsShort', '#Progressing.raising', 'raiseTarget'),
                go('canPassToStep', '#Progressing.analysing', 'takeStep'),
                go('isAnswered', '#Progressing.scalingUp'),
              ],
            }),
          },
        },
        ...analysis('Progressing'),
      },
    },
    WaitingPromotion: {
      id: 'WaitingPromotion',
      on: { REQUEST: requested, STOP: rollBack('always') },
      initial: 'analysing',
      states: analysis('WaitingPromotion'),
    },
    Promoting: {
      id: 'Promoting',
      initial: 'writingPrimary',
      states: {
        writingPrimary: leaf('writingPrimary', {
          entry: ['askPromote'],
          first: [stay('canaryIsLost', 'goHome')],
          // That it carries the pin is not enough: the answer says whether anything was left in it.
          seen: [
            go('isDueAndUnprovedAtStart', '#Progressing.scalingUp'),
            go('isDueAndUnproved', '#Progressing.analysing', 'noteReadiness'),
            on('isDue', 'writingPrimary', 'forgetWake'),
          ],
          answers: [
            go('wasWritten', 'awaitingPrimary'),
            go('wasMismatchWithPods', '#Progressing.withdrawing', 'supersede'),
            go('wasMismatch', '#Progressing.scalingUp', 'supersede'),
            stay('hasRefused', 'poll'),
          ],
        }),
        awaitingPrimary: leaf('awaitingPrimary', {
          entry: ['wakeAtDeadline'],
          first: [stay('canaryIsLost', 'goHome'), failPromotion('promotionFailed')],
          seen: [
            go('primaryIsShort', 'raising', 'raisePromoted'),
            go('isLastShift', '#Finalising.returningTraffic', 'shift'),
            go('primaryIsPromoted', 'shifting', 'shift'),
            stay('primaryRollsOn', 'wakeForPrimary'),
          ],
        }),
        raising: leaf('raising', {
          entry: ['wakeAtDeadline'],
          first: [
            stay('canaryIsLost', 'goHome'),
            failPromotion('promotionFailed'),
            stay('capacityIsLost', 'noteLost'),
            stay('capacityIsReached', 'noteReached'),
          ],
          seen: [
            go('isPrimaryRaisedForLast', '#Finalising.returningTraffic', 'shift'),
            go('isPrimaryRaised', 'shifting', 'shift'),
            stay('primaryRollsOn', 'wakeForPrimary'),
          ],
        }),
        shifting: leaf('shifting', {
          entry: ['wakeNextShift'],
          first: [stay('canaryIsLost', 'goHome'), failPromotion('promotionFailed')],
          seen: [go('isLastShiftDue', '#Finalising.returningTraffic', 'shift'), go('isShiftDue', 'shifting', 'shift')],
        }),
      },
    },
    Finalising: {
      id: 'Finalising',
      initial: 'returningTraffic',
      states: homeward('#Succeeded.resting', ['succeed'], {
        first: [failPromotion('promotionFailed')],
        waits: [stay('primaryRollsOn', 'wakeForPrimary')],
      }),
    },
    Succeeded: {
      id: 'Succeeded',
      initial: 'resting',
      states: {
        // Cancelled, so what is recorded is the promoted revision, and not what the pods may have read.
        ...homeward('#Succeeded.resting', ['forgetCapacity'], { followed: next('isNewAndFreeWithPods') }),
        ...resting('Succeeded', [go('asksToUndo', 'undoing', 'beginUndo')]),
        // What it leads to is looked at when it is answered: a target that changes meanwhile may be our own doing (E74).
        undoing: leaf('undoing', {
          entry: ['askUndo'],
          answers: [go('wasWritten', 'resting', 'endUndo'), go('hasRefused', 'resting', 'endUndo')],
        }),
      },
    },
    Failed: {
      id: 'Failed',
      initial: 'resting',
      states: {
        servingFromCanary: leaf('servingFromCanary', {
          entry: ['wakeAfterRaise'],
          first: [stay('canaryIsLost', 'goHome')],
          seen: [go('mayRestore', 'restoringPrimary')],
        }),
        restoringPrimary: leaf('restoringPrimary', {
          entry: ['askRestore'],
          first: [stay('canaryIsLost', 'goHome')],
          seen: [go('primaryIsRestored', 'returningTraffic', 'comeHome'), on('isDue', 'restoringPrimary', 'forgetWake')],
          answers: [stay('wasWritten', 'closeQuestion'), stay('hasRefused', 'poll')],
        }),
        ...homeward('#Failed.resting', ['forgetCapacity'], { followed: next('isNewAndFreeForStalePods') }),
        ...resting('Failed', retried),
      },
    },
    Terminating: { id: 'Terminating' },
    Terminated: { id: 'Terminated' },
  },
});
