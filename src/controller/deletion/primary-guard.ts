import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { waysOn } from '../../api/kept-primary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type Labels, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { keptAnnotation, names } from '../../api/names.ts';
import { sleep } from '../../base/clock.ts';
import { isConflict } from '../../kube/errors.ts';
import { routerFor } from '../../routers/index.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { missingFields, writerOf } from '../objects/drift.ts';
import { correctionText, HealingBrake, type Undoing, undoneText } from '../objects/healing-brake.ts';
import { missingRoutes } from './move-routes.ts';
import { type DeletionDeps, moveTraffic, selectorsOf } from './move-traffic.ts';
import { followersOf } from './restore-followers.ts';

/** Between two attempts to write over what others write at the same time. */
const CONFLICT_MS = 1_000;

/** Objects that lead users to a primary that serves for a deleted Canary. */
export interface PrimaryTraffic {
  canary: Canary;
  /** `restoring`: until its target is ready. Its target is scaled up, and its routes can still hold a part of a release: both are left unmodified. */
  why: 'kept' | 'restoring';
  /** The current Canary, and its versions under former names. */
  specs: readonly Canary[];
  anchor: KubeObject;
}

/** An object that another writer has changed. */
interface Strayed {
  ref: ObjectRef;
  fields: readonly string[];
  undoing: Undoing;
}

type GuardDeps = DeletionDeps & Pick<ControllerDeps, 'announceOn'>;

/**
 * Keeps the users of a primary on it, as a live Canary would: the selector of the apex Service and the routes are put back when another writer changes them,
 * under the same brake. Pods of the target are not touched. Events on the object itself report it. Without a change no request is sent.
 */
export class PrimaryGuard {
  readonly #brake = new HealingBrake();
  /** Versions that were answered to our own writes and lack a field, by object. */
  readonly #answered = new Map<string, string>();
  readonly #contested = new Set<string>();
  #isScaledUp = false;

