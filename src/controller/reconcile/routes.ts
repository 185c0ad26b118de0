import { guardMark, isGuarded } from '../../api/apex-guard.ts';
import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary } from '../../api/canary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { allToPrimary, type Routes, reachesCanary, sendsAllToPrimary } from '../../api/routes.ts';
import { isResting } from '../../api/step.ts';
import type { JsonRecord } from '../../base/json.ts';
import { mergePatchOf } from '../../base/json-merge.ts';
import { deleteFound } from '../../kube/what-was-found.ts';
import { ifExpressible, RoutingError, routerFor } from '../../routers/index.ts';
import { leavesTraffic } from '../../routers/introduction.ts';
import { withPortsOf } from '../../routers/ports.ts';
import type { Apex, Router } from '../../routers/router.ts';
import { renderServices, type ServiceRole } from '../../routers/services.ts';
import { unroutableBy } from '../admission/blocker-of.ts';
import { servicesOf } from '../admission/service-fit.ts';
import { ProviderUnavailableError, TargetUnusableError } from '../errors.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { missingField } from '../objects/drift.ts';
import { forgetWanted } from '../objects/healing-brake.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { type ReconcileContext, workloadOf } from './context.ts';
import { ensure } from './ensure-object.ts';
import { specsOfLeftRoutes } from './former-specs.ts';
import { ensureIntroduced, ensureRoute, type RenderedFrom } from './introduced-routes.ts';
import type { SideName } from './ordered-writes.ts';
import { combined, HELD, type Outcome, PENDING, retryIn, WRITTEN } from './outcome.ts';

/** A route that cannot be written is corrected by its owner, possibly without a watch event. */
const TRY_AGAIN_MS = 15_000;
/** Checks need not wait for the name (E63). */
const MISNAMED: NewBlocker = { code: 'RouteUnconfirmed', detail: 'the primary names a revision that is not found' };

export async function ensureServices(
  context: ReconcileContext,
  apex: Apex,
  { roles, apexOnPrimary, serving }: { roles: readonly ServiceRole[]; apexOnPrimary: boolean; serving: Record<SideName, boolean> },
): Promise<Outcome> {
  const { canary, view, trafficFields, leftPorts } = context;
  if (!workloadOf(canary).hasPods) return HELD;
  const { namespace } = canary.metadata;
  const own = names(canary);
  // An object that cannot be seen could exist, and belong to another owner.
  await refuseUnavailable(view, { apiVersion: 'v1', kind: 'Service', name: own.apexService, namespace });
  const current = servicesOf(canary, view);
  const ports = withPortsOf(apex.ports, Object.values(current), (port) => leftPorts.isLedTo(context, port));
  const rendered = renderServices(canary, { ...apex, ports }, current, { apexOnPrimary, roles });
  if ('error' in rendered) throw new TargetUnusableError(rendered.error, { field: 'spec.service.headless' });
  let outcome = leftPorts.outcome();
  for (const each of rendered.write) {
    const takenOver = each.metadata.name === own.apexService;
    const live = view.find(refOf(each))?.object;
    const service = takenOver && apexOnPrimary && live ? guarded(context, each, live) : each;
    const write = async (writable: KubeObject) => {
      outcome = combined(outcome, await ensure(context, writable, { takenOver, isRoute: true }));
    };
    const side = service.metadata.name === own.canaryService ? 'target' : 'primary';
    // The endpoints of a side that does not serve say nothing, and traffic that has to leave it must not wait for them.
    const waitsForEndpoints = takenOver || serving[side];
    const isNews = await trafficFields.write(service, live, context.nowMs, (wanted) =>
      waitsForEndpoints ? context.serviceGuard.write(context, { wanted, live, side }, () => write(wanted)) : write(wanted),
    );
    // The condition follows at once.
    if (isNews) outcome = combined(outcome, WRITTEN);
  }
  return outcome;
}

/** Marked, where a release is under way, or another difference has to be written: an idle Canary writes nothing for the sake of the mark (I8). */
function guarded({ canary }: ReconcileContext, service: KubeObject, live: KubeObject): KubeObject {
  const { selector } = specOf<ServiceSpec>(service);
  const isWritten = !isResting(canary.status?.release) || missingField({ selector }, live.spec) !== undefined;
  if (!isWritten && !isGuarded(live)) return service;
  const { metadata } = service;
  return { ...service, metadata: { ...metadata, annotations: { ...metadata.annotations, ...guardMark(live) } } };
}

