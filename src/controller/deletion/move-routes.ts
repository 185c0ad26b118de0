import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, refOf } from '../../api/kube-object.ts';
import { carriedAnnotation } from '../../api/names.ts';
import { weight } from '../../api/routes.ts';
import { readAll } from '../../kube/cluster.ts';
import { type Apex, ifExpressible, routerFor } from '../../routers/index.ts';
import { introduces, leavesTraffic } from '../../routers/introduction.ts';
import { discoverPorts } from '../../routers/services.ts';
import type { ControllerDeps, DepsOf } from '../controller-deps.ts';
import { missingField } from '../objects/drift.ts';
import { isTarget, mergeIntoTarget } from '../reconcile/ensure-object.ts';
import { introduceServices } from './introduce-services.ts';
import { applyOver } from './restore-routes.ts';

type MoveDeps = DepsOf<'cluster' | 'view' | 'config'>;

interface MissingRoute {
  object: KubeObject;
  live: KubeObject;
}

/** A side, whose workload is `found`. */
export interface RoutesTo {
  found: KubeObject;
  selector: Apex['selector'];
  side: 'target' | 'primary';
}

type Announced = 'written' | 'found' | 'nothing';

/** All routes to one side; a route that leads there already is not written again. */
export async function moveRoutes(canary: Canary, to: RoutesTo, { cluster, view, config, signal }: MoveDeps): Promise<void> {
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in router || !router.supports.weights) return;
  const current = await readAll(router.watches(canary), cluster, signal);
  for (const object of current) view.learn(object);
  for (const { object, live } of missingRoutes(canary, to, current, config)) {
    const written = isTarget(canary, refOf(object))
      ? await mergeIntoTarget({ cluster, signal }, object, live)
      : await applyOver(object, live, { cluster, router, signal });
    view.learn(written);
  }
}

/**
 * Lets proxies learn of the Services that routes of users are about to lead to (DF650). `written`: they know some time later. `found`: a pass before the deletion
 * announced them, an unknown time ago.
 */
export async function announceRoutes(canary: Canary, to: RoutesTo, { cluster, view, config, signal }: MoveDeps): Promise<Announced> {
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in router || !router.supports.weights) return 'nothing';
  const current = await readAll(router.watches(canary), cluster, signal);
  // The move is the last step: traffic leaves by it, and not by an introduction.
  const isFirstStep = ({ object, live }: MissingRoute): boolean => {
    const step = router.isUsers?.(live) ? router.introduction?.(canary, object, current) : undefined;
    return step !== undefined && leavesTraffic(step, object);
  };
  const missing = missingRoutes(canary, to, current, config);
  const next = missing.filter(isFirstStep);
  const written = await introduceServices(
    canary,
    next.map(({ object }) => object),
    { router, current },
    { cluster, signal },
  );
  for (const route of written) view.learn(route);
  if (written.length > 0) return 'written';
  return missing.some(({ live }) => introduces(canary, live)) ? 'found' : 'nothing';
}

/** Routes that do not send all traffic to the side: the wanted route, and the live one among `current`. */
export function missingRoutes(
  canary: Canary,
  { found, selector, side }: RoutesTo,
  current: readonly KubeObject[],
  config: ControllerDeps['config'],
): MissingRoute[] {
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in router || !router.supports.weights) return [];
  // An earlier attempt has led them to the apex Service already: proxies might have forgotten ours since.
  if (side === 'target' && Object.values(router.finalize(canary, current)).every(({ length }) => length === 0)) return [];
  const routes = { kind: 'weighted', canary: weight(side === 'target' ? 100 : 0) } as const;
  const apex: Apex = { selector, ports: discoverPorts(canary, found, undefined) };
  // A provider without any object left that could hold a route of ours (its Ingress is gone) has none in the way.
  const rendered = ifExpressible(() => router.render(canary, apex, routes, current));
  return (rendered?.write ?? []).flatMap((object) => {
    const live = findObject(current, refOf(object));
    // A missing route routes nothing: created now, it would have no owner and stay for ever. A carried object leads nowhere, and holds to the end.
    const isLeft = !live || live.metadata.annotations?.[carriedAnnotation] !== undefined || missingField(object, live) === undefined;
    return isLeft ? [] : [{ object, live }];
  });
}
