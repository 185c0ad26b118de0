import type { Phase } from '../../api/phase.ts';
import { callingHooks, checkMoves, confirmingPromotion, confirmingTraffic, measuring, soaking } from './analysing.ts';
import { restartingIn, undoing } from './asked-for.ts';
import { awaitingPrimary, raisingPrimary, shifting } from './awaiting-primary.ts';
import { begin } from './begin.ts';
import { canaryRecovered } from './canary-recovered.ts';
import { canaryUnavailable } from './canary-unavailable.ts';
import { confirmingIn, gate } from './confirming.ts';
import { creatingPrimary, settlingPrimary } from './creating-primary.ts';
import { drainingCancelled, drainingFailed, drainingFirst, drainingPromoted } from './draining.ts';
import { interruptions, type Moves, type Place, type StateName, shared } from './moves.ts';
import { preRolloutGate, preRolloutHooks } from './pre-rollout.ts';
import { raising } from './raising.ts';
import { recycleDraining, recycleRouting, recycleStopping } from './recycling.ts';
import { restingFailed, restingInitialized, restingSucceeded } from './resting.ts';
import { restoringPrimary, servingFromCanary } from './restoring-primary.ts';
import { returningFrom, returningPromoted } from './returning-traffic.ts';
import { scalingUp } from './scaling-up.ts';
import { settling } from './settling.ts';
import type { State } from './state.ts';
import { takingTraffic } from './taking-traffic.ts';
import { terminating } from './terminating.ts';
import { writingPrimary } from './writing-primary.ts';

/** All states of the chart, in the order in which `serin chart` draws them. */
export const states: Readonly<Record<StateName, State>> = {
  New: begin,
  'Initializing.creatingPrimary': creatingPrimary,
  'Initializing.settling': settlingPrimary,
  'Initializing.takingTraffic': takingTraffic,
  'Initializing.draining': drainingFirst,
  'Initialized.resting': restingInitialized,
  'Initialized.confirming': confirmingIn('Initialized'),
  'Initialized.restarting': restartingIn('Initialized'),
  'Waiting.gate': gate,
  'Progressing.recycleRouting': recycleRouting,
  'Progressing.recycleDraining': recycleDraining,
  'Progressing.recycleStopping': recycleStopping,
  'Progressing.scalingUp': scalingUp,
  'Progressing.settling': settling,
  'Progressing.raising': raising,
  'Progressing.preRollout.hooks': preRolloutHooks,
  'Progressing.preRollout.gate': preRolloutGate,
  'Progressing.analysing.soaking': soaking('Progressing'),
  'Progressing.analysing.callingHooks': callingHooks('Progressing'),
  'Progressing.analysing.measuring': measuring('Progressing'),
  'Progressing.analysing.confirmingTraffic': confirmingTraffic('Progressing'),
  'Progressing.analysing.confirmingPromotion': confirmingPromotion('Progressing'),
  'Progressing.canaryUnavailable': canaryUnavailable('Progressing'),
  'Progressing.canaryRecovered': canaryRecovered('Progressing'),
  'WaitingPromotion.analysing.soaking': soaking('WaitingPromotion'),
  'WaitingPromotion.analysing.callingHooks': callingHooks('WaitingPromotion'),
  'WaitingPromotion.analysing.measuring': measuring('WaitingPromotion'),
  'WaitingPromotion.analysing.confirmingTraffic': confirmingTraffic('WaitingPromotion'),
  'WaitingPromotion.analysing.confirmingPromotion': confirmingPromotion('WaitingPromotion'),
  'WaitingPromotion.canaryUnavailable': canaryUnavailable('WaitingPromotion'),
  'WaitingPromotion.canaryRecovered': canaryRecovered('WaitingPromotion'),
  'Promoting.writingPrimary': writingPrimary,
  'Promoting.awaitingPrimary': awaitingPrimary,
  'Promoting.raising': raisingPrimary,
  'Promoting.shifting': shifting,
  'Finalising.returningTraffic': returningPromoted,
  'Finalising.draining': drainingPromoted,
  'Succeeded.returningTraffic': returningFrom('Succeeded'),
  'Succeeded.draining': drainingCancelled,
  'Succeeded.resting': restingSucceeded,
  'Succeeded.confirming': confirmingIn('Succeeded'),
  'Succeeded.restarting': restartingIn('Succeeded'),
  'Succeeded.undoing': undoing,
  'Failed.servingFromCanary': servingFromCanary,
  'Failed.restoringPrimary': restoringPrimary,
  'Failed.returningTraffic': returningFrom('Failed'),
  'Failed.draining': drainingFailed,
  'Failed.resting': restingFailed,
  'Failed.confirming': confirmingIn('Failed'),
  'Failed.restarting': restartingIn('Failed'),
  Terminating: terminating,
  Terminated: terminating,
};

/** First state of each phase, also used for an unknown step in a status (of an older Serin, or edited by hand). */
const FIRST: Readonly<Record<Exclude<Phase, ''> | 'New', StateName>> = {
  New: 'New',
  Initializing: 'Initializing.creatingPrimary',
  Initialized: 'Initialized.resting',
  Waiting: 'Waiting.gate',
  Progressing: 'Progressing.scalingUp',
  WaitingPromotion: 'WaitingPromotion.analysing.soaking',
  Promoting: 'Promoting.writingPrimary',
  Finalising: 'Finalising.returningTraffic',
  Succeeded: 'Succeeded.resting',
  Failed: 'Failed.resting',
  Terminating: 'Terminating',
  Terminated: 'Terminated',
};

/** First part of each step with several parts. */
export const FIRST_PARTS = { preRollout: 'hooks', analysing: 'soaking' } as const;

/** Moves of a phase, or of a step with several parts, for all states in it. */
export const around: Readonly<Partial<Record<Phase | Place, Moves>>> = {
  Progressing: interruptions,
  'Progressing.analysing': checkMoves('Progressing'),
  WaitingPromotion: interruptions,
  'WaitingPromotion.analysing': checkMoves('WaitingPromotion'),
  ...shared,
};

/** The first state of a phase. */
export const firstOf = (phase: Phase): StateName => FIRST[phase === '' ? 'New' : phase];

export const isStateName = (name: string): name is StateName => Object.hasOwn(states, name);
