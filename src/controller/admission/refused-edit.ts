import { parseDuration } from '../../api/duration.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseStatus } from '../../api/parse-status.ts';
import type { Routes } from '../../api/routes.ts';
import { isResting } from '../../api/step.ts';
import type { JsonRecord } from '../../base/json.ts';
import { progressDeadlineMs } from '../../engine/deadlines.ts';
import type { RefusedEdit } from '../../engine/facts.ts';
import { weightOf } from '../../engine/strategy.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { Admitted, CanaryRejection } from './admission.ts';

/** The spec by which a Canary is run while its own is refused (E65). */
export interface Fallback extends Admitted {
  refused: RefusedEdit;
  /** False if the routes can only be rendered from a spec older than those in the cluster: they are written only when traffic has to move. */
  isRenderable: boolean;
}

type FallbackDeps = Pick<ControllerDeps, 'clock' | 'view'> & {
  anchors: Pick<ControllerDeps['anchors'], 'originalSpec'>;
  /** Reads the accepted specs, the newest first. */
  accepted(): Promise<readonly JsonRecord[]>;
  /** Checks an accepted spec (`known`), or a spec that is derived from the objects in the cluster (`guess`). */
  admit: Record<'known' | 'guess', (raw: KubeObject) => Promise<Admitted | CanaryRejection>>;
};

const UNKNOWN =
  'the previous spec is not stored, since it is too large, has credentials in an address, or was run by an earlier version of Serin; no check is made, and an analysis is rolled back when the progress deadline has passed';

/**
 * `undefined` if nothing has begun under another spec, or nothing of it is known: then all stays unmodified. `latest`: the previous result. A guessed spec is kept
 * until the spec of the Canary is edited again.
 */
export async function fallbackOf(
  raw: KubeObject,
  refusal: CanaryRejection,
  latest: Fallback | undefined,
  deps: FallbackDeps,
  signal: AbortSignal,
): Promise<Fallback | undefined> {
  const status = parseStatus(raw.status);
  if (status?.release === undefined || refusal.reason === 'TargetTaken') return undefined;
  for (const spec of [...(await deps.accepted()), ...(refusal.before ? [refusal.before] : [])]) {
    const known = await deps.admit.known(withSpec(raw, spec));
    if (!('reason' in known)) return { ...known, refused: refusal, isRenderable: true };
  }
  const { uid, generation } = raw.metadata;
  if (latest && latest.canary.metadata.uid === uid && latest.canary.metadata.generation === generation) {
    const again = await deps.admit.guess(withSpec(raw, latest.canary.spec));
    return 'reason' in again ? undefined : { ...latest, ...again };
  }
  // An idle Canary needs nothing, and a Canary that waits for its gate or its first primary has moved no traffic.
  if (isResting(status.release) || ['', 'Initializing', 'Waiting'].includes(status.phase)) return undefined;
  const bare = await bareFallback(raw, status.release.routes, deps, signal);
  if (bare === undefined) return undefined;
  const message = `${refusal.message}; ${UNKNOWN}`;
  const reportedAt = status.conditions?.find((one) => one.type === 'Accepted' && one.message === message)?.lastUpdateTime;
  const sinceMs = reportedAt === undefined ? deps.clock.nowMs() : Date.parse(reportedAt);
  return { ...bare, refused: { ...refusal, message, uncheckedUntilMs: sinceMs + progressDeadlineMs(bare.canary) } };
}

/** Takes the first bare spec that finds the recorded routes in the cluster, else the first that finds any routes. */
async function bareFallback(
  raw: KubeObject,
  routes: Routes,
  deps: FallbackDeps,
  signal: AbortSignal,
): Promise<Omit<Fallback, 'refused'> | undefined> {
  const found: (Omit<Fallback, 'refused'> & { score: number })[] = [];
  for (const { spec, isRenderable } of await bareSpecs(raw, deps, signal)) {
    const bare = await deps.admit.guess(withSpec(raw, spec));
    if (!('reason' in bare)) found.push({ ...bare, isRenderable, score: await likenessOf(bare, routes, deps) });
  }
  const best = Math.max(...found.map(({ score }) => score));
  return found.find(({ score }) => score === best);
}

async function likenessOf({ canary, router }: Admitted, routes: Routes, { view }: FallbackDeps): Promise<number> {
  const refs = router.watches(canary);
  await Promise.all(refs.map((ref) => view.ready(ref)));
  const live = router.readRoutes(
    canary,
    refs.flatMap((ref) => view.find(ref)?.object ?? []),
  );
  if (live === undefined || 'unreadable' in live) return 0;
  return live.kind === routes.kind && weightOf(live) === weightOf(routes) ? 2 : 1;
}

/** The emergency stop holds for every spec. */
function withSpec(raw: KubeObject, spec: JsonRecord): KubeObject {
  return { ...raw, spec: { ...spec, suspend: fieldsOf(raw.spec).suspend === true } };
}

/**
 * Specs with only the fields that are needed to route traffic to the primary: the usable fields of this spec, and the rest from the spec at the time of the
 * anchor. No check is run by them, and none is skipped.
 */
async function bareSpecs(
  raw: KubeObject,
  { anchors }: FallbackDeps,
  signal: AbortSignal,
): Promise<{ spec: JsonRecord; isRenderable: boolean }[]> {
  const spec = fieldsOf(raw.spec);
  const original = await anchors.originalSpec(raw, signal);
  const { provider, targetRef, autoscalerRef, routeRefs, service, analysis } = original ?? {};
  const first = { provider, targetRef, autoscalerRef, routeRefs };
  return [
    { spec: bare(spec, true), isRenderable: true },
    { spec: bare(spec, false), isRenderable: true },
    ...(original
      ? [
          { spec: bare({ ...spec, ...first, service: { ...fieldsOf(spec.service), name: service?.name } }, false), isRenderable: true },
          { spec: bare({ ...first, ...deadlineIn(spec), service, analysis }, false), isRenderable: false },
        ]
      : []),
  ];
}

function bare({ canaryAnalysis, ...spec }: JsonRecord, keepsUsers: boolean): JsonRecord {
  const { interval, match, sessionAffinity } = fieldsOf(spec.analysis ?? canaryAnalysis);
  return {
    ...spec,
    skipAnalysis: false,
    analysis: {
      interval: typeof interval === 'string' && parseDuration(interval) !== undefined ? interval : '1m',
      threshold: 1,
      stepWeight: 100,
      ...(keepsUsers && { match, sessionAffinity }),
    },
  };
}

function deadlineIn({ progressDeadlineSeconds: seconds }: JsonRecord): JsonRecord {
  return Number.isInteger(seconds) ? { progressDeadlineSeconds: seconds } : {};
}

function fieldsOf(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
