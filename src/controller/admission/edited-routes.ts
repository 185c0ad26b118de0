import type { Canary, CanarySpec } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isAccepted, lossText } from '../../arrival/arrival.ts';
import type { Loss } from '../../arrival/plan.ts';
import { isReadable } from '../../arrival/readable.ts';
import { routedAtArrival } from '../../arrival/routed.ts';
import type { JsonRecord } from '../../base/json.ts';
import { BackOff } from '../../kube/back-off.ts';
import { type Router, routerFor } from '../../routers/index.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { readCanary, withSpec } from '../watch/read-canary.ts';
import type { Admitted, CanaryRejection } from './admission.ts';
import { lossRejection } from './arrival-gate.ts';
import { isRunning } from './service-fit.ts';

type EditedRoutesDeps = Pick<ControllerDeps, 'applications' | 'config' | 'clock'>;

/** Between two looks while an edit is refused: routes of users are not watched. */
const AGAIN_MS = { from: 15_000, to: 300_000 };

/**
 * Looks at the routes of users before an edit of the route fields of a Canary is run. An edit that an arrival would be refused for is also refused, and the
 * Canary follows its previous spec (I17, E65).
 */
export class EditedRoutes {
  readonly #deps: EditedRoutesDeps;
  readonly #pause = new BackOff(AGAIN_MS);
  /** The edit that was judged last; without a rejection it takes nothing. */
  #judged: { key: string; refused?: { rejection: CanaryRejection; againMs: number; objects: readonly KubeObject[] } } | undefined;

  constructor(deps: EditedRoutesDeps) {
    this.#deps = deps;
  }

  /** `ran`: the spec with which this process has run the Canary. `accepted` reads all accepted specs, the newest first. */
  async refusalOf(
    admitted: Admitted,
    { ran, accepted }: { ran: CanarySpec | undefined; accepted(): Promise<readonly JsonRecord[]> },
    signal: AbortSignal,
  ): Promise<CanaryRejection | undefined> {
    const { canary, provider, router } = admitted;
    const { config, clock, applications } = this.#deps;
    // The gate looks before the first write.
    if (router.unkept === undefined || config.arrival === 'warn' || canary.status?.release === undefined) return undefined;
    if (isRunning(canary) || (ran && routedOf({ spec: ran }) === routedOf(canary))) return undefined;
    const key = `${canary.metadata.uid} ${routedOf(canary)}`;
    const nowMs = clock.monotonicMs();
    if (this.#judged?.key === key) {
      const { refused } = this.#judged;
      if (refused === undefined) return undefined;
      if (nowMs < refused.againMs) return { ...refused.rejection, retryInMs: refused.againMs - nowMs };
    }
    const [spec] = await accepted();
    const before = spec && readCanary(withSpec(canary, spec));
    if (before && routedOf(before) === routedOf(canary)) return undefined;
    const read = await applications.readRoutes(canary.metadata.namespace, provider, signal);
    const objects = read.objects.filter(isReadable);
    const text = (loss: Loss) => lossText(loss, canary.metadata.namespace);
    const known = new Set(before && lossesOf(before, objects, this.#routerOf(before)).map(text));
    // A loss beside it can be caused by its own objects of the previous spec, such as a copy of another Ingress. Without that spec, earlier losses of a policy
    // are unknown.
    const isOfEdit = (loss: Loss) => loss.isNew || (before && loss.code === 'PolicyWouldBeLost');
    const [first, ...more] = lossesOf(canary, objects, router).filter((loss) => isOfEdit(loss) && !known.has(text(loss)));
    if (first === undefined) {
      this.#judged = { key };
      this.#pause.reset();
      return undefined;
    }
    const pauseMs = this.#pause.next();
    const rejection = lossRejection(first, more, canary.metadata.namespace, pauseMs);
    this.#judged = { key, refused: { rejection, againMs: nowMs + pauseMs, objects } };
    return rejection;
  }

  /** True if this spec also takes requests, judged by the objects read for the refusal. No spec by which the Canary is run meanwhile is permitted to. */
  takesRequests({ canary, router }: Admitted): boolean {
    return lossesOf(canary, this.#judged?.refused?.objects ?? [], router).some(({ isNew }) => isNew);
  }

  #routerOf({ spec: { provider } }: Canary): Router | undefined {
    const router = routerFor(provider ?? this.#deps.config.meshProvider, this.#deps.config);
    return 'unsupported' in router ? undefined : router;
  }
}

const lossesOf = (canary: Canary, objects: readonly KubeObject[], router: Router | undefined): Loss[] =>
  router ? routedAtArrival(canary, { objects }, router).filter((loss) => loss.isRefused && !isAccepted({ objects }, loss)) : [];

/** The fields that decide which requests a route takes. Fields for the handling of a request are left out: an edit of these costs no look. */
export function routedOf({ spec }: Pick<Canary, 'spec'>): string {
  const { provider, service, ingressRef, routeRef, routeRefs, upstreamRef, analysis } = spec;
  const { apex, primary: _primary, canary: _canary, unmanagedMetadata: _unmanaged, ...ofService } = service;
  const { timeout: _timeout, backendTimeout: _backendTimeout, retries: _retries, ...withoutTimes } = ofService;
  const { trafficPolicy: _policy, corsPolicy: _cors, headers: _headers, rewrite: _rewrite, ...routed } = withoutTimes;
  const { match, mirror, sessionAffinity } = analysis;
  // A class of proxies can be an annotation.
  return JSON.stringify([
    provider,
    routed,
    apex?.annotations,
    ingressRef,
    routeRef,
    routeRefs,
    upstreamRef,
    match,
    mirror,
    sessionAffinity,
  ]);
}