  /** Goes on until the signal of `deps` ends it. */
  async guard(kept: PrimaryTraffic, deps: GuardDeps): Promise<never> {
    const { view, clock, signal } = deps;
    const refs = [...refsOf(kept, deps), ...this.#followersOf(kept, deps).map(refOf)];
    const versions = (): string => refs.map((ref) => view.find(ref)?.object.metadata.resourceVersion ?? '').join();
    for (;;) {
      await Promise.all(refs.map((ref) => view.ready(ref)));
      signal.throwIfAborted();
      const before = versions();
      if (kept.why === 'kept') this.#seeTarget(kept.canary, deps);
      const strayed = this.#strayedOf(kept, deps);
      const nowMs = clock.monotonicMs();
      const waitMs = Math.min(...strayed.map(({ ref, fields }) => this.#brake.waitMs(refKey(ref), nowMs, fields)));
      if (waitMs === 0) {
        await this.#putBack(kept, strayed, deps);
        continue;
      }
      const bound = Number.isFinite(waitMs) ? { boundMs: waitMs } : {};
      await view
        .untilAll(refs, () => versions() !== before, { clock, signal, late: 'the pause is over', ...bound })
        .catch((error: unknown) => {
          if (signal.aborted) throw error;
        });
    }
  }

  async #putBack(kept: PrimaryTraffic, strayed: readonly Strayed[], deps: GuardDeps): Promise<void> {
    const { view, clock, signal } = deps;
    const { canary, specs, anchor } = kept;
    const primary = view.find(primaryRefOf(canary))?.object;
    if (!primary) return;
    try {
      for (const spec of specs) await moveTraffic(spec, primary, { side: 'primary', anchor }, deps);
    } catch (error) {
      if (signal.aborted || !isConflict(error)) throw error;
      await sleep(clock, CONFLICT_MS, signal);
      return;
    }
    const nowMs = clock.monotonicMs();
    for (const { ref, fields, undoing } of strayed) {
      const key = refKey(ref);
      this.#brake.corrected(key, nowMs, undoing, { isRoute: true, fields });
      this.#answered.set(key, view.find(ref)?.object.metadata.resourceVersion ?? '');
    }
    this.#say(kept, strayed, deps);
  }

  /** The first correction of a field, and that others fight it. */
  #say({ canary, why }: PrimaryTraffic, strayed: readonly Strayed[], { view, announceOn }: GuardDeps): void {
    const { kind, name } = canary.spec.targetRef;
    const rest =
      why === 'kept'
        ? `since the primary is kept; ${waysOn(canary.metadata, `${kind}/${name}`)}`
        : `since the Canary was deleted, and ${kind} ${name} is not ready yet: its primary serves until then`;
    const announce = (key: string, announcement: Parameters<GuardDeps['announceOn']>[1]): void => {
      const ref = strayed.find((one) => refKey(one.ref) === key)?.ref;
      const object = ref && view.find(ref)?.object;
      if (object) announceOn({ ...object, ...ref }, announcement);
    };
    for (const correction of this.#brake.takeNews())
      announce(correction.key, { reason: 'DriftCorrected', type: 'Normal', message: `${correctionText(correction)}, ${rest}` });
    for (const { key, ...undoing } of this.#brake.contested()) {
      if (this.#contested.has(key)) continue;
      this.#contested.add(key);
      announce(key, {
        reason: 'Contested',
        type: 'Warning',
        message: `${undoneText(undoing)}; Serin puts it back after growing pauses, ${rest}`,
      });
    }
  }

  /** Its pods get no traffic, and are not touched, like those of an idle Canary. */
  #seeTarget(canary: Canary, { view, announceOn }: GuardDeps): void {
    const ref = targetRefOf(canary);
    const target = view.find(ref)?.object;
    const workload = workloadFor(canary.spec.targetRef);
    if (!target || 'unsupported' in workload || !workload.hasPods) return;
    // The mark is written when the target has been scaled to zero.
    const isScaledUp = target.metadata.annotations?.[keptAnnotation] !== undefined && workload.replicas(target) > 0;
    const { kind, name } = ref;
    const message = `${kind} ${name} was scaled up while its primary is kept: its pods get no traffic, and Serin leaves them alone. To save them, take the replicas out of its manifest and scale it to zero`;
    if (isScaledUp && !this.#isScaledUp) announceOn({ ...target, ...ref }, { reason: 'TargetScaledUp', type: 'Warning', message });
    this.#isScaledUp = isScaledUp;
  }

  #followersOf({ canary, specs }: PrimaryTraffic, deps: GuardDeps): KubeObject[] {
    const workload = workloadFor(canary.spec.targetRef);
    const primary = deps.view.find(primaryRefOf(canary))?.object;
    if (!primary || 'unsupported' in workload || !workload.hasPods) return [];
    const selector = selectorsOf(workload, { primary }, deps.config);
    return 'problem' in selector ? [] : specs.flatMap((spec) => followersOf(spec, selector, deps));
  }

  /** Objects that visibly lead elsewhere. */
  #strayedOf({ canary, specs, why }: PrimaryTraffic, deps: GuardDeps): Strayed[] {
    const { view, config } = deps;
    const primary = view.find(primaryRefOf(canary))?.object;
    const workload = workloadFor(canary.spec.targetRef);
    if (!primary || 'unsupported' in workload) return [];
    const selector = selectorsOf(workload, { primary }, config);
    if ('problem' in selector) return [];
    const { key, primary: value, wholePrimary } = selector;
    const selectorIn = (live: KubeObject): Labels => specOf<ServiceSpec>(live).selector ?? {};
    // An earlier Serin has written only the one label, and followers keep theirs beside it: a selector that no write of ours changes has not strayed.
    const apexSelector = (live: KubeObject): Labels =>
      wholePrimary && !isDeepStrictEqual(selectorIn(live), { [key]: value }) ? wholePrimary : { [key]: value };
    const led = (live: KubeObject, labels: Labels) => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: live.metadata.name, namespace: canary.metadata.namespace } },
      spec: { selector: labels },
    });
    const wanted = (spec: Canary): KubeObject[] => {
      const found = (refs: readonly ObjectRef[]) => refs.flatMap((ref) => view.find(ref)?.object ?? []);
      const apexes = workload.hasPods ? found([apexRef(spec)]) : [];
      const routes = why === 'kept' ? found(routeRefs(spec, config)) : [];
      return [
        ...missingRoutes(spec, { found: primary, selector, side: 'primary' }, routes, config).map(({ object }) => object),
        ...followersOf(spec, selector, deps).map((live) => led(live, { ...selectorIn(live), [key]: value })),
        ...apexes.map((live) => led(live, apexSelector(live))),
      ];
    };
    return specs.flatMap(wanted).flatMap((object) => {
      const ref = refOf(object);
      const live = view.find(ref);
      const fields = live ? [...missingFields(object, live.object)] : [];
      const [field] = fields;
      if (!live || field === undefined) return [];
      const isAsAnswered = this.#answered.get(refKey(ref)) === live.object.metadata.resourceVersion;
      const undoing: Undoing = isAsAnswered ? { field, by: 'server' } : { field, by: 'another', ...writerOf(live, field) };
      return [{ ref, fields, undoing }];
    });
  }
}

const apexRef = (canary: Canary) => ({
  apiVersion: 'v1',
  kind: 'Service',
  name: names(canary).apexService,
  namespace: canary.metadata.namespace,
});

function routeRefs(canary: Canary, config: GuardDeps['config']): readonly ObjectRef[] {
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  return 'unsupported' in router || !router.supports.weights ? [] : router.watches(canary);
}

const refsOf = ({ canary, specs }: PrimaryTraffic, { config }: GuardDeps): ObjectRef[] => [
  targetRefOf(canary),
  primaryRefOf(canary),
  ...specs.flatMap((spec) => [apexRef(spec), ...routeRefs(spec, config)]),
];
