import type { Condition } from '../../api/canary-status.ts';
import { resumeAnnotation } from '../../api/names.ts';
import type { Sight } from '../people/sight.ts';
import { type Cause, causes } from './causes.ts';
import { proofIn, type Trouble, toRemove, toSet, valueAt } from './finding.ts';

/** The condition `Accepted` says why a spec is not run, or an edit of it. */
export function fromRefusal({ raw }: Sight, { reason, message = '' }: Condition): Trouble {
  const cause: Cause = Object.keys(causes).find((one): one is Cause => one === reason) ?? 'InvalidSpec';
  const begins = /^spec[\w.[\]-]*/.exec(message)?.[0].replace(/\.$/, '');
  const field = cause === 'ProviderRefused' && begins === 'spec.provider' ? (namedInWayOut(message) ?? begins) : begins;
  const said = proofIn(raw, 'status.conditions[Accepted].message', message);
  const proof = field === undefined ? [said] : [proofIn(raw, field, valueAt(raw, field)), said];
  const { name, namespace } = raw.metadata;
  switch (cause) {
    case 'Suspended':
      return suspended({ raw });
    case 'ForeignController':
      return {
        cause,
        proof: [said, proofIn(raw, `metadata.annotations[${resumeAnnotation}]`, raw.metadata.annotations?.[resumeAnnotation])],
        action: 'stop the other controller, then let Serin go on',
        // Any value will do that it has not had yet.
        command: `kubectl annotate canary ${name} -n ${namespace} ${resumeAnnotation}=v${raw.metadata.resourceVersion} --overwrite`,
      };
    case 'CRDOutdated':
      return {
        cause,
        proof: [said, proofIn(raw, 'status.release', raw.status?.release)],
        action: 'who runs the cluster brings the definitions to this version',
        command: 'serin crds apply',
      };
    case 'TargetTaken':
      // The older one serves: without it the application would be restored, and released anew.
      return { cause, proof, action: wayOut(message), change: toRemove('Canary', name, namespace), look: `serin list -n ${namespace}` };
    default:
      return {
        cause,
        proof,
        action: `correct ${field ?? 'the spec'}: ${wayOut(message)}`,
        change: toSet(raw, field ?? 'spec'),
        look: `kubectl edit canary ${name} -n ${namespace}`,
      };
  }
}

/** What a provider cannot do is refused as a matter of `spec.provider`; what to do about it, where it names a field, is another's. */
function namedInWayOut(message: string): string | undefined {
  const named = /\b(?:set|use|remove) ((?:service|analysis)(?:\.\w+)+)/.exec(wayOut(message))?.[1];
  return named && `spec.${named}`;
}

export function suspended({ raw }: Pick<Sight, 'raw'>): Trouble {
  const { name, namespace } = raw.metadata;
  return {
    cause: 'Suspended',
    proof: [proofIn(raw, 'spec.suspend', true)],
    action: 'set spec.suspend to false',
    command: `kubectl patch canary ${name} -n ${namespace} --type merge -p '{"spec":{"suspend":false}}'`,
  };
}

/** Our sentences end with what to do, after the last colon. */
export function wayOut(whole: string): string {
  const message = whole.replace(/ \(and \d+ more: run "serin validate"\)$/, '');
  return message.slice(message.lastIndexOf(': ') + (message.includes(': ') ? 2 : 1));
}
