import type { Diagnosis } from '../documents/canary-documents.ts';

/** Shorter values and single words, such as names and numbers, are repeated: they are read on their own. */
const SHORTEST_TEXT = 20;

/** A diagnosis for readers, without a text that is said twice: the document keeps all of them. `proof` without a value has it in the sentence. */
export type SaidDiagnosis = Omit<Diagnosis, 'proof'> & {
  proof: readonly (Omit<Diagnosis['proof'][number], 'value'> & { value?: string })[];
};

/**
 * The sentence comes first and keeps the facts; the remedy is left to the action, and the texts of the sentence are left out of action and proof.
 */
export function saidOnce(diagnosis: Diagnosis): SaidDiagnosis {
  const { sentence, action, proof } = diagnosis;
  const facts = without(without(sentence, `; ${action}`), `: ${action}`);
  const isSaid = (text: string) => /\s/.test(text) && text.length >= SHORTEST_TEXT && sentence.includes(text);
  return {
    ...diagnosis,
    sentence: facts,
    action: withoutSaid(action, facts),
    proof: proof.map(({ value, ...one }) => (isSaid(value) ? one : { ...one, value })),
  };
}

/** The sentence without a whole clause. */
function without(sentence: string, clause: string): string {
  const at = sentence.indexOf(clause);
  const after = sentence.slice(at + clause.length);
  return at > 0 && (after === '' || /^(?:[.;)]| \()/.test(after)) ? `${sentence.slice(0, at)}${after}` : sentence;
}

/** The action without its end after a colon, if the facts have the same. */
function withoutSaid(action: string, facts: string): string {
  const at = action.indexOf(': ');
  const end = action.slice(at + 2);
  return at > 0 && end.length >= SHORTEST_TEXT && facts.includes(end) ? action.slice(0, at) : action;
}
