import type { Blocker } from '../../api/blocker.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import { isBlockerCode } from '../../api/codes/codes.ts';
import { asideAnnotation, resumeAnnotation } from '../../api/names.ts';
import { parseStatus } from '../../api/parse-status.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { causeOf, fieldProof, objectChange, type Trouble, toSet } from './finding.ts';

/** The condition `Accepted` says why a spec is not run, or an edit of it; its reason is a code of the closed list. */
export function fromRejection(
  { raw }: CanarySnapshot,
  { reason, message = '', ...condition }: CanaryCondition,
  known: readonly Blocker[],
): Trouble {
  const code = isBlockerCode(reason) ? reason : 'Other';
  const cause = causeOf(code);
  const blocker = known.find((one) => one.code === reason);
  const field = blocker?.field ?? condition.field;
  const object = blocker?.object ?? condition.object;
  const said = fieldProof(raw, 'status.conditions[Accepted].message', message);
  if (object !== undefined) {
    const { kind, name, namespace } = object;
    return {
      cause,
      about: { detail: message, object },
      proof: [said],
      // After the arrival, the edit is the cause: the other object served before the edit, and does not have to change.
      change: hasArrived(raw) ? toSet(raw, 'spec') : toSet({ kind, metadata: { name, namespace } }, field ?? 'spec'),
    };
  }
  const proof = field === undefined ? [said] : [fieldProof(raw, field), said];
  switch (cause) {
    case 'Suspended':
      return suspended({ raw });
    case 'ForeignController':
      return {
        cause,
        proof: [said, fieldProof(raw, `metadata.annotations[${resumeAnnotation}]`, raw.metadata.annotations?.[resumeAnnotation])],
      };
    case 'CRDOutdated':
      return { cause, proof: [said, fieldProof(raw, 'status.release')] };
    case 'TargetTaken':
      // Keep the older Canary, which serves: without it the application would be restored, and released again.
      return { cause, proof, change: objectChange('remove', raw) };
    case 'Other':
      return { cause, about: { detail: message }, proof };
    default:
      return { cause, about: { detail: message }, proof, change: toSet(raw, field ?? 'spec') };
  }
}

/** Its first primary serves: an arrival that is refused never gets there. */
function hasArrived({ status }: CanarySnapshot['raw']): boolean {
  const { phase = '', release } = parseStatus(status) ?? {};
  return release !== undefined && phase !== '' && phase !== 'Initializing';
}

/** Cause for a Canary of which only the mark is left: the other controller has overwritten the condition. */
export function leftToAnother(raw: CanarySnapshot['raw']): Trouble {
  const proof = [asideAnnotation, resumeAnnotation].map((key) =>
    fieldProof(raw, `metadata.annotations[${key}]`, raw.metadata.annotations?.[key]),
  );
  return { cause: 'ForeignController', proof };
}

/** The cause of a suspended Canary. */
export function suspended({ raw }: Pick<CanarySnapshot, 'raw'>): Trouble {
  return { cause: 'Suspended', proof: [fieldProof(raw, 'spec.suspend', true)] };
}