/** Ensures the objects that the pods of either side need before they can start. */
export async function ensurePrepared(context: ReconcileContext, apex: Apex): Promise<Outcome> {
  const { canary, router } = context;
  if (!router.prepare) return HELD;
  await refuseUnseenRoutes(context);
  return ensureEach(context, router.prepare(canary, apex), { router, current: currentRoutes(context, router, canary) });
}

async function ensureEach(context: ReconcileContext, objects: readonly KubeObject[], from: RenderedFrom): Promise<Outcome> {
  let outcome = HELD;
  for (const object of objects) outcome = combined(outcome, await ensureRoute(context, object, from));
  return outcome;
}

async function refuseUnseenRoutes({ canary, router, view }: ReconcileContext): Promise<void> {
  for (const ref of router.watches(canary)) await refuseUnavailable(view, ref);
}

async function refuseUnavailable(view: ClusterView, object: ObjectRef): Promise<void> {
  await view.ready(object);
  const unavailable = view.unavailable(object);
  if (unavailable !== undefined) throw new ProviderUnavailableError({ ...unavailable, object });
}

export async function ensureRoutes(context: ReconcileContext, apex: Apex, routes: Routes): Promise<Outcome> {
  const { canary, router, view, writtenSpec, anchors, config, nowMs, signal } = context;
  await refuseUnseenRoutes(context);
  const primary = view.find(primaryRefOf(canary));
  // A route to nothing serves no one, and would bring in the name that is about to be restored.
  if (primary && workloadOf(canary).isMisnamed?.(primary.object, view))
    return { ...PENDING, unconfirmed: { ...MISNAMED, object: primaryRefOf(canary) } };
  let outcome = await ensureLeftRoutes(context, apex, routes);
  let refusal: Awaited<ReturnType<typeof writtenSpec.write>>;
  try {
    const attempt = async (writable: Canary) => {
      outcome = combined(outcome, await handBack(context, writable, routes));
      const current = currentRoutes(context, router, canary);
      const { write, remove } = router.render(writable, apex, routes, current);
      const from = { router, current, routes };
      for (const object of write)
        outcome = combined(outcome, isUnsurveyed(context, object) ? PENDING : await ensureIntroduced(context, object, from));
      for (const ref of remove) outcome = combined(outcome, await removeRoute(context, findObject(current, ref)));
    };
    const stored = () => anchors.acceptedSpecs(canary, signal);
    refusal = await writtenSpec.write(canary, { nowMs, config, attempt, stored });
  } catch (error) {
    // At initialization nothing goes on before it is corrected; a release that is under way has a deadline for it.
    if (!(error instanceof RoutingError) || (canary.status?.phase || 'Initializing') === 'Initializing') throw error;
    return combined(outcome, { ...retryIn(TRY_AGAIN_MS), unroutable: unroutableBy(error) });
  }
  outcome = combined(outcome, missingRoutes(context, routes));
  if (refusal) {
    const { blocker, untilMs } = refusal;
    const { object } = blocker;
    const unconfirmed = { code: 'RouteUnconfirmed', ...(object && { object }), detail: blockerText(blocker) } as const;
    return combined(outcome, { ...retryIn(Math.max(0, untilMs - nowMs)), refused: blocker, unconfirmed });
  }
  const current = currentRoutes(context, router, canary);
  if (router.isInForce?.(canary, current) !== false) return outcome;
  const said = router.rejection?.(canary, current) ?? { detail: 'the traffic provider has not taken over the routes yet' };
  return combined(outcome, { ...PENDING, unconfirmed: { code: 'RouteUnconfirmed', ...said } });
}

/** Hands a route that is ours whole back to its user, who requested it, in one write, when proxies know the Services that it leads to. */
async function handBack(context: ReconcileContext, canary: Canary, routes: Routes): Promise<Outcome> {
  const { router, cluster, view, annotations, introductions, signal } = context;
  const asked = router.handedBack?.(canary, routes, currentRoutes(context, router, canary));
  if (asked === undefined) return HELD;
  const ref = refOf(asked);
  const key = refKey(ref);
  const waitMs = introductions.waitMs(key);
  if (waitMs > 0) return retryIn(waitMs);
  // The user's last apply is newer than what we kept, and the view does not have it.
  const live = await cluster.get(ref, { signal });
  const wanted = live && router.handedBack?.(canary, routes, [live]);
  if (!wanted) return HELD;
  const next = nextOnTheWay(live, wanted, router.introduction?.(canary, wanted, [live]), introductions.stepsOf(key));
  const { resourceVersion } = live.metadata;
  const { metadata, spec } = mergePatchOf(live, next) as { metadata?: object; spec?: object };
  const written = await cluster.patch(ref, { metadata: { ...metadata, resourceVersion }, ...(spec && { spec }) }, { signal });
  if (next === wanted) introductions.ended(key);
  else introductions.tookStep(key);
  forgetWanted(context, key);
  view.learn(written);
  annotations.wrote(context, written);
  return WRITTEN;
}

