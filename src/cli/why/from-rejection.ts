import type { Blocker } from '../../api/blocker.ts';
import { blockers } from '../../api/blockers.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import { resumeAnnotation } from '../../api/names.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import { type Cause, causeOf } from './causes.ts';
import { changeOf, proofIn, type Trouble, toSet } from './finding.ts';

/** The condition `Accepted` says why a spec is not run, or an edit of it; its reason is a code of the closed list. */
export function fromRejection(
  { raw }: CanarySnapshot,
  { reason, message = '', field: ofCondition }: CanaryCondition,
  known: readonly Blocker[],
): Trouble {
  const code = isCode(reason) ? reason : 'Other';
  const cause: Cause = causeOf(code);
  const field = known.find((one) => one.code === reason)?.field ?? ofCondition;
  const said = proofIn(raw, 'status.conditions[Accepted].message', message);
  const proof = field === undefined ? [said] : [proofIn(raw, field), said];
  const blocker = { code };
  switch (cause) {
    case 'Suspended':
      return suspended({ raw });
    case 'ForeignController':
      return {
        cause,
        proof: [said, proofIn(raw, `metadata.annotations[${resumeAnnotation}]`, raw.metadata.annotations?.[resumeAnnotation])],
        action: 'stop the other controller, then let Serin go on',
        blocker,
      };
    case 'CRDOutdated':
      return {
        cause,
        proof: [said, proofIn(raw, 'status.release')],
        action: 'ask the administrator of the cluster to bring the definitions to this version',
        blocker,
      };
    case 'TargetTaken':
      // Keep the older one, which serves: without it the application would be restored, and released anew.
      return {
        cause,
        proof,
        action: 'remove this Canary, or let it release another target',
        change: changeOf('remove', raw),
        blocker,
      };
    case 'Other':
      return { cause, proof, action: message };
    default:
      return { cause, proof, action: `correct the spec: ${message}`, change: toSet(raw, field ?? 'spec'), blocker };
  }
}

const isCode = (reason: string): reason is keyof typeof blockers => Object.hasOwn(blockers, reason);

/** The cause of a suspended Canary. */
export function suspended({ raw }: Pick<CanarySnapshot, 'raw'>): Trouble {
  return {
    cause: 'Suspended',
    proof: [proofIn(raw, 'spec.suspend', true)],
    action: 'set spec.suspend to false',
    blocker: { code: 'Suspended' },
  };
}
