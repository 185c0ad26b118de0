import { adoptAnnotation, ownerAnnotation } from '../../api/names.ts';
import type { ChangeOf } from '../output/documents.ts';
import type { Sight } from '../people/sight.ts';
import type { Cause } from './causes.ts';
import { proofIn, shown, type Trouble, toCorrect, toCreate, toRemove, toSet, valueAt } from './finding.ts';
import { wayOut } from './from-refusal.ts';

interface Form {
  cause: Cause;
  /** `kind` and `name` are the object concerned, `field` what of it or of the Canary. */
  form: RegExp;
  field?: string;
  value?: string;
}

/** As the errors of the controller word them (README, Errors); the first that fits. */
const FORMS: readonly Form[] = [
  {
    cause: 'ConfigMissing',
    form: /^(?<kind>ConfigMap|Secret) (?<name>\S+), which the target's pods need, does not exist/,
    value: 'does not exist',
  },
  { cause: 'ConfigUnreadable', form: /^(?<kind>ConfigMap|Secret) (?<name>\S+) cannot be (watched|read)/ },
  { cause: 'ConfigCopyRefused', form: /^(?<kind>ConfigMap|Secret) (?<name>\S+), the copy that the primary is to read, cannot be made/ },
  {
    cause: 'NameTaken',
    form: /^(?<kind>\S+) (?<name>\S+) exists and is not ours/,
    field: `metadata.annotations[${ownerAnnotation}]`,
    value: 'not this Canary',
  },
  {
    cause: 'KindAbsent',
    form: /^(spec\.\w+: )?the cluster has no (?<name>\S+( in \S+[^\s:;,])?)/,
    field: 'spec.versions',
    value: 'does not exist',
  },
  { cause: 'ScalerMissing', form: /^spec\.autoscalerRef: (?<kind>\S+) (?<name>\S+) does not exist/, value: 'does not exist' },
  { cause: 'TemplateLeftover', form: /^(?<name>\S+) still holds (?<field>\S+) after the promotion/ },
  {
    cause: 'NoPromotedTemplate',
    form: /^the last promoted template of (?<name>\S+) is not kept/,
    value: 'no record of the promoted revision',
  },
  { cause: 'TargetUnusable', form: /^((?<kind>Deployment|DaemonSet) )?(?<name>\S+): (?<field>spec\.[\w.[\]-]*\w)/ },
  {
    cause: 'QuotaExceeded',
    form: /^the API server refused .*\bexceeded quota: (?<name>[^\s,]+).*: who owns the quota can raise it$/,
    field: 'spec.hard',
  },
  { cause: 'Forbidden', form: /^the API server refused .*: grant it to the service account of Serin/ },
  { cause: 'ApiRefused', form: /^the API server refused / },
  { cause: 'RouteRefused', form: /^(?<field>(spec|service|analysis|provider)\b[\w.[\]-]*)/ },
];

/** Of the object concerned, where the sentence does not say it and it is not the target. */
const KINDS: Readonly<Partial<Record<Cause, string>>> = { KindAbsent: 'CustomResourceDefinition', QuotaExceeded: 'ResourceQuota' };

/** What stands in the way of the objects of a release, as the sentence of `explain` tells it. */
export function fromObstacle(sight: Sight, obstacle: string): Trouble {
  const { raw, canary } = sight;
  const said = proofIn(raw, 'status.conditions[Promoted].message', obstacle);
  for (const { cause, form, field, value } of FORMS) {
    const found = form.exec(obstacle)?.groups;
    if (found === undefined && !form.test(obstacle)) continue;
    const { kind, name, field: told } = found ?? {};
    const namespace = raw.metadata.namespace;
    const action = cause === 'Forbidden' ? 'grant it to the service account of Serin, by a Role or ClusterRole' : wayOut(obstacle);
    if (cause === 'RouteRefused') {
      const path = (told ?? '').startsWith('spec') ? (told ?? '') : `spec.${told}`;
      return { cause, proof: [proofIn(raw, path, valueAt(raw, path)), said], action, change: toSet(raw, path) };
    }
    if (name === undefined) return { cause, proof: [said], action };
    const owner = kind ?? KINDS[cause] ?? canary?.spec.targetRef.kind ?? 'object';
    const at = cause === 'KindAbsent' ? {} : { namespace };
    const proof = { kind: owner, ...at, name, field: told ?? field ?? 'metadata', value: value ?? shown(obstacle) };
    const concerned = { kind: owner, metadata: { name, ...(at.namespace && { namespace: at.namespace }) } };
    return { cause, proof: [proof, said], action, ...wayOutOf(cause, sight, concerned, obstacle, proof.field) };
  }
  return { cause: 'Obstacle', proof: [said], action: wayOut(obstacle) };
}

/** What a person can change about it, where it is a matter of one object, and how to look at that. */
function wayOutOf(
  cause: Cause,
  sight: Sight,
  { kind, metadata }: { kind: string; metadata: { name: string; namespace?: string } },
  obstacle: string,
  field: string,
): { change?: ChangeOf; look?: string } {
  const { name, namespace } = metadata;
  switch (cause) {
    case 'ConfigMissing':
    case 'ScalerMissing':
    case 'KindAbsent':
      return { change: toCreate(kind, name, namespace) };
    case 'NameTaken': {
      const change = obstacle.includes(adoptAnnotation)
        ? toSet({ kind, metadata }, `metadata.annotations[${adoptAnnotation}]`)
        : toRemove(kind, name, namespace);
      return { change, look: `kubectl get ${kind.toLowerCase()} ${name} -n ${namespace} -o yaml` };
    }
    case 'QuotaExceeded':
      return { look: `kubectl describe resourcequota ${name} -n ${namespace}` };
    case 'TargetUnusable':
      return { change: toSet({ kind, metadata }, field) };
    case 'NoPromotedTemplate':
      return toCorrect(sight);
    default:
      return {};
  }
}
