import type { KubeObject } from '../../../src/api/kube-object.ts';
import { trackingAnnotation } from '../../../src/workloads/configs/tracking.ts';
import { raw } from '../raw.ts';
import type { SentWrite } from './client.ts';
import { APP, canaryRef, type ModelLab, NAMESPACE, primaryRef } from './lab.ts';
import { type Find, podBytes, UNTRACKED } from './pod-bytes.ts';

interface Check {
  run: number;
  ran: ReadonlySet<string>;
}

/**
 * Oracle of promotions: records the bytes of the canary's pods at each check that passed, and the versions that the primary was given.
 * All data come from the modelled cluster; from Serin only the moments at which it recorded a step.
 */
export class Evidence {
  /** Versions that the primary was given, or ran, without an analysis of exactly these bytes. */
  readonly unanalysed: string[] = [];
  /** Promotions that were recorded. */
  promotions = 0;
  readonly #lab: ModelLab;
  readonly #allowed = new Set<string>();
  readonly #checks: Check[] = [];
  #isForeign = false;
  /** Templates that the primary was rightly given, and what they were. */
  readonly #given = new Map<string, string>();
  /** Configs whose owner has excluded them from tracking at any time, as `kind/name`. */
  readonly #leftAlone = new Set<string>();

  constructor(lab: ModelLab) {
    this.#lab = lab;
    lab.server.api.store.subscribe(({ storeKey, type, object, before }) => {
      if (object.metadata.annotations?.[trackingAnnotation] === 'disabled') this.#leftAlone.add(`${object.kind}/${object.metadata.name}`);
      if (storeKey !== 'apps/deployments' || object.metadata.name !== primaryRef.name || type === 'DELETED') return;
      if (JSON.stringify(raw(object).spec.template) !== JSON.stringify(raw(before)?.spec.template)) this.#look(object);
    });
  }

  /** Writes of others from now on do not count as Serin's. */
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
    const before = raw(this.#lab.canary())?.status;
    const after = raw(body).status;
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
    const { template } = raw(primary).spec;
    const { 'flagger-id': _, ...annotations } = template.metadata.annotations ?? {};
    const text = JSON.stringify({ ...template, metadata: { ...template.metadata, annotations } });
    const bytes = this.#given.get(text) ?? podBytes(template, this.#find) ?? 'pods that cannot start';
    // The first template served before Serin was installed; its configs are copied all the same.
    if (this.#isForeign || (this.#given.size === 0 && !bytes.includes(STRAY))) this.#allowed.add(bytes);
    if (this.#allowed.has(bytes)) this.#given.set(text, bytes);
    else this.unanalysed.push(`${this.#lab.clock.monotonicMs()} ms: ${bytes}`);
  }

  /** The primary's pods must run a version that the primary was rightly given. */
  lookAtPods(): void {
    const given = [...this.#given.values()];
    for (const bytes of this.#lab.nodes.runs(primaryRef.name, NAMESPACE))
      if (!given.some((one) => mayRun(one, bytes))) this.unanalysed.push(`${this.#lab.clock.monotonicMs()} ms: pods run ${bytes}`);
  }

  /**
   * Content of a config in a primary's template. A config under its own name was excluded from tracking by its owner when Serin read it, and all later changes
   * take effect directly. The analysed pods must also have read it as excluded. It does not matter that the owner includes it again between Serin's read and
   * its write (the annotation is removed, or the object is deleted and created again): the same would happen right after the write, and the release that this
   * starts makes the copy. A config that was never excluded must have been copied.
   */
  readonly #find: Find = (kind, name) => {
    if (COPY.test(name)) return this.#lab.server.find({ apiVersion: 'v1', kind, name, namespace: NAMESPACE });
    const metadata = { name, annotations: { [trackingAnnotation]: 'disabled' } };
    if (this.#leftAlone.has(`${kind}/${name}`)) return { apiVersion: 'v1', kind, metadata };
    return { apiVersion: 'v1', kind, metadata: { name }, data: { [STRAY]: name } };
  };
}

const COPY = /-primary-(absent|[0-9a-f]{10})$/;
const STRAY = 'is not a copy';

/** True if pods of the given version can run these bytes: they are equal, except for the content of untracked configs. */
function mayRun(given: string, bytes: string): boolean {
  const isSame = (one: unknown, other: unknown): boolean => {
    if (one === UNTRACKED || one === other) return true;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    const [fields, others] = [Object.entries(one), new Map(Object.entries(other))];
    return fields.length === others.size && fields.every(([field, held]) => others.has(field) && isSame(held, others.get(field)));
  };
  return given === bytes || (given.includes(UNTRACKED) && isSame(JSON.parse(given), JSON.parse(bytes)));
}

interface Progress {
  routes: { kind: string; canary?: number };
  iterations: number;
}

function isForward(before: Progress, after: Progress): boolean {
  const weight = ({ routes }: Progress) => routes.canary ?? 0;
  return after.iterations > before.iterations || weight(after) > weight(before) || after.routes.kind !== before.routes.kind;
}