/** The route in place, which first announces the Services of the wanted one; then that one, which first keeps what proxies must not forget. */
function nextOnTheWay(live: KubeObject, wanted: KubeObject, step: KubeObject | undefined, stepsTaken: number): KubeObject {
  if (step === undefined) return wanted;
  if (!leavesTraffic(step, wanted)) return step;
  return stepsTaken === 0 ? withRulesOf(live, step, wanted) : wanted;
}

/** The route in place with the fields by which a step to another one is announced. */
function withRulesOf(live: KubeObject, step: KubeObject, wanted: KubeObject): KubeObject {
  const [announced, others] = [specOf<JsonRecord>(step), specOf<JsonRecord>(wanted)];
  const rules = Object.entries(announced).filter(([field, value]) => value !== others[field]);
  return { ...live, spec: { ...specOf<JsonRecord>(live), ...Object.fromEntries(rules) } };
}

/** Routes that cannot be written at all, where none of them has to reach the canary now. */
function missingRoutes(context: ReconcileContext, routes: Routes): Outcome {
  const { canary, router } = context;
  const missing = reachesCanary(routes) ? undefined : router.missing?.(canary, currentRoutes(context, router, canary));
  if (missing === undefined) return HELD;
  // Reconciles again in time for the deadline of a release.
  const isReleasing = !isResting(canary.status?.release);
  return { ...HELD, unroutable: unroutableBy(missing), ...(isReleasing && { retryInMs: TRY_AGAIN_MS }) };
}

function currentRoutes({ view, annotations, config }: ReconcileContext, router: Router, canary: Canary): KubeObject[] {
  const watched = router.watches(canary);
  const own = watched.flatMap((ref) => {
    const seen = view.find(ref);
    return seen ? annotations.restored({ canary, config }, seen.object) : [];
  });
  const isWatched = new Set(watched.map(refKey));
  const surveys = (router.surveys?.(canary) ?? []).filter((survey) => view.isListed(survey));
  const surveyed = surveys.flatMap((survey) => view.survey(survey));
  return [...own, ...surveyed.filter((object) => !isWatched.has(refKey(refOf(object))))];
}

/** Depends on objects of users that are not listed yet: the object is not written before they are, and no other write waits for it. */
function isUnsurveyed({ canary, router, view }: ReconcileContext, { kind }: KubeObject): boolean {
  return (router.surveys?.(canary) ?? []).some((survey) => survey.kind === kind && !view.isListed(survey));
}

async function removeRoute(context: ReconcileContext, found: KubeObject | undefined): Promise<Outcome> {
  const { view, cluster, signal } = context;
  if (!found) return HELD;
  await deleteFound(found, cluster, { signal });
  forgetWanted(context, refKey(refOf(found)));
  view.forget(found);
  return WRITTEN;
}

/**
 * Routes of a provider or name that the Canary had before an edit, where they hold a share: they follow the release to its end, or requests
 * would go on to a canary that is scaled down (I5).
 */
async function ensureLeftRoutes(context: ReconcileContext, apex: Apex, routes: Routes): Promise<Outcome> {
  const { canary, view, config } = context;
  let outcome = HELD;
  for (const before of specsOfLeftRoutes(canary)) {
    const router = routerFor(before.spec.provider ?? config.meshProvider, config);
    if ('unsupported' in router) continue;
    await Promise.all([...router.watches(before), ...(router.surveys?.(before) ?? [])].map((ref) => view.ready(ref)));
    const current = currentRoutes(context, router, before);
    const live = router.readRoutes(before, current);
    if (live === undefined || 'unreadable' in live || sendsAllToPrimary(live)) continue;
    // A provider that cannot express these routes has all traffic at the primary.
    const { write } =
      ifExpressible(() => router.render(before, apex, routes, current)) ?? router.render(before, apex, allToPrimary, current);
    outcome = combined(outcome, await ensureEach(context, write, { router, current }));
  }
  return outcome;
}
