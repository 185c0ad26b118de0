import type { ChangeName } from '../changes.ts';
import type { Decision } from '../decision.ts';

type Analysed = `analysing.${'soaking' | 'callingHooks' | 'measuring' | 'confirmingTraffic' | 'confirmingPromotion'}` | Unwell;
type Unwell = 'canaryUnavailable' | 'canaryRecovered';
type Starting =
  | 'recycleRouting'
  | 'recycleDraining'
  | 'recycleStopping'
  | 'scalingUp'
  | 'settling'
  | 'raising'
  | 'preRollout.hooks'
  | 'preRollout.gate';
type Idle = 'resting' | 'confirming' | 'restarting';
type Returning = 'returningTraffic' | 'draining';

/** All states of the chart: a phase, its step in the status, and a part of one interval. */
export type StateName =
  | 'New'
  | `Initializing.${'creatingPrimary' | 'settling' | 'takingTraffic' | 'draining'}`
  | `Initialized.${Idle}`
  | 'Waiting.gate'
  | `Progressing.${Starting | Analysed}`
  | `WaitingPromotion.${Analysed}`
  | `Promoting.${'writingPrimary' | 'awaitingPrimary' | 'raising' | 'shifting'}`
  | `Finalising.${Returning}`
  | `Succeeded.${Returning | Idle | 'undoing'}`
  | `Failed.${'servingFromCanary' | 'restoringPrimary' | Returning | Idle}`
  | 'Terminating'
  | 'Terminated';
/** Phases of an analysis. */
export type Analysing = 'Progressing' | 'WaitingPromotion';
/** Target of a move: a state, or a state with states inside, which begins with its first state. */
export type Place = StateName | 'Initializing' | 'Progressing.preRollout' | `${Analysing}.analysing`;

/** Effect of a decision in a state: the target, and the changes on the way. */
export interface ChartMove {
  target?: Place;
  reenter?: boolean;
  actions?: readonly ChangeName[];
}
export type Moves = Partial<Record<Decision, ChartMove>>;

/** Enters another step: its clock starts, an open question is dropped, then the changes. */
export function go(target: Place, ...actions: ChangeName[]): ChartMove {
  return { target, reenter: true, actions: ['begin', ...actions] };
}

/** Continues within a step, whose clock keeps running. */
export function on(target: Place, ...actions: ChangeName[]): ChartMove {
  return { target, reenter: true, actions };
}

/** Stays in the state; no question is put again. */
export function stay(...actions: ChangeName[]): ChartMove {
  return { actions };
}

/** Phases in which a Canary rests. */
export type Rest = 'Initialized' | 'Succeeded' | 'Failed';
export const toRest = (phase: Rest, ...actions: ChangeName[]): ChartMove => go(`${phase}.resting`, ...actions);
/** The confirm-rollout hooks decide if the pinned revision may start. */
export const confirm = (phase: Rest): ChartMove => go(`${phase}.confirming`, 'pin');
export const analyse = (phase: Analysing, ...actions: ChangeName[]): ChartMove => go(`${phase}.analysing`, ...actions);
export const withdraw = (phase: Analysing, ...actions: ChangeName[]): ChartMove => go(`${phase}.canaryUnavailable`, ...actions);
export const settle = on('Progressing.settling', 'keepClock', 'begin');
export const askBeforeTraffic = go('Progressing.preRollout', 'isolate');
export const askGateBeforeTraffic = go('Progressing.preRollout.gate', 'isolate');
/** The first primary is waited for again. */
export const createPrimary = go('Initializing.creatingPrimary');
/** The pods of the revision are waited for from the start. */
export const anew = (...actions: ChangeName[]): ChartMove => go('Progressing.scalingUp', ...actions);
const afterRecycling = (...actions: ChangeName[]): ChartMove => go('Progressing.recycleRouting', ...actions);
export const takeStep = analyse('Progressing', 'takeStep');
export const raise = (...actions: ChangeName[]): ChartMove => go('Progressing.raising', ...actions, 'raiseTarget');
export const rollBack = go('Failed.returningTraffic', 'recordRollback');
export const pausing = { pause: stay('pause'), resume: stay('resume') };
/** A newer revision while no release is in progress. */
export const next = { startAfterRecycling: afterRecycling('startRun'), start: anew('startRun') };
/** A newer revision that replaces this one. */
export const superseding = { supersede: anew('supersede'), supersedeAfterRecycling: afterRecycling('supersede') };
/** A canary that fails while a step waits for something else (E27a). */
export const counting = { countFailing: stay('countFailing') };

const promote = go('Promoting.writingPrimary', 'startPromotion');
/** Everything that ends an analysis, in any step. */
export const interruptions = {
  ...pausing,
  cancel: go('Succeeded.returningTraffic', 'cancel'),
  ...superseding,
  abort: rollBack,
  rollBack,
  skipAnalysis: promote,
  promote,
};
export type Interruptions = typeof interruptions;
export type Interruption = keyof Interruptions;
const failPromotion = go('Failed.servingFromCanary', 'failPromotion');

/** Moves of every state of a phase, unless it has its own move for the decision. */
export const shared = {
  Promoting: { failPromotion, finish: go('Finalising.returningTraffic', 'shift'), shift: go('Promoting.shifting', 'shift') },
  Finalising: { failPromotion },
};
