import type { KubeObject } from '../../api/kube-object.ts';
import { labelOf } from '../../api/kube-object.ts';
import { refuse } from '../admission/admission.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { keepAsideMark } from '../status/aside-mark.ts';
import { type Rival, rivalMessage } from '../status/ownership.ts';

/** One Canary that is left to another controller: marked if that is not a Serin, and reported once. */
export class StandingAside {
  readonly #deps: ControllerDeps;
  #isReported = false;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
  }

  /** Marks the Canary. Returns it as stored, or `undefined` if the rival is reported already. */
  async begin(raw: KubeObject, rival: Rival, signal: AbortSignal): Promise<KubeObject | undefined> {
    // Another Serin would remove the mark, and its name in the status says who runs the Canary.
    const marked = rival.kind === 'other' ? await keepAsideMark(raw, true, this.#deps, signal) : undefined;
    if (this.#isReported) return undefined;
    this.#isReported = true;
    return marked ?? raw;
  }

  /** Forgets what the other controller can change, sends nothing more, and says who runs the Canary. */
  async report(raw: KubeObject, rival: Rival, signal: AbortSignal): Promise<void> {
    const { podWatches, deliveries, anchors, salts, log, writer } = this.#deps;
    const { name, namespace = '', uid = '' } = raw.metadata;
    const canary = labelOf({ metadata: { namespace, name } });
    const owner = { metadata: { namespace, uid } };
    podWatches.unfollow(canary);
    deliveries.stop(owner);
    // The other controller also makes records.
    anchors.forget(owner);
    salts.forget(owner);
    const by = rival.kind === 'other' ? 'another controller' : rival.writer;
    log.warn({ canary, by }, 'left to another controller, which writes its status');
    await refuse(raw, { reason: 'ForeignController', message: rivalMessage(rival, writer) }, this.#deps, signal);
  }

  /** Removes the mark of a Canary that Serin runs. Returns true if that was a write. */
  async end(raw: KubeObject, signal: AbortSignal): Promise<boolean> {
    this.#isReported = false;
    return (await keepAsideMark(raw, false, this.#deps, signal)) !== undefined;
  }
}
