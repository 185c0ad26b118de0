import { type BlockerMeaning, blockers } from '../../api/blockers.ts';
import type { CanarySnapshot } from '../canaries/snapshot.ts';
import type { ChangeOf, Diagnosis } from '../output/documents.ts';
import { type TemplateChange, type Trouble, toSet } from './finding.ts';

/** A cause as users read it: with its sentence, the object that they own, and commands for this Canary. */
export function diagnosisOf(snapshot: CanarySnapshot, { cause, proof, action, ...remedy }: Trouble, sentence: string): Diagnosis {
  const { command, look, blocker } = remedy;
  const change = remedy.change && 'template' in remedy.change ? templateChange(snapshot, remedy.change) : remedy.change;
  const commands = { ...(blocker && commandsOf(snapshot, blocker)), ...(command && { command }), ...(look && { look }) };
  return { cause, proof, action, ...(change && { change }), sentence, ...commands };
}

function templateChange({ raw, canary }: CanarySnapshot, { template, name }: TemplateChange): ChangeOf | undefined {
  if (canary === undefined) return undefined;
  const { apiVersion, kind, name: target } = canary.spec.targetRef;
  const hasTemplate = kind !== 'Service' || apiVersion !== 'v1';
  const { namespace } = raw.metadata;
  return toSet({ kind, metadata: { name: name ?? target, namespace } }, hasTemplate ? `spec.template${template}` : 'spec');
}

/** The commands of a code, for this Canary and the object concerned. */
function commandsOf({ raw: { metadata } }: CanarySnapshot, { code, object }: NonNullable<Trouble['blocker']>) {
  const { command, look }: BlockerMeaning = blockers[code];
  const words: Readonly<Record<string, string>> = {
    CANARY: metadata.name,
    NAMESPACE: object?.namespace ?? metadata.namespace ?? '',
    // Any value that the annotation has not had yet.
    VERSION: `v${metadata.resourceVersion}`,
    ...(object && { KIND: object.kind.toLowerCase(), OBJECT: object.name }),
  };
  const filled = (line: string) => line.replace(/\b(CANARY|NAMESPACE|VERSION|KIND|OBJECT)\b/g, (word) => words[word] ?? word);
  return { ...(command && { command: filled(command) }), ...(look && { look: filled(look) }) };
}
