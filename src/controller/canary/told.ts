import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { Canary, Provider } from '../../api/canary.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Router } from '../../routers/router.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import type { RefusedSteering } from '../admission/refused-steering.ts';
import type { ControllerRoom } from '../controller-room.ts';
import { type StandingWarning, warningsOf } from '../status/standing-warnings.ts';

/** What one Canary has been told of: each thing is an event once, and again only after it was gone. */
export class Told {
  readonly #room: Pick<ControllerRoom, 'view' | 'announceOn'>;
  #refused: NewBlocker | undefined;
  #edit: string | undefined;
  #targetMissing = false;
  #routeDoubts: ReadonlySet<string> = new Set();
  #warnings: readonly StandingWarning[] = [];

  constructor(room: Pick<ControllerRoom, 'view' | 'announceOn'>) {
    this.#room = room;
  }

  /** An edit that cannot be routed is reported like a blocker, though the release goes on without it. */
  refusal(canary: Canary, refused: NewBlocker | undefined): void {
    if (refused !== undefined && !isDeepStrictEqual(refused, this.#refused))
      this.#room.announceOn(canary, { reason: 'Blocked', type: 'Warning', message: blockerText(refused) });
    this.#refused = refused;
  }

  /** What goes on all the same, and a person has to judge: a condition as long as it holds, and an event once. */
  warnings(canary: Canary, provider: Provider, steering: RefusedSteering, unwatched: readonly ConfigRef[]): readonly StandingWarning[] {
    const warnings = warningsOf(canary, provider, this.#room.view, steering, unwatched);
    const stored = canary.status?.conditions ?? [];
    for (const { type, message } of warnings) {
      const isKnown = [...stored, ...this.#warnings].some((one) => one.type === type && one.message === message);
      if (!isKnown) this.#room.announceOn(canary, { reason: type, type: 'Warning', message });
    }
    this.#warnings = warnings;
    return warnings;
  }

  /** Said on the route, where whoever wonders about it looks; again only after it was gone. */
  doubtsOfRoutes(canary: Canary, router: Router): void {
    const { view, announceOn } = this.#room;
    const doubts =
      router.warnings?.(canary, {
        find: (ref) => view.find(ref)?.object,
        all: (kind) => view.all(kind).flatMap(({ object }) => (object.metadata.namespace === kind.namespace ? object : [])),
      }) ?? [];
    for (const { on, message } of doubts)
      if (!this.#routeDoubts.has(message)) announceOn(on, { reason: 'RouteInDoubt', type: 'Warning', message });
    this.#routeDoubts = new Set(doubts.map(({ message }) => message));
  }

  /** Once: the condition says it as long as it lasts. */
  edit(canary: Canary, { refused }: Facts): void {
    if (refused === undefined) return;
    const { reason, message } = refused;
    const isKnown = canary.status?.conditions?.some((one) => one.type === 'Accepted' && one.reason === reason && one.message === message);
    if (isKnown !== true && this.#edit !== message) this.#room.announceOn(canary, { reason, type: 'Warning', message });
    this.#edit = message;
  }

  missingTarget(canary: Canary, { target }: Facts): void {
    if (target === undefined && !this.#targetMissing) {
      const { kind, name } = canary.spec.targetRef;
      const message = `spec.targetRef: ${kind} ${name} does not exist: create it, or correct the name`;
      this.#room.announceOn(canary, { reason: 'TargetMissing', type: 'Warning', message });
    }
    this.#targetMissing = target === undefined;
  }
}
