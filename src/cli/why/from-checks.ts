import type { Canary } from '../../api/canary.ts';
import type { Release, Verdict } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { codeOfHook } from '../../engine/blockers-of.ts';
import { judgeChecks } from '../../engine/judge.ts';
import { isRefusedBy } from '../canaries/canary-report.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import type { ChangeOf } from '../output/documents.ts';
import { causeOf } from './causes.ts';
import { changeOf, proofIn, type Trouble, toSet } from './finding.ts';

/** The hook that holds a release. */
export function fromHooks({ raw }: CanarySnapshot, { spec }: Canary, release: Release): Trouble | undefined {
  const { webhooks = [] } = spec.analysis;
  const index = webhooks.findIndex((hook) => isRefusedBy(hook, release));
  const hook = webhooks[index];
  if (hook === undefined) return undefined;
  const cause = codeOfHook(hook.type ?? '');
  const isGate = cause === 'GateClosed';
  return {
    cause,
    proof: [proofIn(raw, 'status.release.reason', release.reason), proofIn(raw, `spec.analysis.webhooks[${index}].url`, hostOf(hook.url))],
    action: isGate ? `ask the owner of the gate ${hook.name} to open it` : `ask the owner of ${hook.name} to let it pass`,
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
      proof: [
        proofIn(raw, `${at}.value`, verdict.value ?? verdict.reason),
        ...(verdict.limit ? [proofIn(raw, `${at}.limit`, verdict.limit)] : []),
      ],
      action: `push a version that passes ${verdict.check}, or set the target back to the promoted one`,
      change: { template: '' },
    };
  return { ...fromUnmeasured(raw, canary, verdict), proof: [proofIn(raw, `${at}.reason`, verdict.reason)] };
}

/** Why a check has no value, and which object or field decides that. */
function fromUnmeasured(raw: KubeObject, canary: Canary | undefined, verdict: Verdict): Omit<Trouble, 'proof'> {
  const { check, code = 'Unmeasured', object, field, reason = '' } = verdict;
  const cause = causeOf(code);
  const owner = object && { kind: object.kind, metadata: { name: object.name, namespace: object.namespace } };
  const create = owner && { change: changeOf('create', owner) };
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
      const what = field === 'spec.query' || object === undefined ? `the query of ${check}` : `${field} of ${object.kind} ${object.name}`;
      return { cause, action: `correct ${what}: ${reason}`, ...(field === undefined ? {} : { change: toSet(owner ?? raw, field) }) };
    }
    case 'Unmeasured':
      return {
        cause,
        action: `ask the owner of the metrics to restore them; correct the address or credentials of ${check} if they are wrong`,
        change: serverOf(raw, canary, check),
      };
    default:
      return code satisfies never;
  }
}

/** The field that holds the address of the metrics server that a check asks; undefined: it is a flag of the controller. */
function serverOf(raw: KubeObject, canary: Canary | undefined, check: string): ChangeOf | undefined {
  const { templateRef } = canary?.spec.analysis.metrics?.find(({ name }) => name === check) ?? {};
  if (templateRef === undefined) return canary?.spec.metricsServer === undefined ? undefined : toSet(raw, 'spec.metricsServer');
  const { name, namespace = raw.metadata.namespace } = templateRef;
  return toSet({ kind: 'MetricTemplate', metadata: { name, namespace } }, 'spec.provider.address');
}
