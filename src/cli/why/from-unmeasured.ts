import type { Canary, Metric } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ChangeOf } from '../output/documents.ts';
import { type Trouble, toCreate, toSet } from './finding.ts';

/** Why a check has no value, as its reason tells, and which object or field that is a matter of. */
export function fromUnmeasured(raw: KubeObject, canary: Canary | undefined, { check, reason = '' }: Verdict): Omit<Trouble, 'proof'> {
  const { metrics = [] } = canary?.spec.analysis ?? {};
  const index = metrics.findIndex(({ name }) => name === check);
  const metric = metrics[index];
  const template = metric && templateOf(raw, metric);
  const [, namespace, name = ''] = /MetricTemplate (\S+?)\/(\S+?):? not found/.exec(reason) ?? [];
  if (name !== '')
    return {
      cause: 'TemplateMissing',
      action: 'create the MetricTemplate, or correct templateRef of the metric',
      change: toCreate('MetricTemplate', name, namespace),
    };
  if (reason.includes(' may not be used for ')) return { cause: 'Unmeasured', action: `allow the Secret, or name another: ${reason}` };
  if (/no series|too few|no data|empty/i.test(reason))
    return { cause: 'NoTraffic', action: `send requests to the canary, as a load test does, or correct the query of ${check}` };
  const secret = /Secret (\S+)\/(\S+) not found/.exec(reason);
  if (secret)
    return {
      cause: 'Unmeasured',
      action: 'create the Secret, or correct its name',
      change: toCreate('Secret', secret[2] ?? '', secret[1]),
    };
  const query = metric?.query === undefined ? undefined : toSet(raw, `spec.analysis.metrics[${index}].query`);
  if (/^query template \d/.test(reason) || /^Prometheus answered 400/.test(reason))
    return { cause: 'QueryInvalid', action: `correct the query of ${check}: ${reason}`, ...changing(template?.('spec.query') ?? query) };
  const [, field] = /^MetricTemplate \S+: (spec[.\w]*)/.exec(reason) ?? [];
  if (field !== undefined)
    return { cause: 'QueryInvalid', action: `correct ${field} of the MetricTemplate`, ...changing(template?.(field)) };
  const server = canary?.spec.metricsServer === undefined ? undefined : toSet(raw, 'spec.metricsServer');
  return {
    cause: 'Unmeasured',
    action: `who runs the metrics can bring them back; correct the address or credentials of ${check} if they are wrong`,
    ...changing(template ? template('spec.provider.address') : server),
  };
}

const changing = (change: ChangeOf | undefined): { change?: ChangeOf } => (change === undefined ? {} : { change });

function templateOf({ metadata }: KubeObject, { templateRef }: Metric): ((field: string) => ChangeOf) | undefined {
  if (templateRef === undefined) return undefined;
  const { name, namespace = metadata.namespace } = templateRef;
  return (field) => toSet({ kind: 'MetricTemplate', metadata: { name, ...(namespace && { namespace }) } }, field);
}
