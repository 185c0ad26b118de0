import type { Document } from 'yaml';
import type { KubeObject } from '../../api/kube-object.ts';
import { fieldSteps } from '../../base/field-path.ts';
import { isRecord } from '../../base/json.ts';
import { FieldOffsets } from './field-offsets.ts';
import { MOST, Spent } from './limits.ts';
import { unfold } from './unfold.ts';
import { type TextFault, yamlText } from './yaml-text.ts';

/** Where an object is written. */
export interface SourceLocation {
  source: string;
  /** Path of the file, without links; `-` for stdin. */
  file: string;
  /** The line of a field, or of the nearest one around it that is written. */
  lineOf(path: string): number;
}

/** An object of the manifests; without a place it was read from the cluster. */
export interface Item {
  object: KubeObject;
  name: string;
  /** Absent if the manifest leaves it to the client that applies it. */
  namespace?: string;
  place?: SourceLocation;
}

/** Text that cannot be read; without a line nothing of the file can. */
export interface UnreadableText {
  source: string;
  line?: number;
  message: string;
}

/** Where a text cannot be read, as `file:line`. */
export const unreadablePlace = ({ source, line }: UnreadableText): string => (line === undefined ? source : `${source}:${line}`);

/** The objects of a text, in their order, those of a List too. A fault hides no more than its own document. */
export function readDocuments(
  { source, file, text }: { source: string; file: string; text: string },
  spent: Spent = new Spent(),
): {
  items: Item[];
  unreadable: UnreadableText[];
} {
  const items: Item[] = [];
  const unreadable: UnreadableText[] = [];
  const { documents, lineAt, exceeded } = yamlText(text, spent);
  const refuse = ({ offset, message }: TextFault) => unreadable.push({ source, line: lineAt(offset), message });
  for (const document of documents) {
    const fault = faultOf(document) ?? unfold(document);
    if (fault) {
      refuse(fault);
      continue;
    }
    const offsets = new FieldOffsets(document);
    for (const { object, prefix } of objectsIn(withoutNulls(document.toJS()))) {
      spent.objects += 1;
      if (spent.objects > MOST.documents) {
        const message = `this run has more than ${MOST.documents} objects; the rest is not read: check fewer at a time`;
        return { items, unreadable: [...unreadable, { source, line: lineAt(offsets.of(prefix)), message }] };
      }
      const lineOf = (path: string) => lineAt(offsets.of([...prefix, ...fieldSteps(path)]));
      items.push(itemOf(object, { source, file, lineOf }));
    }
  }
  if (exceeded) refuse(exceeded);
  return { items, unreadable };
}

/** An object with its place in the files; without one, from the cluster. */
export function itemOf(object: KubeObject, place?: SourceLocation): Item {
  const { name, namespace } = isFields(object.metadata) ? object.metadata : ({} as Partial<KubeObject['metadata']>);
  return {
    object,
    name: typeof name === 'string' ? name : '',
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(place ? { place } : {}),
  };
}

/** Its first fault, as text of YAML. */
export function faultOf({ errors: [broken] }: Document): TextFault | undefined {
  if (broken === undefined) return undefined;
  const [reason = ''] = broken.message.split('\n');
  const message = reason.startsWith('Maximum call stack') ? 'it is nested too deeply: write it flatter' : reason;
  return { offset: broken.pos[0], message: `is not YAML: ${message}` };
}

/**
 * Without fields and items that are null, which an API server takes as absent. In place, and once for a value that several aliases name; the depth of a document is
 * bounded.
 */
function withoutNulls(value: unknown, seen = new Set<unknown>()): unknown {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  if (Array.isArray(value)) {
    const kept = value.filter((item) => item !== null);
    value.splice(0, value.length, ...kept);
    for (const item of kept) withoutNulls(item, seen);
    return value;
  }
  for (const [key, inner] of Object.entries(value))
    if (inner === null) Reflect.deleteProperty(value, key);
    else withoutNulls(inner, seen);
  return value;
}

/** The object of a document, or those of a List. */
function objectsIn(content: unknown): { object: KubeObject; prefix: (string | number)[] }[] {
  if (!isFields(content)) return [];
  const items = content.items;
  if (!String(content.kind).endsWith('List') || !Array.isArray(items)) return [{ object: content, prefix: [] }];
  return items.flatMap((item: unknown, index) => (isFields(item) ? [{ object: item, prefix: ['items', index] }] : []));
}

const isFields = (value: unknown): value is KubeObject => isRecord(value);

/** The value of the first document of a text, read under the same limits as manifests. */
export function oneValue(text: string): { value: unknown } | { problem: string } {
  const { documents, lineAt, exceeded } = yamlText(text, new Spent());
  const [document] = documents;
  const fault = exceeded ?? (document && (faultOf(document) ?? unfold(document)));
  if (fault) return { problem: `line ${lineAt(fault.offset)} ${fault.message}` };
  return { value: document?.toJS() ?? null };
}
