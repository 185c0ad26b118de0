import type { Blocker } from '../../api/blocker.ts';
import { adoptField, blockerText } from '../../api/blocker-text.ts';
import type { BlockerCode } from '../../api/blockers.ts';
import { adoptAnnotation, ownerAnnotation } from '../../api/names.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { causeOf } from './causes.ts';
import { changeOf, proofIn, type Trouble, toSet } from './finding.ts';

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
  'ScalerNotFound',
  'TemplateLeftover',
  'NoPromotedTemplate',
  'RouteRejected',
  'Other',
]);

/** A blocker that one of the release's objects causes. */
export const isOfObjects = ({ code }: Blocker): boolean => OF_OBJECTS.has(code);

/** A blocker of the objects of a release, and what removes it. */
export function fromBlocker({ raw }: CanarySnapshot, blocker: Blocker): Trouble {
  const { code, object, field, detail = '' } = blocker;
  const cause = causeOf(code);
  const said = proofIn(raw, 'status.conditions[Promoted].message', blockerText(blocker));
  const ofCluster = { cause, proof: [said] };
  if (code === 'Forbidden') return { ...ofCluster, action: 'grant it to the service account of Serin, by a Role or ClusterRole' };
  if (object === undefined) {
    if (code === 'ApiRejected')
      return { ...ofCluster, action: 'ask the owner of the rule that rejects it to correct the rule or make an exception' };
    if (field === undefined) return { ...ofCluster, action: detail };
    return { cause, proof: [proofIn(raw, field), said], action: `correct ${field}: ${detail}`, change: toSet(raw, field) };
  }
  const { kind, name, namespace } = object;
  const concerned = { kind, metadata: { name, namespace } };
  const about = (at: string, value: string) => ({ cause, proof: [proofIn(concerned, at, value), said], blocker });
  switch (code) {
    case 'ConfigNotFound':
    case 'ScalerNotFound': {
      const action = `create it, or ${code === 'ConfigNotFound' ? 'make the reference optional' : 'correct the name'}`;
      return { ...about('metadata', 'not found'), action, change: changeOf('create', concerned) };
    }
    case 'KindNotFound': {
      const crd = { kind: 'CustomResourceDefinition', metadata: { name: `${kind} in ${object.apiVersion}` } };
      return { cause, proof: [proofIn(crd, 'spec.versions', 'not found'), said], action: detail, change: changeOf('create', crd) };
    }
    case 'NameTaken': {
      const isAdoptable = field === adoptField;
      const adoption = isAdoptable ? `, or annotate it ${adoptAnnotation}=true to hand it over` : '';
      return {
        ...about(`metadata.annotations[${ownerAnnotation}]`, 'not this Canary'),
        action: `rename or remove it${adoption}`,
        change: isAdoptable ? toSet(concerned, adoptField) : changeOf('remove', concerned),
      };
    }
    case 'QuotaExceeded':
      return { ...about('spec.hard', detail), action: 'ask the owner of the quota to raise it' };
    case 'TemplateLeftover':
      return { ...about(field ?? 'spec.template', 'put back'), action: 'stop another controller or webhook from putting it back' };
    case 'NoPromotedTemplate':
      return {
        ...about('metadata', 'no record of the promoted revision'),
        action: 'push a good revision to the target',
        change: { template: '' },
      };
    case 'TargetUnusable':
      return {
        ...about(field ?? 'metadata', detail),
        action: `correct ${kind} ${name}: ${detail}`,
        ...(field === undefined ? {} : { change: toSet(concerned, field) }),
      };
    default:
      return { ...about(field ?? 'metadata', detail), action: detail };
  }
}
