import type { Canary } from '../../api/canary.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, Slim } from '../../api/kube-object.ts';
import { flaggerManager } from '../../api/names.ts';
import type { Adoption } from '../../engine/facts.ts';
import { isForbidden } from '../../kube/errors.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import { anchorReference } from '../../workloads/anchor.ts';
import { configChecksum } from '../../workloads/configs/checksum.ts';
import { type ConfigRef, configKey, configObjectRef } from '../../workloads/configs/config-ref.ts';
import { type FoundConfigs, secretsPolicy, trackable } from '../../workloads/configs/read-configs.ts';
import { isLive, isTracked } from '../../workloads/configs/tracking.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { DepsOf } from '../controller-deps.ts';
import { ConfigUnavailableError } from '../errors.ts';
import { primaryRefOf, readSides } from '../facts/gather-facts.ts';
import { readTargetConfigs } from '../facts/target-configs.ts';
import type { ClusterView } from '../watch/cluster-view.ts';

type AdoptionDeps = DepsOf<'cluster' | 'view' | 'anchors' | 'salts' | 'config' | 'log'>;

/** Another controller has run this Canary, or an earlier one (I19): it has a phase, or a primary of its own, but none of our memory. */
export function isForeign(canary: Canary, view: Pick<ClusterView, 'find'>): boolean {
  const { phase = '', release } = canary.status ?? {};
  if (release !== undefined) return false;
  if (phase !== '' && phase !== 'Initializing') return true;
  const primary = view.find(primaryRefOf(canary));
  return primary !== undefined && (primary.isEstablished === true || isLeft(canary, primary.object));
}

/** Written by a promotion of an earlier Canary: a new one records its release before it makes a primary. */
function isLeft(canary: Canary, primary: Slim): boolean {
  const workload = workloadFor(canary.spec.targetRef);
  return !('unsupported' in workload) && workload.carries(primary) !== undefined;
}

/**
 * Compares another controller's release: its hashes cannot be computed by us, so its primary is compared with the target. The primary's template
 * is kept as the last promoted one before anything is recorded. The reads of an adoption happen once.
 */
export async function inspectAdoption(canary: Canary, deps: AdoptionDeps): Promise<Adoption | undefined> {
  const { cluster, anchors, config, salts, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return undefined;
  const { target, primary } = await readSides({ canary, cluster, signal });
  if (!target || !primary) return undefined;
  const selector = workload.selectors({ target, primary }, config.selectorLabels);
  if ('problem' in selector) return undefined;
  const read = await readTargetConfigs(canary, target, workload, { cluster, config, salts, signal });
  if ('problem' in read) throw new ConfigUnavailableError(read.problem);
  const configs = await establishedCopies(workload.configs?.(target) ?? [], workload.configs?.(primary) ?? [], read.found, (ref) =>
    cluster.get(configObjectRef(ref, canary.metadata.namespace), { signal }),
  );
  const carried = workload.carries(primary);
  const revision = carried === read.unsalted ? read.unsalted : read.revision;
  const options = { ...config, selector, revision, replicas: 1, configs };
  const renderings = [workload.primaryTemplate(canary, target, options), workload.flaggerTemplate?.(target, options)];
  const equals = carried === undefined ? renderings.some((one) => one && workload.adopts(primary, one)) : carried === revision;
  const primaryRevision = carried ?? workload.revision(primary);
  await anchors.ensure(canary, target, signal);
  const promoted = equals ? revision : primaryRevision;
  if (!(await anchors.templates.promoted(canary, signal, promoted)))
    await anchors.templates.keep(canary, workload.held(primary, promoted), promoted, { signal });
  await keepCopies(canary, workload.configs?.(primary) ?? [], deps);
  return { target: revision, equals, primaryRevision, pushed: wasPushedSince(target, canary.status?.lastTransitionTime) };
}

/**
 * True if any writer but the other controller changed the fields that decide the pods after that moment, as the API server recorded it. Both have whole
 * seconds: a change in the same second counts, since too much analysis does no harm.
 */
function wasPushedSince(target: KubeObject, lastTransitionTime: string | undefined): boolean {
  const sinceMs = Date.parse(lastTransitionTime ?? '');
  const part = specOf<PodWorkloadSpec>(target).template === undefined ? undefined : 'f:template';
  return entriesOf(target).some(({ manager, subresource, fieldsV1, time }) => {
    const spec = fieldsV1?.['f:spec'] as Record<string, unknown> | undefined;
    const isOfPods = spec !== undefined && (part === undefined || spec[part] !== undefined);
    return manager !== flaggerManager && (subresource ?? '') === '' && isOfPods && Date.parse(time ?? '') >= sinceMs;
  });
}

/** The copies that the primary reads stay when the Canary goes, as the primary itself does. */
async function keepCopies(
  canary: Canary,
  refs: readonly ConfigRef[],
  { cluster, anchors, config, log, signal }: AdoptionDeps,
): Promise<void> {
  const isTheirs = ({ kind, name }: { kind: string; name: string }) => kind === 'Canary' && name === canary.metadata.name;
  const secrets = secretsPolicy(config, canary.metadata.namespace);
  for (const ref of refs) {
    const source = { ...ref, name: ref.name.slice(0, -'-primary'.length) };
    if (!ref.name.endsWith('-primary') || trackable([source], secrets).length === 0) continue;
    const where = configObjectRef(ref, canary.metadata.namespace);
    const copy = await cluster.get(where, { signal });
    const owners = copy?.metadata.ownerReferences ?? [];
    if (!owners.some(isTheirs)) continue;
    const own = anchorReference(await anchors.reference(canary, signal));
    const ownerReferences = [...owners.filter((owner) => !isTheirs(owner)), own];
    const metadata = { resourceVersion: copy?.metadata.resourceVersion, ownerReferences };
    await cluster.patch(where, { metadata }, { signal }).catch((err: unknown) => {
      // They stay until the Canary goes, which must not keep the Canary from being taken over.
      if (!isForbidden(err)) throw err;
      log.warn({ canary: `${canary.metadata.namespace}/${canary.metadata.name}`, err }, 'a config copy goes with its Canary');
    });
  }
}

/**
 * If the primary reads `<name>-primary`, as Flagger names its copies, with the same content as the source, the primary reads the same as the target: its copies
 * have no binaryData, and are not written until our first promotion.
 */
async function establishedCopies(
  refs: readonly ConfigRef[],
  held: readonly ConfigRef[],
  found: FoundConfigs,
  read: (ref: ConfigRef) => Promise<KubeObject | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const ref of refs) {
    const copy = { ...ref, name: `${ref.name}-primary` };
    if (!held.some((other) => configKey(other) === configKey(copy))) continue;
    const key = configKey(ref);
    // An untracked config is not compared.
    const isSame = !found.has(key) || (await holdsTheSame(found.get(key), () => read(copy)));
    if (isSame) names.set(key, copy.name);
  }
  return names;
}

async function holdsTheSame(source: KubeObject | undefined, readCopy: () => Promise<KubeObject | undefined>): Promise<boolean> {
  if (source === undefined) return false;
  // The content of a live Secret does not count for a revision (E130).
  if (source.kind === 'Secret' && isLive(source)) return true;
  if (!isTracked(source)) return false;
  const copy = await readCopy();
  return copy !== undefined && configChecksum({ data: copy.data }) === configChecksum({ data: source.data });
}
