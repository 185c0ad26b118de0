import type { Canary } from '../../api/canary.ts';
import { asConfig } from '../../api/kinds/config.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names, ownerAnnotation } from '../../api/names.ts';
import { withoutTracking, withPrefix } from '../../api/tracking-metadata.ts';
import { isRecord } from '../../base/json.ts';
import { withoutTrailing } from '../../base/text-search.ts';
import { canaryLabel, canaryLabelValue } from '../anchor.ts';
import { digest } from '../digest.ts';
import type { PrimarySpec } from '../workload.ts';
import { type ConfigKey, type ConfigRef, configKey } from './config-ref.ts';
import type { FoundConfigs } from './read-configs.ts';
import { configReferences } from './references.ts';
import type { SeenConfigs } from './revision.ts';
import { isTracked } from './tracking.ts';

/** Names the source of a copy, for readers. */
export const copiedFromAnnotation = 'serin.dev/copied-from';

const LONGEST_NAME = 253;
const HASH_DIGITS = 10;

/** Copies that a primary reads in place of the originals: the objects to make first, and the names for its template. */
export interface ConfigCopies {
  copies: KubeObject[];
  /** By ref key; a config that is not tracked keeps its name. */
  names: ReadonlyMap<ConfigKey, string>;
}

/**
 * The copies of the configs that were read, and their names for the primary. An optional config that does not exist gets a name that no object has: a config
 * that appears later must be analysed before a primary's pod reads it. `seen` has the salted checksums of Secrets.
 */
export function copiesOf(canary: Canary, found: FoundConfigs, seen: SeenConfigs, includeLabelPrefix: readonly string[]): ConfigCopies {
  const copies: KubeObject[] = [];
  const named = new Map<ConfigKey, string>();
  for (const [key, source] of found) {
    if (source === undefined) {
      named.set(key, fitting(key.slice(key.indexOf('/') + 1), '-primary-absent'));
    } else if (isTracked(source)) {
      const copy = renderCopy(canary, source, includeLabelPrefix, seen[key]?.checksum);
      copies.push(copy);
      named.set(key, copy.metadata.name);
    }
  }
  return { copies, names: named };
}

/**
 * The copy of a config that one Canary's primary reads. Named `<source>-primary-<10 digits of its content>` and `immutable`: a running primary never sees other
 * bytes, and a restored template finds the copies with which it ran. It has no owner: the caller adds the anchor. `checksum` is the salted one of a
 * Secret; without it the name does not depend on the content.
 */
export function renderCopy(canary: Canary, source: KubeObject, includeLabelPrefix: readonly string[], checksum?: string): KubeObject {
  const { kind, metadata } = source;
  const labels: Labels = withPrefix(withoutTracking(metadata.labels), includeLabelPrefix);
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: copyName(canary, source, checksum),
      namespace: canary.metadata.namespace,
      labels: { ...labels, [canaryLabel]: canaryLabelValue(canary.metadata.name) },
      annotations: { [ownerAnnotation]: canary.metadata.uid, [copiedFromAnnotation]: metadata.name },
    },
    ...contentOf(source),
    immutable: true,
  };
}

/** The object found under the name of a copy is that copy: ours, and with the content from which its name is made. */
export function isSameCopy(found: KubeObject, rendered: KubeObject): boolean {
  const isOurs = found.metadata.annotations?.[ownerAnnotation] === rendered.metadata.annotations?.[ownerAnnotation];
  return isOurs && hasSameContent(found, rendered);
}

export function hasSameContent(one: KubeObject, other: KubeObject): boolean {
  return digest({ kind: one.kind, ...contentOf(one) }) === digest({ kind: other.kind, ...contentOf(other) });
}

/** We made the copy for this Canary, or a Canary of its name, from this source. */
export function isCopyFrom(canary: Canary, { metadata }: KubeObject, source: string): boolean {
  return metadata.annotations?.[copiedFromAnnotation] === source && isOfCanary(canary, metadata);
}

/** A copy of this source can have this name. */
export function isNamedAfter(copy: string, source: string): boolean {
  const suffix = `-primary-${copy.slice(-HASH_DIGITS)}`;
  return copy === fitting(source, suffix);
}

/** Checks only the name; the annotations show that it is ours. */
export function isCopyName({ name }: ConfigRef): boolean {
  return /-primary-[0-9a-f]{10}$/.test(name);
}

/** A Secret, and the copy of it that a primary reads. */
export interface CopyInUse {
  source: string;
  copy: string;
}

/** The copies of these Secrets among the configs that a primary reads. A copy of a source with a long name has only its beginning. */
export function copiesInUse(sources: readonly ConfigRef[], held: readonly ConfigRef[]): CopyInUse[] {
  return held.flatMap((ref) => {
    if (ref.kind !== 'Secret' || !isCopyName(ref)) return [];
    const source = sources.find(({ kind, name }) => kind === 'Secret' && isNamedAfter(ref.name, name));
    return source ? [{ source: source.name, copy: ref.name }] : [];
  });
}

/** The copies, as `kind/name`, that these templates read; others that we made for the Canary can be deleted. */
export function configsOf(templates: readonly PrimarySpec[]): ReadonlySet<ConfigKey> {
  return new Set(templates.flatMap(({ template }) => configReferences(template?.spec).map(configKey)));
}

/**
 * The copies of this Canary, and of a Canary that was created again under its name, that no kept template reads. An object without our labels is not ours to
 * delete.
 */
export function copiesToPrune(canary: Canary, copies: readonly KubeObject[], kept: readonly PrimarySpec[]): KubeObject[] {
  const needed = configsOf(kept);
  return copies.filter(({ kind, metadata }) => {
    if (kind !== 'ConfigMap' && kind !== 'Secret') return false;
    const isCopy = metadata.annotations?.[copiedFromAnnotation] !== undefined && isOfCanary(canary, metadata);
    return isCopy && !needed.has(configKey({ kind, name: metadata.name }));
  });
}

/** All who may read the primary see this name: for a Secret it is made from the salted checksum, since its content could be guessed from a plain one. */
function copyName(canary: Canary, source: KubeObject, checksum: string | undefined): string {
  const { kind, metadata } = source;
  const content = kind === 'Secret' ? { checksum, type: asConfig(source).type } : contentOf(source);
  const hash = digest({ canary: canary.metadata.uid, kind, name: metadata.name, content }).slice(0, HASH_DIGITS);
  return fitting(metadata.name, `-primary-${hash}`);
}

function isOfCanary(canary: Canary, { annotations, ownerReferences = [] }: KubeObject['metadata']): boolean {
  const { anchor } = names(canary);
  const isOwned = ownerReferences.some(({ kind, name }) => kind === 'ControllerRevision' && name === anchor);
  return isOwned || annotations?.[ownerAnnotation] === canary.metadata.uid;
}

/** The name is cut to the length that Kubernetes allows; a cut can end in a character that no part of a name can end in. */
function fitting(name: string, suffix: string): string {
  return `${withoutTrailing(name.slice(0, LONGEST_NAME - suffix.length), '.-')}${suffix}`;
}

/** The data that pods read, and its type; servers omit empty maps. */
function contentOf(config: KubeObject): { data?: object; binaryData?: object; type?: string } {
  const { data, binaryData, type } = asConfig(config);
  return { ...(isFilled(data) && { data }), ...(isFilled(binaryData) && { binaryData }), ...(type && { type }) };
}

function isFilled(map: unknown): map is object {
  return isRecord(map) && Object.keys(map).length > 0;
}
