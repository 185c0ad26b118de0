import type { Input } from './context.ts';
import { analysis } from './decide/analysis.ts';
import { bootstrap } from './decide/bootstrap.ts';
import type { Deciders } from './decide/decider.ts';
import { ending } from './decide/ending.ts';
import { idle } from './decide/idle.ts';
import { promotion } from './decide/promotion.ts';
import { starting } from './decide/start.ts';
import type { Decision } from './decision.ts';

const { soaking, callingHooks, measuring, confirmingTraffic, confirmingPromotion, canaryUnavailable, canaryRecovered } = analysis;
const analysed: Record<string, Deciders> = {
  'analysing.soaking': soaking,
  'analysing.callingHooks': callingHooks,
  'analysing.measuring': measuring,
  'analysing.confirmingTraffic': confirmingTraffic,
  'analysing.confirmingPromotion': confirmingPromotion,
  canaryUnavailable,
  canaryRecovered,
};

/** Deciders of each state of the chart. */
export const deciders: Readonly<Record<string, Deciders>> = {
  New: bootstrap.begin,
  ...within('Initializing', {
    creatingPrimary: bootstrap.creatingPrimary,
    settling: bootstrap.settling,
    takingTraffic: bootstrap.takingTraffic,
    draining: bootstrap.draining,
  }),
  ...within('Initialized', { resting: idle.resting, confirming: idle.confirming, restarting: idle.restarting }),
  ...within('Waiting', { gate: idle.gate }),
  ...within('Progressing', {
    recycleRouting: starting.recycleRouting,
    recycleDraining: starting.recycleDraining,
    recycleStopping: starting.recycleStopping,
    scalingUp: starting.scalingUp,
    settling: starting.settling,
    raising: starting.raising,
    'preRollout.hooks': starting.preRolloutHooks,
    'preRollout.gate': starting.preRolloutGate,
    ...analysed,
  }),
  ...within('WaitingPromotion', analysed),
  ...within('Promoting', promotion),
  ...within('Finalising', { returningTraffic: ending.returningPromoted, draining: ending.drainingPromoted }),
  ...within('Succeeded', {
    returningTraffic: ending.returning,
    draining: ending.drainingCancelled,
    resting: idle.restingSucceeded,
    confirming: idle.confirming,
    undoing: idle.undoing,
    restarting: idle.restarting,
  }),
  ...within('Failed', {
    servingFromCanary: ending.servingFromCanary,
    restoringPrimary: ending.restoringPrimary,
    returningTraffic: ending.returning,
    draining: ending.drainingFailed,
    resting: idle.restingFailed,
    confirming: idle.confirming,
    restarting: idle.restarting,
  }),
};

/**
 * The one decision of a transition: what a release that is in this state (`Progressing.analysing.measuring`) does about this event. Pure.
 * The chart has one guard for each decision, and says by its moves what it means in the state.
 */
export function decide(state: string, input: Input): Decision {
  const decided = decidedBy(deciders[state] ?? {}, input);
  return decided ?? (input.event.type === 'RESUME' ? 'reenter' : 'wait');
}

function decidedBy({ first, look, answer, request, stop }: Deciders, input: Input): Decision | undefined {
  switch (input.event.type) {
    case 'RESUME':
    case 'FACTS':
    case 'WAKE':
      return first?.(input) ?? look?.(input);
    case 'ANSWER':
      return first?.(input) ?? answer?.(input);
    case 'REQUEST':
      return request?.(input);
    case 'STOP':
      return stop?.(input);
    case 'DELIVERED':
      return undefined;
    default:
      return input.event satisfies never;
  }
}

function within(phase: string, steps: Readonly<Record<string, Deciders>>): Record<string, Deciders> {
  return Object.fromEntries(Object.entries(steps).map(([step, deciders]) => [`${phase}.${step}`, deciders]));
}
