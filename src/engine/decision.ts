/**
 * Everything that a step can decide to do next. What it means in detail is the move that the chart has for it in that step; `decide`
 * says which one it is.
 */
export const decisions = {
  wait: 'Nothing can be done yet',
  reenter: 'The controller starts, or a blocker is gone: the step asks again and sets its wake again',
  advance: 'The work of this step is done: the next one begins',
  fallBack: 'A side is not ready any more: an earlier step waits for its pods',
  extend: 'Pods still make progress: the step waits longer',
  reportLate: 'The first primary is not ready at the deadline: report it and go on waiting',

  noteReturn: 'The target is back at the promoted revision before anything started',
  pin: 'The target is another revision, or has read other configs: record what it is now',
  start: 'Start the release of a new revision',
  startAfterRecycling: 'Start it after the pods that read other configs are gone',
  supersede: 'A newer revision takes the place of this one',
  supersedeAfterRecycling: 'The same after the pods that read other configs are gone',
  cancel: 'The target is back at the promoted revision: end the release',

  askHooks: 'Call the pre-rollout or rollout hooks',
  askTraffic: 'Ask the confirm-traffic-increase hooks',
  askPromotion: 'Ask the confirm-promotion hooks',
  askAgain: 'Ask the question of this step again',
  measure: 'Measure the metrics',
  checkAgain: 'Check the canary again before anything else',
  close: 'The answer changes nothing: the facts will show what came of it',

  retry: 'A check failed: count it and try again',
  countFailing: 'The canary failed since the last check: count it as a failed check',
  noteHeld: 'Another writer has changed the routes back: this interval does not count',
  hold: 'A closed gate, a refused write or an unmeasured check: ask again in an interval, count nothing',
  holdUp: 'The checks passed, or could not be measured by contested routes, but the spec is refused or the routes are not in force',
  awaitPrimary: 'The checks passed, but the primary is not ready',
  awaitCanary: 'The checks passed, but the canary is below its ready threshold',
  awaitEvidence: 'The checks passed, but it is not shown yet that the canary is as good as the primary',
  awaitPods: 'The pre-rollout hooks passed, but a side is not ready or nothing may advance',

  raise: 'A side needs more pods before it gets more traffic',
  noteReached: 'The side has the pods that it needs',
  noteLost: 'The side had the pods that it needs, and lost some',
  step: 'Take the next step of the strategy',
  promote: 'The analysis is complete, or promotion was asked for',
  skipAnalysis: 'Promote without an analysis: spec.skipAnalysis is true',
  shift: 'Route the next part of the traffic to the promoted primary',
  finish: 'Route the rest of the traffic to the promoted primary',

  withdrawTraffic: 'The canary has no serving pods: route its traffic to the primary until it recovers',
  routeToPrimary: 'Route all traffic to the primary',
  routeSome: 'Route as much traffic to the primary as its ready pods can bear',
  rollBack: 'Roll back: failed checks, a deadline, or a request',
  abort: 'Roll back: the canary is stalled, or can neither be checked nor reached',
  giveUp: 'Roll back: pods of the last revision do not stop, and no traffic has to move',
  failPromotion: 'The primary cannot run the promoted revision: serve from the canary and restore the primary',

  pause: 'Pause, as asked for',
  resume: 'Resume, as asked for',
  undo: 'Undo the last promotion, as asked for',
  restart: 'Restart the pods of the primary, as asked for',
} as const;
export type Decision = keyof typeof decisions;
