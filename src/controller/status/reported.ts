import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary, Provider } from '../../api/canary.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import type { Facts } from '../../engine/facts.ts';
import { blockedTarget } from '../../engine/states/awaited-side.ts';
import type { Router } from '../../routers/router.ts';
import type { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { type Correction, correctionText } from '../objects/healing-brake.ts';
import { BlockerEvent } from './blocker-event.ts';
import { type StatusWarning, type Unwatched, warningsOf } from './warnings.ts';

type ReportedDeps = Pick<ControllerDeps, 'view' | 'announceOn' | 'clock' | 'addresses'>;

/** Problems of one Canary that were reported: each causes one event, and another one only after it was gone. */
export class Reported {
  readonly #deps: ReportedDeps;
  readonly #blocked: BlockerEvent;
  readonly #targetMissing: BlockerEvent;
  #refused: NewBlocker | undefined;
  #edit: string | undefined;
  #routeWarnings: ReadonlySet<string> = new Set();
  #warnings: readonly StatusWarning[] = [];

  constructor(deps: ReportedDeps) {
    this.#deps = deps;
    this.#blocked = new BlockerEvent(deps, 'Blocked');
    this.#targetMissing = new BlockerEvent(deps, 'TargetNotFound');
  }

  /** True if nothing is reported but warnings, which the status also states. */
  get isClear(): boolean {
    return this.#blocked.isClear && this.#targetMissing.isClear && this.#refused === undefined && this.#routeWarnings.size === 0;
  }

  /** An edit that cannot be routed is reported like a blocker, though the release goes on without it. */
  refusal(canary: Canary, refused: NewBlocker | undefined): void {
    if (refused !== undefined && !isDeepStrictEqual(refused, this.#refused))
      this.#deps.announceOn(canary, { reason: 'Blocked', type: 'Warning', message: blockerText(refused) });
    this.#refused = refused;
  }

  /** Warnings block nothing: a condition as long as they hold, and an event once. */
  warnings(canary: Canary, provider: Provider, trafficFields: RefusedTrafficFields, unwatched: Unwatched): readonly StatusWarning[] {
    const warnings = warningsOf(canary, provider, this.#deps.view, trafficFields, unwatched, this.#deps.addresses);
    const stored = canary.status?.conditions ?? [];
    for (const { type, message, isAnnounced } of warnings) {
      const isKnown = isAnnounced || [...stored, ...this.#warnings].some((one) => one.type === type && one.message === message);
      if (!isKnown) this.#deps.announceOn(canary, { reason: type, type: 'Warning', message });
    }
    this.#warnings = warnings;
    return warnings;
  }

  /** An event on the route itself; again only after it was gone. */
  routeWarnings(canary: Canary, router: Router): void {
    const { view, announceOn } = this.#deps;
    const refs = router.warnings ? [SERVICE_KIND, ...router.watches(canary)] : [];
    if (!refs.every(({ apiVersion, kind }) => view.isListed({ apiVersion, kind, namespace: canary.metadata.namespace }))) return;
    const warnings =
      router.warnings?.(canary, {
        find: (ref) => view.find(ref)?.object,
        all: (kind) => view.all(kind).flatMap(({ object }) => (object.metadata.namespace === kind.namespace ? object : [])),
      }) ?? [];
    for (const { on, message } of warnings)
      if (!this.#routeWarnings.has(message)) announceOn(on, { reason: 'RouteWarning', type: 'Warning', message });
    this.#routeWarnings = new Set(warnings.map(({ message }) => message));
  }

  /** Once: the condition says it as long as it lasts. */
  refusedSpec(canary: Canary, { refused }: Facts): void {
    if (refused === undefined) return;
    const { reason, message } = refused;
    const isKnown = canary.status?.conditions?.some((one) => one.type === 'Accepted' && one.reason === reason && one.message === message);
    if (isKnown !== true && this.#edit !== message) this.#deps.announceOn(canary, { reason, type: 'Warning', message });
    this.#edit = message;
  }

  /** Reports that a change or deletion by another writer was corrected to the recorded state. */
  corrected(canary: Canary, correction: Correction): void {
    const [object] = correction.key.split('#');
    const kept = correction.isKept ? 'leave it whole' : 'keep a change by hand';
    const message = `${object}: ${correctionText(correction)}; set spec.suspend: true to ${kept}`;
    this.#deps.announceOn(canary, { reason: 'DriftCorrected', type: 'Normal', message });
  }

  /** A Service that has begun to follow the apex Service. */
  follows(canary: Canary, name: string): void {
    const message = `Service ${name} leads to the pods of ${canary.spec.targetRef.name}, and follows the apex Service from now on: its selector is restored when the Canary is deleted; spec.service.followers says which follow`;
    this.#deps.announceOn(canary, { reason: 'ServiceFollows', type: 'Normal', message });
  }

  /** Reports the blocker of the desired state. Returns the milliseconds until its event, if that is still to come. */
  blocked(canary: Canary, blocker: NewBlocker | undefined): number | undefined {
    return this.#blocked.see(canary, blocker);
  }

  /** The same of an absent target. */
  missingTarget(canary: Canary, { target }: Facts): number | undefined {
    return this.#targetMissing.see(canary, target === undefined ? { code: 'TargetNotFound', object: blockedTarget(canary) } : undefined);
  }
}
