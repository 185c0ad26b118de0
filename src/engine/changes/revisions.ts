import type { Release } from '../../api/canary-status.ts';
import { imageChangeText } from '../../api/container-image.ts';
import { reachesCanary } from '../../api/routes.ts';
import { defined } from '../../base/defined.ts';
import type { ReleaseAlert } from '../alerts.ts';
import { isUnread } from '../conditions/revision.ts';
import type { Input } from '../context.ts';
import { cancelledEnding, supersededEnding } from '../ending.ts';
import { withRevision } from '../pin.ts';
import { holdingPrimary, podsAtStart, returningTraffic, withoutCapacity } from '../raise.ts';
import { say } from '../reasons.ts';
import { releaseChange } from '../release-change.ts';
import { routesToPrimary } from '../strategy.ts';
import { announce, because, now, pinned, primaryServes, targetName, who, without } from './change.ts';
import { withAlert, withEnding } from './listed-messages.ts';

/** The revision of the release: bound, started, superseded or cancelled. */
export const revisions = {
  bindTarget: (input: Input) => ({ release: pinned(input, input.context.release) }),
  reportLatePrimary: (input: Input) => {
    const { canary, target } = input.event.facts;
    const { kind, name } = canary.spec.targetRef;
    const message =
      target === undefined
        ? `Primary is not made: ${kind} ${name} of spec.targetRef does not exist in namespace ${canary.metadata.namespace}; create it there, or correct spec.targetRef`
        : `Primary of ${kind} ${name} is not ready yet; ${name} keeps serving until it is`;
    return {
      ...announce(input, say('PrimaryDelayed', message, { warning: true })),
      release: because(input.context.release, message),
      wakeAtMs: undefined,
    };
  },
  initialize: (input: Input) => {
    const { release: known } = input.context;
    const { primary, target } = input.event.facts;
    // The primary serves the revision that another controller left in it: a target with another revision is released (E3).
    const revision = known.promotedRevision ?? primary?.carries ?? target?.revision ?? known.revision;
    const message = `${who(input)} is initialized: its primary serves`;
    const commit = revision === target?.revision ? target.commit : undefined;
    const serving = { ...withRevision(without(withoutCapacity(known), 'commit'), revision), promotedRevision: revision };
    const initialized = { ...serving, ...defined({ commit }) };
    return {
      ...announce(input, say('Initialized', message)),
      release: withAlert(input, initialized, { reason: 'Initialized', severity: 'info', message, isDetailed: true }),
    };
  },

  /** A gate decides from here on, also about a retry that was noted. */
  pin: (input: Input) => ({ release: without(pinned(input, input.context.release), 'retry') }),
  /** No pod has read the configs yet, so pods will read the present ones. */
  pinUnread: (input: Input) => (isUnread(input) ? { release: pinned(input, input.context.release) } : {}),
  noteReturn: (input: Input) => {
    const returned = without(pinned(input, input.context.release), 'gate', 'paused', 'retry');
    // The target now has the promoted revision, not a revision that has failed earlier.
    return { release: input.context.recorded?.phase === 'Waiting' ? without(returned, 'ending') : returned };
  },
  startRun: (input: Input) => {
    const begun = fresh(input, without(pinned(input, input.context.release), 'paused'));
    const othersUntilMs = restingSince(input);
    const started = { ...begun, ...(othersUntilMs === undefined ? {} : { othersUntilMs }) };
    const alert = beginning(input);
    return {
      ...announce(input, say('NewRevision', `${alert.message}${imagesIn(started)}`)),
      release: withAlert(input, started, alert),
    };
  },
  supersede: (input: Input) => {
    const { release: old } = input.context;
    const isNewer = input.event.facts.target !== undefined && input.event.facts.target.revision !== old.revision;
    const ended = isNewer ? withEnding(input, old, 'superseded', supersededEnding(input), ofCommit('Superseded')) : old;
    const begun = fresh(input, pinned(input, ended));
    return { release: withAlert(input, begun, { ...beginning(input), isOfCommit: true }), open: undefined, wakeAtMs: undefined };
  },
  cancel: (input: Input) => {
    const ended = withEnding(input, input.context.release, 'cancelled', cancelledEnding(input), ofCommit('Cancelled'));
    return {
      release: returningTraffic(
        input,
        without(pinned(input, ended), 'heldRoutes', 'gate', 'blindSinceMs', 'paused', 'failing'),
        primaryServes(input),
      ),
    };
  },
};

const beginning = (input: Input): ReleaseAlert => ({
  reason: 'NewRevision',
  severity: 'info',
  message: `New revision of ${targetName(input)} found, its release begins`,
  isDetailed: true,
});

/** No alert for users: their next one says the same. A commit that is marked as progressing would stay so. */
const ofCommit = (reason: 'Superseded' | 'Cancelled') => ({ reason, severity: 'info', isOfCommit: true }) as const;

/** The images that the release changes, to follow a message. */
function imagesIn({ change }: Release): string {
  const images = change?.images ?? [];
  return images.length === 0 ? '' : `: ${images.map(imageChangeText).join(', ')}`;
}

const OF_ONE_RUN = [
  ...(['gate', 'reason', 'wakeAtMs', 'heldRoutes', 'heldPods', 'verdicts', 'preRolloutPassed', 'awaitedSinceMs', 'blindSinceMs'] as const),
  ...([
    'ending',
    'recent',
    'comparison',
    'awaitedEvidence',
    'weights',
    'failures',
    'failing',
    'measuredFromMs',
    'othersUntilMs',
    'shiftedMs',
    'scaledDownUid',
    'change',
    'commit',
    'retry',
  ] as const),
];

function fresh(input: Input, from: Release): Release {
  const routes = primaryServes(input) ? routesToPrimary(from.routes) : from.routes;
  // Pods of a revision without a judgement get no more traffic, so the primary is scaled up but not waited for.
  const held = podsAtStart(input, reachesCanary(from.routes) ? holdingPrimary(input, from) : withoutCapacity(from));
  const change = releaseChange(input);
  const commit = input.event.facts.target?.commit;
  return {
    ...without(held, ...OF_ONE_RUN),
    ...defined({ change, commit }),
    run: from.run + 1,
    routes,
    failedChecks: 0,
    iterations: 0,
    startedMs: now(input),
    stepStartedMs: now(input),
    confirmed: true,
  };
}

/** The last revision had its last requests when its pods stopped, and proxies learned of that no later than of a route (E20a). */
function restingSince({ context, event }: Input): number | undefined {
  if (event.facts.target?.replicas !== 0) return undefined;
  return Math.min(event.facts.nowMs, (context.recorded?.release.stepStartedMs ?? event.facts.nowMs) + event.facts.scaleDownDelayMs);
}
