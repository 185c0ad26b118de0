import { faultOf } from './documents.ts';
import { Spent } from './limits.ts';
import { unfold } from './unfold.ts';
import { yamlText } from './yaml-text.ts';

/** The value of the first document of a text, read under the same limits as manifests. */
export function oneValue(text: string): { value: unknown } | { problem: string } {
  const { documents, lineAt, exceeded } = yamlText(text, new Spent());
  const [document] = documents;
  const fault = exceeded ?? (document && (faultOf(document) ?? unfold(document)));
  if (fault) return { problem: `line ${lineAt(fault.offset)} ${fault.message}` };
  return { value: document?.toJS() ?? null };
}
