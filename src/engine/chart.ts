import { assign, setup } from 'xstate';
import { type ChangeName, changes } from './changes.ts';
import type { Context } from './context.ts';
import { type Decision, decisions } from './decision.ts';
import type { EngineEvent } from './questions.ts';

/** An event with what `decide` has made of it. */
export type DecidedEvent = EngineEvent & { decision: Decision };

interface Decided {
  context: Context;
  event: DecidedEvent;
}

interface ChartTransition {
  target?: string;
  reenter?: boolean;
  actions?: ChangeName[];
}
type Moves = Partial<Record<Decision, ChartTransition>>;

/** Enters another step: its clock starts, an open question is dropped, then the changes. */
function go(target: string, ...actions: ChangeName[]): ChartTransition {
  return { target, reenter: true, actions: ['begin', ...actions] };
}

/** Goes on within a step, whose clock runs on. */
function on(target: string, ...actions: ChangeName[]): ChartTransition {
  return { target, reenter: true, actions };
}

/** Stays in the state; nothing is asked again. */
function stay(...actions: ChangeName[]): ChartTransition {
  return { actions };
}

function guarded(moves: Moves): (ChartTransition & { guard: Decision })[] {
  return Object.entries(moves).map(([decision, move]) => ({ guard: decision as Decision, ...move }));
}

/** Moves of every step within, unless the step has a move of its own for the same decision. */
function common(moves: Moves) {
  return { '*': guarded(moves) };
}

/** `entry`: asked on entry, and again after RESUME. */
function leaf(name: string, entry: ChangeName[], moves: Moves) {
  const all = guarded({ reenter: on(name), ...moves });
  // Where a look changes the memory and stays, the step still has to ask and to set its wake (E53).
  const resumed = all.map((move) => (move.target === undefined ? { ...move, actions: [...entry, ...(move.actions ?? [])] } : move));
  return { entry, on: { RESUME: resumed, '*': all } };
}

const start = go('#Progressing.scalingUp', 'startRun');
const startAfterRecycling = go('#Progressing.recycleRouting', 'startRun');
/** A canary that fails while a step waits for something else (E27a). */
const counting: Moves = { countFailing: stay('countFailing') };
/** A newer revision. */
const next: Moves = { startAfterRecycling, start };
const supersede = go('#Progressing.scalingUp', 'supersede');
const supersedeAfterRecycling = go('#Progressing.recycleRouting', 'supersede');
const rollBack = go('#Failed.returningTraffic', 'rollBack');
const pausing: Moves = { pause: stay('pause'), resume: stay('resume') };

/** Everything that ends an analysis, whatever its step. */
const interruptions = common({
  ...pausing,
  cancel: go('#Succeeded.returningTraffic', 'cancel'),
  supersede,
  supersedeAfterRecycling,
  abort: rollBack,
  rollBack,
  skipAnalysis: go('#Promoting.writingPrimary', 'startPromotion'),
  promote: go('#Promoting.writingPrimary', 'startPromotion'),
});

/** At rest, and asking whether a new revision may start. */
function resting(phase: string, asked: Moves = {}) {
  return {
    resting: leaf('resting', [], {
      ...asked,
      restart: go('restarting', 'beginRestart'),
      pin: go('confirming', 'pin'),
      ...next,
      noteReturn: stay('noteReturn'),
    }),
    confirming: leaf('confirming', ['askConfirmRollout'], {
      noteReturn: go(`#${phase}.resting`, 'noteReturn'),
      pin: go('confirming', 'pin'),
      ...next,
      hold: go('#Waiting.gate', 'poll'),
      rollBack,
    }),
    restarting: leaf('restarting', ['askRestart'], { advance: go('resting', 'endRestart') }),
  };
}

/**
 * Traffic to the primary, then the pods that lost it: proxies learn of routes late. `after` is taken when they may go, `followed` does not
 * wait for that.
 */
