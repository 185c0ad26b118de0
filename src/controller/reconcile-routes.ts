import { names } from '../api/names.ts';
import type { Intent } from '../engine/intent.ts';
import type { KindRef } from '../kube/cluster.ts';
import type { Apex } from '../routers/router.ts';
import { renderServices } from '../routers/services.ts';
import type { ClusterView } from './cluster-view.ts';
import { ensure } from './ensure-object.ts';
import { ProviderUnavailableError, TargetUnusableError } from './errors.ts';
import { primaryRefOf } from './gather-facts.ts';
import { type ReconcileContext, type Reconciled, retryIn, workloadOf } from './reconcile-context.ts';

export type Role = 'apex' | 'primary' | 'canary';

export async function ensureServices(
  context: ReconcileContext,
  apex: Apex,
  { roles, apexOnPrimary }: { roles: readonly Role[]; apexOnPrimary: boolean },
  done: Reconciled,
): Promise<void> {
  const { canary, view, steering, nowMs } = context;
  if (!workloadOf(canary).hasPods) return;
  const { namespace } = canary.metadata;
  const own = names(canary);
  // What cannot be seen must not be taken for missing: it stands, and may be somebody else's.
  await refuseUnavailable(view, { apiVersion: 'v1', kind: 'Service', namespace });
  const find = (name: string) => view.find({ apiVersion: 'v1', kind: 'Service', name, namespace })?.object;
  const current = Object.fromEntries(
    Object.entries({ apex: find(own.apexService), primary: find(own.primaryService), canary: find(own.canaryService) }).filter(
      ([, service]) => service !== undefined,
    ),
  );
  const rendered = renderServices(canary, apex, current, { apexOnPrimary });
  if ('error' in rendered) throw new TargetUnusableError(rendered.error);
  const wanted = roles.map((role) => ({ apex: own.apexService, primary: own.primaryService, canary: own.canaryService })[role]);
  for (const service of rendered.write) {
    if (!wanted.includes(service.metadata.name)) continue;
    const takenOver = service.metadata.name === own.apexService;
    const live = find(service.metadata.name);
    const isNews = await steering.write(service, live, nowMs, (worded) => ensure(context, worded, { takenOver }, done));
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

async function refuseUnavailable(view: ClusterView, kind: KindRef): Promise<void> {
  await view.ready(kind);
  const unavailable = view.unavailable(kind);
  if (unavailable !== undefined) throw new ProviderUnavailableError(unavailable);
}

export async function ensureRoutes(
  context: ReconcileContext,
  apex: Apex,
  routes: NonNullable<Intent['routes']>,
  done: Reconciled,
): Promise<void> {
  const { canary, router, view, cluster, accepted, marks, nowMs, signal } = context;
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
      return seen ? marks.restored(seen.object) : [];
    });
  const refusal = await accepted.write(canary, nowMs, async (worded) => {
    const { write, remove } = router.render(worded, apex, routes, current());
    for (const object of write) await ensure(context, object, { takenOver: true }, done);
    for (const ref of remove) {
      if (!view.find(ref)) continue;
      await cluster.delete(ref, { signal });
      view.forget(ref);
      done.wrote = true;
    }
  });
  if (refusal) {
    done.refused = refusal.message;
    if (done.converged) done.unconfirmed = refusal.message;
    done.converged = false;
    retryIn(done, Math.max(0, refusal.untilMs - nowMs));
    return;
  }
  if (router.isInForce?.(canary, current()) !== false) return;
  if (done.converged) done.unconfirmed = router.objection?.(canary, current()) ?? 'the traffic provider has not taken over the routes yet';
  done.converged = false;
}
