import type { About, Code } from '../../api/codes/code.ts';
import { type CodeName, otherActor } from '../../api/codes/codes.ts';
import { codes } from '../../api/codes/list.ts';
import { defined } from '../../base/defined.ts';
import type { ChangeOf, Diagnosis } from '../documents/canary-documents.ts';
import type { CanarySnapshot } from '../snapshot.ts';
import { actionOf, type TemplateChange, type Trouble, toSet } from './finding.ts';

/** A cause as users read it: with its sentence, the object that they own, and commands for this Canary. */
export function diagnosisOf(snapshot: CanarySnapshot, trouble: Trouble, sentence: string): Diagnosis {
  const { cause, code = cause, about, proof, ...remedy } = trouble;
  const { command, look } = remedy;
  const change = remedy.change && 'template' in remedy.change ? templateChange(snapshot, remedy.change) : remedy.change;
  const commands = { ...commandsOf(snapshot, code, about), ...(command && { command }), ...(look && { look }) };
  return {
    cause,
    proof,
    action: actionOf(trouble),
    ...defined({ who: otherActor(code, about ?? {}) }),
    ...(change && { change }),
    sentence,
    ...commands,
  };
}

function templateChange({ raw, canary }: CanarySnapshot, { template, name }: TemplateChange): ChangeOf | undefined {
  if (canary === undefined) return undefined;
  const { apiVersion, kind, name: target } = canary.spec.targetRef;
  const hasTemplate = kind !== 'Service' || apiVersion !== 'v1';
  const { namespace } = raw.metadata;
  return toSet({ kind, metadata: { name: name ?? target, namespace } }, hasTemplate ? `spec.template${template}` : 'spec');
}

/** Commands of a code, for this Canary and the object concerned; without an object, only commands that name none. */
function commandsOf({ raw: { metadata } }: CanarySnapshot, name: CodeName, { object }: About = {}) {
  const { command, look }: Code = codes[name];
  const words: Readonly<Record<string, string>> = {
    CANARY: metadata.name,
    NAMESPACE: object?.namespace ?? metadata.namespace ?? '',
    // Any value that the annotation has not had yet.
    VERSION: `v${metadata.resourceVersion}`,
    ...(object && { KIND: object.kind.toLowerCase(), OBJECT: object.name }),
  };
  const filled = (line: string | undefined) =>
    object === undefined && line?.match(/\b(KINDs?|OBJECT)\b/)
      ? undefined
      : line?.replace(/\b(CANARY|NAMESPACE|VERSION|KIND|OBJECT)(?=s?\b)/g, (word) => words[word] ?? word);
  return defined({ command: filled(command), look: filled(look) });
}