function returning(after: ChartTransition, { waits = {}, followed = {} }: { waits?: Moves; followed?: Moves }) {
  return {
    returningTraffic: leaf('returningTraffic', ['wakeAfterRaise'], {
      ...waits,
      routeToPrimary: stay('routeToPrimary'),
      routeSome: stay('routeSome'),
      advance: go('draining'),
    }),
    draining: leaf('draining', ['wakeAfterDrain'], { ...waits, ...followed, advance: after }),
  };
}

/** One interval of soaking, then hooks and metrics, then the next step; the same in both phases of an analysis. */
function analysis(phase: 'Progressing' | 'WaitingPromotion') {
  const soak = `#${phase}.analysing.soaking`;
  const soakAgain = (...changes: ChangeName[]) => on(soak, ...changes, 'checkNextInterval');
  const closed = phase === 'Progressing' ? go('#WaitingPromotion.analysing', 'poll', 'checkNextInterval') : soakAgain('poll');
  return {
    analysing: {
      on: common({
        withdrawTraffic: go(`#${phase}.canaryUnavailable`, 'withdrawTraffic', 'resumeClock'),
        fallBack: go('#Progressing.scalingUp'),
        rollBack: go('#Failed.returningTraffic', 'keepVerdicts', 'rollBack'),
        promote: go('#Promoting.writingPrimary', 'keepVerdicts', 'startPromotion'),
        raise: go('#Progressing.raising', 'keepVerdicts', 'raiseTarget'),
        step: go('#Progressing.analysing.soaking', 'keepVerdicts', 'takeStep'),
        retry: soakAgain('keepVerdicts', 'countFailure'),
        checkAgain: soakAgain('closeQuestion'),
      }),
      initial: 'soaking',
      states: {
        soaking: leaf('soaking', ['wakeAtCheck'], {
          countFailing: soakAgain('countFailing'),
          askHooks: on('callingHooks', 'noteReadiness', 'noteContest'),
          measure: on('measuring', 'noteReadiness', 'noteContest'),
        }),
        callingHooks: leaf('callingHooks', ['askRollout'], { measure: on('measuring') }),
        measuring: leaf('measuring', ['askMeasure'], {
          hold: on(soak, 'keepVerdicts', 'hold'),
          awaitPrimary: soakAgain('keepVerdicts', 'waitForPrimary'),
          awaitCanary: on(soak, 'keepVerdicts', 'waitForTarget'),
          awaitEvidence: soakAgain('keepVerdicts', 'noteEvidence'),
          holdUp: soakAgain('keepVerdicts', 'noteHoldUp'),
          askTraffic: on('confirmingTraffic', 'keepVerdicts'),
          askPromotion: on('confirmingPromotion', 'keepVerdicts'),
        }),
        confirmingTraffic: leaf('confirmingTraffic', ['askConfirmTraffic'], {
          hold: soakAgain('poll'),
          askPromotion: on('confirmingPromotion'),
        }),
        confirmingPromotion: leaf('confirmingPromotion', ['askConfirmPromotion'], { hold: closed }),
      },
    },
    canaryUnavailable: leaf('canaryUnavailable', ['wakeInRaise'], {
      ...counting,
      raise: stay('raiseToRecover'),
      advance: on(`#${phase}.canaryRecovered`, 'keepClock', 'begin'),
      extend: stay('wakeInRaise'),
    }),
    // New pods again: the same pause as before the first traffic (E6a).
    canaryRecovered: leaf('canaryRecovered', ['wakeAfterDrain'], {
      ...counting,
      fallBack: go(`#${phase}.canaryUnavailable`, 'resumeClock'),
      raise: stay('raiseToRecover'),
      advance: go(`#${phase}.analysing`, 'restoreTraffic'),
      extend: stay('wakeInRaise'),
    }),
  };
}

