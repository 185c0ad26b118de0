import { adoptField } from '../../api/adopt-annotation.ts';
import type { Blocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { BlockerCode } from '../../api/codes/codes.ts';
import { ownerAnnotation } from '../../api/names.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { causeOf, fieldProof, objectChange, type Trouble, toSet } from './finding.ts';

/** Blockers of the objects of a release: nothing goes on before one of them is removed. */
const OF_OBJECTS: ReadonlySet<BlockerCode> = new Set<BlockerCode>([
  'TargetUnusable',
  'TargetUnobserved',
  'ConfigNotFound',
  'ConfigUnreadable',
  'ConfigCopyRejected',
  'NameTaken',
  'KindNotFound',
  'Forbidden',
  'QuotaExceeded',
  'ApiRejected',
  'NamespaceUnavailable',
  'ScalerNotFound',
  'TemplateLeftover',
  'NoPromotedTemplate',
  'RouteRejected',
  'RouteMissing',
  'Other',
]);

/** A blocker that one of the release's objects causes. */
export const isOfObjects = ({ code }: Blocker): boolean => OF_OBJECTS.has(code);

/** A blocker of the objects of a release, and its remedy. */
export function fromBlocker({ raw }: CanarySnapshot, blocker: Blocker): Trouble {
  const { code, object, field, detail = '' } = blocker;
  const cause = causeOf(code);
  const said = fieldProof(raw, 'status.conditions[Promoted].message', blockerText(blocker));
  const ofCluster = { cause, about: blocker, proof: [said] };
  if (code === 'Forbidden') return ofCluster;
  if (object === undefined) {
    if (field === undefined || code === 'ApiRejected') return ofCluster;
    return { ...ofCluster, proof: [fieldProof(raw, field), said], action: `correct ${field}: ${detail}`, change: toSet(raw, field) };
  }
  const { kind, name, namespace } = object;
  const concerned = { kind, metadata: { name, namespace } };
  const about = (at: string, value: string) => ({ ...ofCluster, proof: [fieldProof(concerned, at, value), said] });
  switch (code) {
    case 'ConfigNotFound':
    case 'ScalerNotFound':
    case 'RouteMissing':
      return { ...about('metadata', 'not found'), change: objectChange('create', concerned) };
    case 'KindNotFound': {
      const crd = { kind: 'CustomResourceDefinition', metadata: { name: `${kind} in ${object.apiVersion}` } };
      return { ...ofCluster, proof: [fieldProof(crd, 'spec.versions', 'not found'), said], change: objectChange('create', crd) };
    }
    case 'NameTaken':
      return {
        ...about(`metadata.annotations[${ownerAnnotation}]`, 'not this Canary'),
        change: field === adoptField ? toSet(concerned, adoptField) : objectChange('remove', concerned),
      };
    case 'QuotaExceeded':
      return about('spec.hard', detail);
    case 'TemplateLeftover':
      return about(field ?? 'spec.template', 'put back');
    case 'NoPromotedTemplate':
      return { ...about('metadata', 'no record of the promoted revision'), change: { template: '' } };
    case 'TargetUnusable':
      return { ...about(field ?? 'metadata', detail), ...(field === undefined ? {} : { change: toSet(concerned, field) }) };
    default:
      return about(field ?? 'metadata', detail);
  }
}
