import type { Canary } from '../../api/canary.ts';
import type { Release } from '../../api/canary-status.ts';
import { codeOfHook } from '../../engine/blockers-of.ts';
import { isRefusedBy } from '../canaries/canary-report.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { proofIn, type Trouble, toCorrect } from './finding.ts';
import { fromUnmeasured } from './from-unmeasured.ts';

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
  const counted = verdicts.map((verdict, index) => ({ verdict, index })).filter(({ verdict }) => verdict.observed !== true);
  const worst =
    counted.find(({ verdict }) => verdict.verdict === 'failed') ??
    counted.find(({ verdict }) => verdict.verdict === 'unmeasured' && verdict.early !== true);
  if (worst === undefined) return undefined;
  const { verdict, index } = worst;
  const at = `status.release.verdicts[${index}]`;
  if (verdict.verdict === 'failed')
    return {
      cause: 'CheckFailed',
      proof: [
        proofIn(raw, `${at}.value`, verdict.value ?? verdict.reason),
        ...(verdict.limit ? [proofIn(raw, `${at}.limit`, verdict.limit)] : []),
      ],
      action: `push a version that passes ${verdict.check}, or set the target back to the promoted one`,
      ...toCorrect({ raw, ...(canary && { canary }) }),
    };
  return { ...fromUnmeasured(raw, canary, verdict), proof: [proofIn(raw, `${at}.reason`, verdict.reason)] };
}
