import { apiVersion, group } from '../../../api/canary.ts';
import { error } from '../../../api/finding.ts';
import { specOf } from '../../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../../api/kube-object.ts';
import { shorten } from '../../../base/field-path.ts';
import { apiGroupOf, findingOn, type ManifestCheck, ourKinds } from '../manifests.ts';
import { nearest } from '../nearest.ts';

/** An object that is meant as one of ours and is not read as one, for its `apiVersion` or `kind`. */
export const spelling: ManifestCheck = ({ items }) =>
  items.flatMap((item) => {
    const { object } = item;
    const meant = meantKind(object);
    if (meant === undefined) return [];
    const wrongKind =
      object.kind === meant ? [] : [error('kind', `is ${shown(object.kind)}, which ${apiVersion} does not have: use ${meant}`)];
    const wrongVersion =
      object.apiVersion === apiVersion ? [] : [error('apiVersion', `is ${shown(object.apiVersion)}: a ${meant} has ${apiVersion}`)];
    return findingOn(item, [...wrongVersion, ...wrongKind]);
  });

const shown = (value: unknown): string => (value === undefined ? 'missing' : shorten(value));

/** The kind that a misspelt object is meant to be; `undefined` for a correct object, and for an object of another project. */
export function meantKind(object: KubeObject): string | undefined {
  if (typeof object.kind === 'string' && object.kind.endsWith('List')) return undefined;
  const known = ourKinds.find((kind) => kind === object.kind);
  const likely = known ?? nearest(String(object.kind ?? ''), [...ourKinds, 'Canaries']);
  const kind = likely === 'Canaries' ? 'Canary' : likely;
  if (apiGroupOf(object) === group) {
    if (known && object.apiVersion === apiVersion) return undefined;
    return kind ?? kindByFields(object) ?? 'Canary';
  }
  const byFields = kindByFields(object);
  if (known && (isNearOurGroup(object) || byFields === known)) return known;
  return byFields !== undefined && (byFields === kind || object.kind === undefined) ? byFields : undefined;
}

/** Other projects also have a kind Canary, in groups of their own. */
const isNearOurGroup = (object: KubeObject): boolean => {
  const own = apiGroupOf(object);
  return !own.includes('.') || /flag+er/i.test(own) || nearest(own, [group]) !== undefined;
};

interface OurFields {
  targetRef: unknown;
  analysis: unknown;
  canaryAnalysis: unknown;
  provider: { type?: unknown } | null;
  query: unknown;
}

function kindByFields(object: KubeObject): string | undefined {
  const { targetRef, analysis, canaryAnalysis, provider, query } = specOf<OurFields>(object);
  if (targetRef && (analysis || canaryAnalysis)) return 'Canary';
  return provider?.type && typeof query === 'string' ? 'MetricTemplate' : undefined;
}
