import type { Canary } from '../../api/canary.ts';
import type { KeptPrimary } from '../../api/kept-primary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { anchorRef, type Originals } from '../../workloads/anchor.ts';
import type { SecretSalts } from '../adoption/secret-salts.ts';
import { targetRefOf } from '../facts/gather-facts.ts';
import { currentAndFormerSpecs } from '../reconcile/former-specs.ts';
import { announceHandOver, announceKept } from './announce-kept.ts';
import { bequeath, ownRestored } from './bequeath.ts';
import { handOverOf, noTarget } from './hand-over.ts';
import { isKeptBy, readHandOverFacts, recordDeletedWith, recordHandOver } from './hand-over-facts.ts';
import { type KeepDeps, keepPrimary, keepTraffic, recordKept, sameProvider } from './keep-primary.ts';
import { markTarget } from './kept-marks.ts';
import type { PrimaryGuard, PrimaryTraffic } from './primary-guard.ts';
import { findTarget, type RestoreDeps, type RestoreOutcome, restoreApplication } from './restore-application.ts';

export interface FinishDeps extends Omit<RestoreDeps, 'isDue' | 'isInterrupted'>, KeepDeps {
  /** A Canary without a release on this target, whose spec can be read. */
  heir(): Canary | undefined;
  /** A Canary of another name that already runs a release of this target, as beside an anchor that a restored backup has brought back. */
  holder(): Promise<Canary | undefined>;
  salts: Pick<SecretSalts, 'of' | 'inherit'>;
  /** Guard of this deletion, for each of its decisions. */
  guard: PrimaryGuard;
}

/** `PrimaryTraffic`: the primary keeps serving until something of it changes. */
export type FinishOutcome = Exclude<RestoreOutcome, 'changed'> | PrimaryTraffic;

/**
 * Ends what the deletion of a Canary began (I19): its application goes to its target, if that holds what was promoted or what its user wants; to
 * a Canary that was made over the target meanwhile, or that has it already; or stays on its primary.
 */
export async function finishDeletion(canary: Canary, deps: FinishDeps): Promise<FinishOutcome> {
  const { cluster, anchors, signal } = deps;
  for (;;) {
    if (deps.isInherited()) return 'over';
    const anchor = (await isLeaving(canary, deps)) ? undefined : await cluster.get(anchorRef(canary), { signal });
    const originals = anchor && anchors.read(anchor);
    if (anchor && originals) await ownRestored(canary, anchor, deps);
    const holder = anchor && originals && (await deps.holder());
    if (holder) {
      await bequeath(canary, holder, anchor, originals, deps);
      return 'over';
    }
    const target = await findTarget(canary, deps);
    if (anchor && originals && !target) await recordDeletedWith(canary, noTarget, anchor, deps);
    const outcome = target && anchor && originals ? await decide(canary, target, anchor, originals, deps) : await restore(canary, deps);
    if (outcome !== 'changed') return outcome;
  }
}

async function isLeaving({ metadata: { namespace } }: Canary, { cluster, signal }: FinishDeps): Promise<boolean> {
  const home = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, { signal });
  return home === undefined || home.metadata.deletionTimestamp !== undefined;
}

/** Without a target, or without an anchor. A target that has come meanwhile is compared first. */
const restore = (canary: Canary, deps: FinishDeps): Promise<RestoreOutcome> =>
  restoreApplication(canary, { ...deps, isDue: async () => false, isInterrupted: () => true });

async function decide(
  canary: Canary,
  target: KubeObject,
  anchor: KubeObject,
  originals: Originals,
  deps: FinishDeps,
): Promise<RestoreOutcome | PrimaryTraffic> {
  const { cluster, signal } = deps;
  const factsDeps = { ...deps, hasHeir: () => deps.heir() !== undefined };
  const seen = await readHandOverFacts(canary, target, anchor, factsDeps);
  const { primary } = seen;
  const decision = handOverOf(seen);
  const heir = deps.heir();
  if (primary && decision.to === 'primary') return keepPrimary(canary, { target, anchor, originals }, { ...seen, primary }, deps);
  if (primary && heir && decision.to === 'heir') {
    await keepTraffic(canary, { target, anchor, originals }, primary, deps);
    await bequeath(canary, heir, anchor, originals, deps);
    return 'over';
  }
  const because = decision.to === 'target' ? decision.because : undefined;
  const isWish = because === 'pushed' || because === 'accepted';
  if (primary && isWish && seen.isKept) await keepAndRecord(primary);
  const revisionNow = () => deps.view.find(targetRefOf(canary))?.revision;
  const before = { revision: revisionNow(), hasHeir: seen.hasHeir };
  const isInterrupted = () => (deps.heir() !== undefined) !== before.hasHeir || revisionNow() !== before.revision;
  let isBegun = false;
  const isDue = async (now: KubeObject): Promise<boolean> => {
    const current = await cluster.get(anchorRef(canary), { signal });
    if (current === undefined) return true;
    const decided = handOverOf(await readHandOverFacts(canary, now, current, factsDeps));
    if (decided.to !== 'target') return false;
    await guarded.end();
    // From here on any target is handed over, also after a crash that has taken the marks from the target.
    isBegun = true;
    if (isKeptBy(current)) await announceHandOver(canary, decided.because, deps);
    if (decided.because !== 'promoted') await recordHandOver(canary, current, deps);
    return true;
  };
  const specs = seen.isOnPrimary ? await currentAndFormerSpecs(canary, target, originals, deps) : [];
  const traffic: PrimaryTraffic = { canary, why: 'restoring', specs: sameProvider(specs, canary, deps.config), anchor };
  const guarded = guardMeanwhile(seen.isOnPrimary ? traffic : undefined, deps);
  try {
    return await restoreApplication(canary, { ...deps, signal: guarded.signal, isDue, isInterrupted });
  } catch (error) {
    if (signal.aborted || isBegun || !isWish || !primary) throw error;
    const { message } = error as Error;
    await announceKept(canary, `${message}; ${(await keepAndRecord(primary)).next}`, deps);
    throw error;
  } finally {
    await guarded.end();
  }

  /** Records it on the anchor, and on the target. */
  async function keepAndRecord(serving: KubeObject): Promise<KeptPrimary> {
    const current = (await cluster.get(anchorRef(canary), { signal })) ?? anchor;
    const kept = await recordKept(canary, target, current, { ...seen, primary: serving, isHandingOver: true }, deps);
    await markTarget(canary, kept, deps);
    return kept;
  }
}

/** Guards what leads to the primary until `end`, after which no write of the guard is under way. A guard that fails aborts `signal`. */
function guardMeanwhile(traffic: PrimaryTraffic | undefined, deps: FinishDeps): { signal: AbortSignal; end(): Promise<void> } {
  const { signal } = deps;
  if (traffic === undefined) return { signal, end: async () => {} };
  const over = new AbortController();
  const failed = new AbortController();
  const guarding = deps.guard.guard(traffic, { ...deps, signal: AbortSignal.any([signal, over.signal]) }).catch((error: unknown) => {
    if (!over.signal.aborted) failed.abort(error);
  });
  const end = async (): Promise<void> => {
    over.abort(new Error('the target is up'));
    await guarding;
  };
  return { signal: AbortSignal.any([signal, failed.signal]), end };
}
