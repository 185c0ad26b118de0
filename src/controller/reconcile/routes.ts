import { blockerText } from '../../api/blocker-text.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { allToPrimary, isAtHome, type Routes, reachesCanary } from '../../api/routes.ts';
import type { Intent } from '../../engine/intent.ts';
import { RoutingError, routerFor } from '../../routers/index.ts';
import type { Apex, Router } from '../../routers/router.ts';
import { renderServices } from '../../routers/services.ts';
import { ProviderUnavailableError, TargetUnusableError } from '../errors.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { ensure } from '../objects/ensure-object.ts';
import { unroutableBy } from '../status/blocker-of.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { type ReconcileContext, type Reconciled, retryIn, workloadOf } from './context.ts';
import { specsOfLeftRoutes } from './former-specs.ts';

/** A route that cannot be written is corrected by its owner, possibly without a watch event. */
const TRY_AGAIN_MS = 15_000;

export type Role = 'apex' | 'primary' | 'canary';

export async function ensureServices(
  context: ReconcileContext,
  apex: Apex,
  { roles, apexOnPrimary }: { roles: readonly Role[]; apexOnPrimary: boolean },
  done: Reconciled,
): Promise<void> {
  const { canary, view, trafficFields, nowMs } = context;
  if (!workloadOf(canary).hasPods) return;
  const { namespace } = canary.metadata;
  const own = names(canary);
  // What cannot be seen must not be taken for missing: it stands, and may be somebody else's.
  await refuseUnavailable(view, { apiVersion: 'v1', kind: 'Service', name: own.apexService, namespace });
  const find = (name: string) => view.find({ apiVersion: 'v1', kind: 'Service', name, namespace })?.object;
  const current = Object.fromEntries(
    Object.entries({ apex: find(own.apexService), primary: find(own.primaryService), canary: find(own.canaryService) }).filter(
      ([, service]) => service !== undefined,
    ),
  );
  const rendered = renderServices(canary, apex, current, { apexOnPrimary });
  if ('error' in rendered) throw new TargetUnusableError(rendered.error, { field: 'spec.service.headless' });
  const wanted = roles.map((role) => ({ apex: own.apexService, primary: own.primaryService, canary: own.canaryService })[role]);
  for (const service of rendered.write) {
    if (!wanted.includes(service.metadata.name)) continue;
    const takenOver = service.metadata.name === own.apexService;
    const live = find(service.metadata.name);
    const write = (writable: KubeObject) => ensure(context, writable, { takenOver }, done);
    const isNews = await trafficFields.write(service, live, nowMs, (writable) =>
      takenOver ? context.apexGuard.write(context, writable, live, () => write(writable)) : write(writable),
    );
    // So that the condition follows at once.
    if (isNews) done.wrote = true;
  }
}

/** What the pods of either side need before they can start. */
export async function ensurePrepared(context: ReconcileContext, apex: Apex, done: Reconciled): Promise<void> {
  const { canary, router } = context;
  if (!router.prepare) return;
  await refuseUnseenRoutes(context);
  for (const object of router.prepare(canary, apex)) await ensure(context, object, { takenOver: true }, done);
}

async function refuseUnseenRoutes({ canary, router, view }: ReconcileContext): Promise<void> {
  for (const ref of router.watches(canary)) await refuseUnavailable(view, ref);
}

async function refuseUnavailable(view: ClusterView, object: ObjectRef): Promise<void> {
  await view.ready(object);
  const unavailable = view.unavailable(object);
  if (unavailable !== undefined) throw new ProviderUnavailableError({ ...unavailable, object });
}

export async function ensureRoutes(
  context: ReconcileContext,
  apex: Apex,
  routes: NonNullable<Intent['routes']>,
  done: Reconciled,
): Promise<void> {
  const { canary, router, view, cluster, accepted, annotations, nowMs, signal } = context;
  await refuseUnseenRoutes(context);
  const primary = view.find(primaryRefOf(canary));
  if (primary && workloadOf(canary).isMisnamed?.(primary.object, view)) {
    // A route to nothing helps nobody, and would bring in the name that is about to be put back.
    done.converged = false;
    return;
  }
  const current = () =>
    router.watches(canary).flatMap((ref) => {
      const seen = view.find(ref);
      return seen ? annotations.restored(seen.object) : [];
    });
  const attempt = async (writable: Canary) => {
    const { write, remove } = router.render(writable, apex, routes, current());
    for (const object of write) await ensure(context, object, { takenOver: true }, done);
    for (const ref of remove) {
      if (!view.find(ref)) continue;
      await cluster.delete(ref, { signal });
      view.forget(ref);
      done.wrote = true;
    }
  };
  await ensureRoutesLeft(context, apex, routes, done);
  let refusal: Awaited<ReturnType<typeof accepted.write>>;
  try {
    refusal = await accepted.write(canary, nowMs, attempt);
  } catch (error) {
    // At initialization nothing goes on before it is mended; a release that is under way has a deadline for it.
    if (!(error instanceof RoutingError) || (canary.status?.phase || 'Initializing') === 'Initializing') throw error;
    done.unroutable = unroutableBy(error);
    done.converged = false;
    retryIn(done, TRY_AGAIN_MS);
    return;
  }
  const missing = reachesCanary(routes) ? undefined : router.missing?.(canary, current());
  if (missing !== undefined) {
    done.unroutable = unroutableBy(missing);
    // So that the deadline of a release is seen.
    if (canary.status?.release?.step !== 'resting') retryIn(done, TRY_AGAIN_MS);
  }
  if (refusal) {
    done.refused = refusal.blocker;
    if (done.converged) done.unconfirmed = { code: 'RouteUnconfirmed', detail: blockerText(refusal.blocker) };
    done.converged = false;
    retryIn(done, Math.max(0, refusal.untilMs - nowMs));
    return;
  }
  if (router.isInForce?.(canary, current()) !== false) return;
  if (done.converged)
    done.unconfirmed = {
      code: 'RouteUnconfirmed',
      detail: router.rejection?.(canary, current()) ?? 'the traffic provider has not taken over the routes yet',
    };
  done.converged = false;
}

/**
 * Routes of a provider or name that the Canary had before an edit, where they hold a share: they follow the release to its end, or requests
 * would go on to a canary that is scaled down (I5).
 */
async function ensureRoutesLeft(
  context: ReconcileContext,
  apex: Apex,
  routes: NonNullable<Intent['routes']>,
  done: Reconciled,
): Promise<void> {
  const { canary, view, config, annotations } = context;
  for (const before of specsOfLeftRoutes(canary)) {
    const router = routerFor(before.spec.provider ?? config.meshProvider, config);
    if ('unsupported' in router) continue;
    const refs = router.watches(before);
    await Promise.all(refs.map((ref) => view.ready(ref)));
    const current = refs.flatMap((ref) => {
      const seen = view.find(ref);
      return seen ? annotations.restored(seen.object) : [];
    });
    const live = router.readRoutes(before, current);
    if (live === undefined || 'unreadable' in live || isAtHome(live)) continue;
    for (const object of renderLeft(router, before, apex, routes, current)) await ensure(context, object, { takenOver: true }, done);
  }
}

/** A provider that cannot express these routes has all traffic at the primary. */
function renderLeft(router: Router, before: Canary, apex: Apex, routes: Routes, current: readonly KubeObject[]): readonly KubeObject[] {
  try {
    return router.render(before, apex, routes, current).write;
  } catch (error) {
    if (!(error instanceof RoutingError)) throw error;
    return router.render(before, apex, allToPrimary, current).write;
  }
}
