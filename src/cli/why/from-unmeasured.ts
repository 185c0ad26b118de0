import type { Canary } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ChangeOf } from '../output/documents.ts';
import { causeOf } from './causes.ts';
import { type Trouble, toCreate, toSet } from './finding.ts';

/** Why a check has no value, and which object or field decides that. */
export function fromUnmeasured(raw: KubeObject, canary: Canary | undefined, verdict: Verdict): Omit<Trouble, 'proof'> {
  const { check, code = 'Unmeasured', object, field, reason = '' } = verdict;
  const cause = causeOf(code);
  const create = object && { change: toCreate(object.kind, object.name, object.namespace) };
  switch (code) {
    case 'TemplateNotFound':
      return { cause, action: 'create the MetricTemplate, or correct templateRef of the metric', ...create };
    case 'SecretNotFound':
      return { cause, action: 'create the Secret, or correct its name', ...create };
    case 'SecretRejected':
      return { cause, action: `allow the Secret, or name another: ${reason}` };
    case 'NoTraffic':
      return { cause, action: `send requests to the canary, as a load test does, or correct the query of ${check}` };
    case 'QueryInvalid': {
      const owner = object && {
        kind: object.kind,
        metadata: { name: object.name, ...(object.namespace && { namespace: object.namespace }) },
      };
      const what = field === 'spec.query' || object === undefined ? `the query of ${check}` : `${field} of ${object.kind} ${object.name}`;
      return { cause, action: `correct ${what}: ${reason}`, ...(field === undefined ? {} : { change: toSet(owner ?? raw, field) }) };
    }
    case 'Unmeasured':
      return {
        cause,
        action: `ask the owner of the metrics to restore them; correct the address or credentials of ${check} if they are wrong`,
        ...changing(serverOf(raw, canary, check)),
      };
    default:
      return code satisfies never;
  }
}

const changing = (change: ChangeOf | undefined): { change?: ChangeOf } => (change === undefined ? {} : { change });

/** The field that holds the address of the metrics server that a check asks; undefined: it is a flag of the controller. */
function serverOf(raw: KubeObject, canary: Canary | undefined, check: string): ChangeOf | undefined {
  const { templateRef } = canary?.spec.analysis.metrics?.find(({ name }) => name === check) ?? {};
  if (templateRef === undefined) return canary?.spec.metricsServer === undefined ? undefined : toSet(raw, 'spec.metricsServer');
  const { name, namespace = raw.metadata.namespace } = templateRef;
  return toSet({ kind: 'MetricTemplate', metadata: { name, ...(namespace && { namespace }) } }, 'spec.provider.address');
}
