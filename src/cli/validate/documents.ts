import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { fieldSteps } from '../../api/field-path.ts';
import { isRecord } from '../../api/json.ts';
import type { KubeObject } from '../../api/kube-object.ts';

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
  /** Absent: the manifest leaves it to the client that applies it. */
  namespace?: string;
  place?: SourceLocation;
}

/** Text that cannot be read; without a line nothing of the file can. */
export interface UnreadableText {
  source: string;
  line?: number;
  message: string;
}

/** The objects of a text, in their order, those of a List too. */
export function readDocuments({ source, file, text }: { source: string; file: string; text: string }): {
  items: Item[];
  unreadable: UnreadableText[];
} {
  const lines = new LineCounter();
  const items: Item[] = [];
  const unreadable: UnreadableText[] = [];
  const parsed = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const [broken] = document.errors;
    const content = broken ? { unreadable: `is not YAML: ${reasonOf(broken)}` } : contentOf(document);
    if ('unreadable' in content) {
      const line = lineAt(lines, broken?.pos[0] ?? document.contents?.range?.[0] ?? 0);
      unreadable.push({ source, line, message: content.unreadable });
      continue;
    }
    for (const { object, prefix } of objectsIn(content.value)) {
      const lineOf = (path: string) => lineOfSteps(document, lines, [...prefix, ...fieldSteps(path)]);
      items.push(itemOf(object, { source, file, lineOf }));
    }
  }
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

function reasonOf({ message }: Error): string {
  if (message.startsWith('Maximum call stack')) return 'it is nested too deeply: write it flatter';
  // The finding has the line.
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** A document with its aliases unfolded; kubectl refuses the same that is refused here. */
function contentOf(document: Document): { value: unknown } | { unreadable: string } {
  try {
    return { value: document.toJS() };
  } catch (cause) {
    if (cause instanceof ReferenceError && /alias/i.test(cause.message) && !/Excessive/.test(cause.message))
      return { unreadable: `is not YAML: ${cause.message.replace(/ \(the anchor.*$/, '')}: define the anchor before its alias` };
    return { unreadable: 'unfolds its aliases without end: write it without them' };
  }
}

/** The object of a document, or those of a List. */
function objectsIn(content: unknown): { object: KubeObject; prefix: (string | number)[] }[] {
  if (!isFields(content)) return [];
  const items = content.items;
  if (!String(content.kind).endsWith('List') || !Array.isArray(items)) return [{ object: content, prefix: [] }];
  return items.flatMap((item: unknown, index) => (isFields(item) ? [{ object: item, prefix: ['items', index] }] : []));
}

const isFields = (value: unknown): value is KubeObject => isRecord(value);

function lineOfSteps(document: Document, lines: LineCounter, steps: readonly (string | number)[]): number {
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(steps.slice(0, length), true);
    if (isNode(node) && node.range) return lineAt(lines, node.range[0]);
  }
  return lineAt(lines, document.contents?.range?.[0] ?? 0);
}

function lineAt(lines: LineCounter, offset: number): number {
  return Math.max(1, lines.linePos(offset).line);
}
