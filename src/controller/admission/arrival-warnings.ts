import type { Canary } from '../../api/canary.ts';
import { lossText } from '../../arrival/arrival.ts';
import type { Loss } from '../../arrival/plan.ts';
import { say } from '../../engine/reasons.ts';
import type { ControllerDeps } from '../controller-deps.ts';

/** Losses that are said of one Canary, the refusals first. */
const MOST_SAID = 10;

/** Losses of an application through one Canary: an event for each loss, once, and a condition until a later read no longer finds it. */
export class ArrivalWarnings {
  readonly #announce: ControllerDeps['announce'];
  /** `undefined` before the first read: then the status holds. */
  #found: { text: string | undefined } | undefined;

  constructor({ announce }: Pick<ControllerDeps, 'announce'>) {
    this.#announce = announce;
  }

  /** True if this process has read the application. */
  get hasRead(): boolean {
    return this.#found !== undefined;
  }

  /** For the condition. */
  messageFor({ status }: Canary): string | undefined {
    if (this.#found) return this.#found.text;
    return status?.conditions?.find(({ type }) => type === 'WouldBeLost')?.message;
  }

  /** Reports the losses at the arrival of the Canary: all are new. A loss that its user accepts is only an event. */
  atArrival(canary: Canary, losses: readonly Loss[]): void {
    for (const loss of losses.slice(0, MOST_SAID)) this.#announceOne(canary, loss);
    this.#found = { text: textOf(losses, canary.metadata.namespace) };
  }

  /** Reports the losses as a release starts. Returns true if the condition has changed. */
  atRelease(canary: Canary, losses: readonly Loss[]): boolean {
    const before = this.messageFor(canary);
    const { namespace } = canary.metadata;
    for (const loss of said(losses)) if (before?.includes(lossText(loss, namespace)) !== true) this.#announceOne(canary, loss);
    const text = textOf(losses, namespace);
    this.#found = { text };
    return text !== before;
  }

  #announceOne(canary: Canary, loss: Loss): void {
    this.#announce(canary, say('WouldBeLost', lossText(loss, canary.metadata.namespace), { warning: true }));
  }
}

const standing = (losses: readonly Loss[]): Loss[] => losses.filter(({ isAccepted }) => isAccepted !== true);

const said = (losses: readonly Loss[]): Loss[] => standing(losses).slice(0, MOST_SAID);

function textOf(losses: readonly Loss[], home: string): string | undefined {
  const more = standing(losses).length - MOST_SAID;
  const parts = [...said(losses).map((loss) => lossText(loss, home)), ...(more > 0 ? [`and ${more} more: run "serin preflight"`] : [])];
  return parts.length === 0 ? undefined : parts.join('; ');
}
