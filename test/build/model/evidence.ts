import type { KubeObject } from '../../../src/api/kube-object.ts';
import { trackingAnnotation } from '../../../src/workloads/configs/tracking.ts';
import type { SentWrite } from './client.ts';
import { APP, canaryRef, type ModelLab, NAMESPACE, primaryRef } from './lab.ts';
import { type Find, podBytes, UNTRACKED } from './pod-bytes.ts';

interface Check {
  run: number;
  ran: ReadonlySet<string>;
}

/**
 * Who watches the watchman: what the canary's pods ran at each check that passed, and what the primary was given. Everything is taken from
 * the modelled cluster; of Serin only the moments at which it recorded a step.
 */
export class Evidence {
  /** What the primary was given, or ran, without an analysis of exactly that. */
  readonly unanalysed: string[] = [];
  /** Promotions that were recorded. */
  promotions = 0;
  readonly #lab: ModelLab;
  readonly #allowed = new Set<string>();
  readonly #checks: Check[] = [];
  #isForeign = false;
  /** Templates that the primary was rightly given, and what they were. */
  readonly #given = new Map<string, string>();

  constructor(lab: ModelLab) {
    this.#lab = lab;
    lab.server.api.store.subscribe(({ storeKey, type, object, before }) => {
      if (storeKey !== 'apps/deployments' || object.metadata.name !== primaryRef.name || type === 'DELETED') return;
      if (JSON.stringify(object.spec.template) !== JSON.stringify(before?.spec.template)) this.#look(object);
    });
  }

  /** What somebody else does now is not Serin's doing. */
  foreign(act: () => void): void {
    this.#isForeign = true;
    try {
      act();
    } finally {
      this.#isForeign = false;
    }
  }

  /** Serin is about to send this. Of its status, a step forward says that a check has passed just now. */
  sent({ ref, subresource, body }: SentWrite): void {
    if (ref.kind !== canaryRef.kind || subresource !== 'status') return;
    const before = this.#lab.canary()?.status;
    const after = (body as KubeObject).status;
    if (before?.release === undefined || after?.release?.run !== before.release.run) return;
    const isPromotion = after.phase === 'Promoting' && ['Progressing', 'WaitingPromotion'].includes(before.phase);
    if (!isPromotion && !(before.release.step === 'analysing' && isForward(before.release, after.release))) return;
    const { run } = before.release;
    this.#checks.push({ run, ran: this.#lab.nodes.runs(APP, NAMESPACE) });
    if (!isPromotion) return;
    this.promotions += 1;
    const ran = new Set(this.#checks.filter((check) => check.run === run).flatMap((check) => [...check.ran]));
    const [only] = ran;
    if (only !== undefined && ran.size === 1) this.#allowed.add(only);
  }

  #look(primary: KubeObject): void {
    const { template } = primary.spec;
    const { 'flagger-id': _, ...annotations } = template.metadata.annotations ?? {};
    const text = JSON.stringify({ ...template, metadata: { ...template.metadata, annotations } });
    const read = (find: Find) => podBytes(template, find) ?? 'pods that cannot start';
    const found: Find = (kind, name) => this.#lab.server.find({ apiVersion: 'v1', kind, name, namespace: NAMESPACE });
    // What is read under its own name was its owner's business when Serin looked, whatever it is by now.
    const asLookedAt: Find = (kind, name) => (COPY.test(name) ? found(kind, name) : untracked(kind, name));
    const bytes = this.#given.get(text) ?? [read(found), read(asLookedAt)].find((one) => this.#allowed.has(one)) ?? read(found);
    // The first one is what served before Serin came.
    if (this.#isForeign || this.#given.size === 0) this.#allowed.add(bytes);
    if (this.#allowed.has(bytes)) this.#given.set(text, bytes);
    else this.unanalysed.push(`${this.#lab.clock.monotonicMs()} ms: ${bytes}`);
  }

  /** What the primary's pods run must be something that it was rightly given. */
  lookAtPods(): void {
    // Pods read a config that is not tracked again whenever they start.
    if ([...this.#given.values()].some((bytes) => bytes.includes(UNTRACKED))) return;
    for (const bytes of this.#lab.nodes.runs(primaryRef.name, NAMESPACE))
      if (!this.#allowed.has(bytes)) this.unanalysed.push(`${this.#lab.clock.monotonicMs()} ms: pods run ${bytes}`);
  }
}

const COPY = /-primary-(absent|[0-9a-f]{10})$/;
const untracked = (kind: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, annotations: { [trackingAnnotation]: 'disabled' } },
});

interface Progress {
  routes: { kind: string; canary?: number };
  iterations: number;
}

function isForward(before: Progress, after: Progress): boolean {
  const weight = ({ routes }: Progress) => routes.canary ?? 0;
  return after.iterations > before.iterations || weight(after) > weight(before) || after.routes.kind !== before.routes.kind;
}