/** From a new revision to its first traffic. */
function starting() {
  const fallBack = go('#Progressing.scalingUp');
  const raise = go('#Progressing.raising', 'raiseTarget');
  const step = go('#Progressing.analysing', 'takeStep');
  return {
    // Pods read configs when they start: those that exist have read others than the ones to be analysed (02-15.1.11).
    recycleRouting: leaf('recycleRouting', [], { routeToPrimary: stay('routeToPrimary'), advance: go('recycleDraining') }),
    recycleDraining: leaf('recycleDraining', ['wakeAfterDrain'], { advance: go('recycleStopping') }),
    // Straight to rest: the traffic has long left, and the next revision must not be analysed on pods that would not go.
    recycleStopping: leaf('recycleStopping', ['noteStopped', 'wakeAtDeadline'], {
      advance: go('scalingUp', 'pinUnread'),
      giveUp: go('#Failed.resting', 'rollBack', 'forgetCapacity'),
    }),
    scalingUp: leaf('scalingUp', ['wakeAtDeadline'], {
      ...counting,
      pin: on('scalingUp', 'pinUnread'),
      routeToPrimary: stay('routeToPrimary'),
      advance: on('settling', 'keepClock', 'begin'),
      extend: stay('wakeForTarget'),
    }),
    // Proxies learn of new pods as late as of new routes: traffic that came at once would find no endpoint (I10).
    settling: leaf('settling', ['wakeAfterDrain'], {
      ...counting,
      fallBack: go('scalingUp', 'resumeClock'),
      askHooks: go('preRollout', 'isolate'),
      askTraffic: go('preRollout.gate', 'isolate'),
      raise: go('raising', 'isolate', 'raiseTarget'),
      step: go('analysing', 'isolate', 'takeStep'),
    }),
    // Traffic of the next step must find pods: the target's scaler has sized it for what it has now (E60).
    raising: leaf('raising', ['wakeInRaise'], {
      ...counting,
      fallBack: go('scalingUp', 'forgetCapacity'),
      withdrawTraffic: go('canaryUnavailable', 'withdrawTraffic'),
      noteLost: stay('noteLost'),
      noteReached: stay('noteReached'),
      step,
      extend: stay('wakeInRaise'),
    }),
    preRollout: {
      initial: 'hooks',
      states: {
        // A restart begins the step anew, at its gate where the hooks have passed: each of them is a test of its own.
        hooks: leaf('hooks', ['askPreRollout'], {
          ...counting,
          fallBack,
          askAgain: on('hooks', 'forgetWake'),
          retry: stay('countFailure', 'wakeNextInterval'),
          askTraffic: on('gate', 'passPreRollout'),
          raise: go('#Progressing.raising', 'passPreRollout', 'raiseTarget'),
          step: go('#Progressing.analysing', 'passPreRollout', 'takeStep'),
          awaitPods: go('#Progressing.scalingUp', 'passPreRollout'),
        }),
        gate: leaf('gate', ['askConfirmTraffic'], {
          ...counting,
          fallBack,
          askAgain: on('gate', 'forgetWake'),
          hold: stay('poll'),
          raise,
          step,
        }),
      },
    },
  };
}

/** From the first write of the primary until it has all traffic. */
function promoting() {
  const routeToPrimary = stay('routeToPrimary');
  const extend = stay('wakeForPrimary');
  return {
    writingPrimary: leaf('writingPrimary', ['askPromote'], {
      routeToPrimary,
      fallBack: go('#Progressing.scalingUp'),
      checkAgain: go('#Progressing.analysing', 'noteReadiness'),
      askAgain: on('writingPrimary', 'forgetWake'),
      advance: go('awaitingPrimary'),
      supersedeAfterRecycling,
      supersede,
      hold: stay('poll'),
    }),
    awaitingPrimary: leaf('awaitingPrimary', ['wakeAtDeadline'], { routeToPrimary, raise: go('raising', 'raisePromoted'), extend }),
    raising: leaf('raising', ['wakeAtDeadline'], {
      routeToPrimary,
      noteLost: stay('noteLost'),
      noteReached: stay('noteReached'),
      extend,
    }),
    shifting: leaf('shifting', ['wakeNextShift'], { routeToPrimary }),
  };
}

const failPromotion = go('#Failed.servingFromCanary', 'failPromotion');

const machineSetup = setup({
  types: { context: {} as Context, events: {} as DecidedEvent, input: {} as Context },
  guards: Object.fromEntries(
    Object.keys(decisions).map((decision) => [decision, ({ event }: Decided) => event.decision === decision]),
  ) as Record<Decision, (input: Decided) => boolean>,
  actions: Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [name, assign((input: Decided): Partial<Context> => change(input))]),
  ) as Record<ChangeName, ReturnType<typeof assign<Context, DecidedEvent, undefined, DecidedEvent, never>>>,
});

