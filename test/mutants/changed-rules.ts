/** A rule of the engine changed as a plausible edit would change it. A test has to find it, and to name the rule. */
export interface ChangedRule {
  name: string;
  /** Id in SPEC.md: the title of a test that fails has it. */
  rule: string;
  /** In src/engine. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

/** `npm run test:changed-rules` makes each change by itself, in memory, and runs the tests of the engine. */
export const changedRules: readonly ChangedRule[] = [
  {
    name: 'failed checks decay by one after ten passes',
    rule: 'L1',
    file: 'changes/checks.ts',
    find: `
    return {
      ...news,
      release: {
        ...known,
`,
    replace: `
    const { passes = 0 } = known as { passes?: number };
    const inARow = judgement(input) === '' ? passes + 1 : 0;
    const isForgiven = inARow === 10;
    return {
      ...news,
      release: {
        ...known,
        ...{ passes: isForgiven ? 0 : inARow },
        failedChecks: Math.max(0, known.failedChecks - (isForgiven ? 1 : 0)),
`,
  },
  {
    name: 'a release ends one failed check after its threshold',
    rule: 'L7',
    file: 'conditions/failed-checks.ts',
    find: 'context.release.failedChecks + 1 >= thresholdOf',
    replace: 'context.release.failedChecks >= thresholdOf',
  },
  {
    name: 'every second element of stepWeights is skipped',
    rule: 'L2',
    file: 'next-weight.ts',
    find: 'steps.find((one) => one > current) ?? undefined',
    replace: 'steps.filter((one) => one > current).at(1) ?? max',
  },
  {
    name: 'the progress deadline counts from the begin of the release',
    rule: 'E1',
    file: 'conditions/time.ts',
    find: 'return isOver(input, input.context.release.stepStartedMs);',
    replace: 'return isOver(input, input.context.release.startedMs);',
  },
  {
    name: 'a stalled rollout that is seen together with a passed answer counts as a failed check',
    rule: 'L8',
    file: 'changes/ends.ts',
    find: 'const counted = !isAborted && (isJudged',
    replace: 'const counted = (isJudged',
  },
  {
    name: 'the ending of the last release stays when the next one begins',
    rule: 'D14',
    file: 'changes/revisions.ts',
    find: "    'ending',\n",
    replace: '',
  },
  {
    name: 'pre-rollout hooks are not asked again for the next revision',
    rule: 'L10',
    file: 'changes/revisions.ts',
    find: "'verdicts', 'preRolloutPassed', 'awaitedSinceMs'",
    replace: "'verdicts', 'awaitedSinceMs'",
  },
  {
    name: 'confirm-traffic-increase is not asked at the last weight',
    rule: 'E81',
    file: 'states/analysing.ts',
    find: "input.context.recorded?.phase === 'Progressing') return 'confirmTraffic'",
    replace: "input.context.recorded?.phase === 'Progressing' && moveAfter(input).kind === 'step') return 'confirmTraffic'",
  },
  {
    name: "the primary's cookie is kept when the weight moves",
    rule: 'E19',
    file: 'strategy.ts',
    find: 'const known = percent === weightOf(routes) ? routes : withoutPrimaryCookie(routes);',
    replace: 'const known = routes;',
  },
  {
    name: 'pods drain for half the scale-down delay',
    rule: 'L12',
    file: 'conditions/time.ts',
    find: 'facts.nowMs >= context.release.stepStartedMs + facts.scaleDownDelayMs',
    replace: 'facts.nowMs >= context.release.stepStartedMs + facts.scaleDownDelayMs / 2',
  },
  {
    name: 'the failed checks of a superseded revision count for the next one',
    rule: 'L1',
    file: 'changes/revisions.ts',
    find: 'failedChecks: 0,',
    replace: 'failedChecks: from.failedChecks,',
  },
  {
    name: 'the time of a pause counts against the deadlines',
    rule: 'E71',
    file: 'changes/verbs.ts',
    find: '=> ms + nowMs - Math.max(ms, pause.sinceMs)',
    replace: '=> ms',
  },
  {
    name: 'unmeasured: hold counts a failed check',
    rule: 'E22',
    file: 'judge-checks.ts',
    find: '...(holds ? [] : unmeasured)',
    replace: '...unmeasured',
  },
  {
    name: 'a failureLimit ends the release one failure early',
    rule: 'E20b',
    file: 'failure-limits.ts',
    find: 'count > limit)',
    replace: 'count >= limit)',
  },
  {
    name: 'a gate that opens promotes a canary below its ready threshold',
    rule: 'E80',
    file: 'conditions/sides.ts',
    find: 'return !isHeldUp(input) && isTargetReady(input) && isPrimaryReady(input);',
    replace: 'return !isHeldUp(input) && !isTargetDown(input) && isPrimaryReady(input);',
  },
  {
    name: 'the mirror step is left out',
    rule: 'L2',
    file: 'strategy.ts',
    find: "release.routes.kind === 'weighted' && current === 0;",
    replace: "release.routes.kind === 'weighted' && current < 0;",
  },
  {
    name: 'news are given up after a minute',
    rule: 'L13',
    file: 'deadlines.ts',
    find: 'const NEWS_LIFETIME_MS = 15 * 60_000;',
    replace: 'const NEWS_LIFETIME_MS = 60_000;',
  },
  {
    name: 'the time of a blocker counts against the deadline of the step',
    rule: 'E9',
    file: 'pipeline.ts',
    find: 'stepStartedMs: facts.nowMs,',
    replace: 'stepStartedMs: context.release.stepStartedMs,',
  },
  {
    name: 'a fix waits until the pods of the failed revision are scaled down',
    rule: 'E50a',
    file: 'states/draining.ts',
    find: 'if (!isNewAndFree(input)) return advance(input);',
    replace: 'if (!isNewAndFree(input) || advance(input) === undefined) return advance(input);',
  },
  {
    name: 'rollback hooks are not asked while the release waits for its promotion',
    rule: 'E82',
    file: 'rollback-poll.ts',
    find: "(phase === 'Progressing' || phase === 'WaitingPromotion') && hasHooks(canary, 'rollback')",
    replace: "phase === 'Progressing' && hasHooks(canary, 'rollback')",
  },
  {
    name: 'stepWeightPromotion shifts two steps at once',
    rule: 'E43',
    file: 'next-weight.ts',
    find: 'Math.max(0, current - step)',
    replace: 'Math.max(0, current - 2 * step)',
  },
  {
    name: 'an A/B release runs one iteration more',
    rule: 'L2',
    file: 'strategy.ts',
    find: 'if (release.iterations >= iterationsOf(canary)) return',
    replace: 'if (release.iterations > iterationsOf(canary)) return',
  },
  {
    name: 'a release is held without measurements for twice the deadline',
    rule: 'E22a',
    file: 'deadlines.ts',
    find: 'return blindSinceMs + progressDeadlineMs(canary);',
    replace: 'return blindSinceMs + 2 * progressDeadlineMs(canary);',
  },
  {
    name: 'a crash after readiness is not counted',
    rule: 'E27a',
    file: 'failing.ts',
    find: 'return pods.crashes > failing.crashes || pods.lost > failing.lost ||',
    replace: 'return pods.lost > failing.lost ||',
  },
  {
    name: 'each wait of an unready canary begins at zero',
    rule: 'E27b',
    file: 'failing.ts',
    find: 'unreadyMs: left.unreadyMs + Math.max(0, atMs - unreadySinceMs)',
    replace: 'unreadyMs: 0',
  },
  {
    name: 'a failing of the canary is counted at once, again and again',
    rule: 'L14',
    file: 'failing.ts',
    find: 'Number.POSITIVE_INFINITY) + intervalMs;',
    replace: 'Number.POSITIVE_INFINITY) + intervalMs / 10;',
  },
];

if (import.meta.main) {
  const { runChangedRules } = await import('./run-changed-rules.ts');
  process.exitCode = await runChangedRules(changedRules, process.argv.slice(2));
}
