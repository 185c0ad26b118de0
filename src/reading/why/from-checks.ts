import type { Canary } from '../../api/canary.ts';
import type { Release, Verdict } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { codeOfHook } from '../../engine/hook-refusal.ts';
import { judgeChecks } from '../../engine/judge-checks.ts';
import { isRefusedBy } from '../canary-report.ts';
import type { ChangeOf } from '../documents/canary-documents.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { causeOf, fieldProof, objectChange, type Trouble, toSet } from './finding.ts';

/** The hook that holds a release. */
export function fromHooks({ raw }: CanarySnapshot, { spec }: Canary, release: Release): Trouble | undefined {
  const { webhooks = [] } = spec.analysis;
  const index = webhooks.findIndex((hook) => isRefusedBy(hook, release));
  const hook = webhooks[index];
  if (hook === undefined) return undefined;
  const cause = codeOfHook({ type: hook.type ?? '', isUnanswered: release.refusedBy?.isUnanswered });
  const url = `spec.analysis.webhooks[${index}].url`;
  const isUnreachable = cause === 'WebhookUnreachable';
  return {
    cause,
    about: { webhook: hook.name, ...(isUnreachable && { field: url }) },
    proof: [fieldProof(raw, 'status.release.reason', release.reason), fieldProof(raw, url, hostOf(hook.url))],
    ...(isUnreachable && { change: toSet(raw, url) }),
  };
}

/** Addresses may carry credentials. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? 'no address';

/** The check of the last interval that keeps a release from its next step; checks that are only observed do not count. */
export function fromVerdicts({ raw, canary }: CanarySnapshot, { verdicts = [] }: Release): Trouble | undefined {
  const [verdict] = judgeChecks(verdicts).failed;
  if (verdict === undefined) return undefined;
  const index = verdicts.indexOf(verdict);
  const at = `status.release.verdicts[${index}]`;
  if (verdict.verdict === 'failed')
    return {
      cause: 'CheckFailed',
      about: { metric: verdict.check },
      proof: [
        fieldProof(raw, `${at}.value`, verdict.value ?? verdict.reason),
        ...(verdict.limit ? [fieldProof(raw, `${at}.limit`, verdict.limit)] : []),
      ],
      change: { template: '' },
    };
  return {
    ...fromUnmeasured(raw, canary, verdict),
    proof: [fieldProof(raw, `${at}.reason`, verdict.reason)],
  };
}

/** Reason for which a check has no value, with the object or field that decides it. */
function fromUnmeasured(raw: KubeObject, canary: Canary | undefined, verdict: Verdict): Omit<Trouble, 'proof'> {
  const { check, code = 'Unmeasured', object, field, reason } = verdict;
  const found = { cause: causeOf(code), code, about: { object, field, metric: check, detail: reason } };
  const owner = object && { kind: object.kind, metadata: { name: object.name, namespace: object.namespace } };
  switch (code) {
    case 'TemplateNotFound':
    case 'SecretNotFound':
      return { ...found, ...(owner && { change: objectChange('create', owner) }) };
    case 'SecretRejected':
    case 'NoTraffic':
    case 'TooFewRequests':
    case 'WorkloadUnknown':
    case 'LabelsDiffer':
    case 'QueryEmpty':
      return found;
    case 'MetricNotScraped':
    case 'QueryInvalid':
      return { ...found, ...(field === undefined ? {} : { change: toSet(owner ?? raw, field) }) };
    case 'Unmeasured':
      return { ...found, change: serverOf(raw, canary, check) };
    default:
      return code satisfies never;
  }
}

/** Field with the address of a check's metrics server, `undefined` if a flag of the controller sets it. */
function serverOf(raw: KubeObject, canary: Canary | undefined, check: string): ChangeOf | undefined {
  const { templateRef } = canary?.spec.analysis.metrics?.find(({ name }) => name === check) ?? {};
  if (templateRef === undefined) return canary?.spec.metricsServer === undefined ? undefined : toSet(raw, 'spec.metricsServer');
  const { name, namespace = raw.metadata.namespace } = templateRef;
  return toSet({ kind: 'MetricTemplate', metadata: { name, namespace } }, 'spec.provider.address');
}