/**
 * The statechart of one release. First level: the phases that the status shows (`New` is the empty one); second level: the recorded
 * step; deeper levels are parts of one tick, which RESUME starts over. Print it with `serin chart`.
 */
export const chart = machineSetup.createMachine({
  id: 'release',
  context: ({ input }) => input,
  initial: 'New',
  on: { DELIVERED: { actions: ['acknowledge'] } },
  states: {
    New: { id: 'New', on: common({ advance: on('#Initializing', 'bindTarget', 'begin') }) },
    Initializing: {
      id: 'Initializing',
      initial: 'creatingPrimary',
      states: {
        creatingPrimary: leaf('creatingPrimary', ['wakeAtDeadline'], {
          raise: stay('raisePrimary'),
          advance: go('settling'),
          reportLate: stay('reportLatePrimary'),
        }),
        settling: leaf('settling', ['wakeAfterDrain'], {
          raise: stay('raisePrimary'),
          fallBack: go('creatingPrimary'),
          advance: go('takingTraffic', 'bindTarget'),
        }),
        takingTraffic: leaf('takingTraffic', [], { fallBack: go('creatingPrimary'), advance: go('draining') }),
        draining: leaf('draining', ['wakeAfterDrain'], { advance: go('#Initialized.resting', 'initialize') }),
      },
    },
    Initialized: { id: 'Initialized', initial: 'resting', states: resting('Initialized') },
    Waiting: {
      id: 'Waiting',
      initial: 'gate',
      states: {
        // One that has just refused is asked again in an interval.
        gate: leaf('gate', ['askGateUnlessPolled'], {
          ...pausing,
          noteReturn: go('#Succeeded.resting', 'noteReturn'),
          pin: go('gate', 'pin'),
          askAgain: on('gate', 'forgetWake'),
          ...next,
          hold: stay('poll'),
          rollBack,
        }),
      },
    },
    Progressing: { id: 'Progressing', on: interruptions, initial: 'scalingUp', states: { ...starting(), ...analysis('Progressing') } },
    WaitingPromotion: { id: 'WaitingPromotion', on: interruptions, initial: 'analysing', states: analysis('WaitingPromotion') },
    Promoting: {
      id: 'Promoting',
      on: common({ failPromotion, finish: go('#Finalising.returningTraffic', 'shift'), shift: go('#Promoting.shifting', 'shift') }),
      initial: 'writingPrimary',
      states: promoting(),
    },
    Finalising: {
      id: 'Finalising',
      on: common({ failPromotion }),
      initial: 'returningTraffic',
      states: returning(go('#Succeeded.resting', 'succeed'), { waits: { extend: stay('wakeForPrimary') } }),
    },
    Succeeded: {
      id: 'Succeeded',
      initial: 'resting',
      states: {
        ...returning(go('#Succeeded.resting', 'forgetCapacity'), { followed: next }),
        ...resting('Succeeded', { undo: go('undoing', 'beginUndo') }),
        undoing: leaf('undoing', ['askUndo'], { advance: go('resting', 'endUndo') }),
      },
    },
    Failed: {
      id: 'Failed',
      initial: 'resting',
      states: {
        servingFromCanary: leaf('servingFromCanary', ['wakeAfterRaise'], {
          routeToPrimary: stay('routeToPrimary'),
          advance: go('restoringPrimary'),
        }),
        restoringPrimary: leaf('restoringPrimary', ['askRestore'], {
          routeToPrimary: stay('routeToPrimary'),
          advance: go('returningTraffic', 'returnTraffic'),
          askAgain: on('restoringPrimary', 'forgetWake'),
          close: stay('closeQuestion'),
          hold: stay('poll'),
        }),
        ...returning(go('#Failed.resting', 'forgetCapacity'), { followed: next }),
        ...resting('Failed'),
      },
    },
    Terminating: { id: 'Terminating' },
    Terminated: { id: 'Terminated' },
  },
});
