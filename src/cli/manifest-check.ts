import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { apiVersion, group } from '../api/canary.ts';
import { crds, schemaOf } from '../api/crds.ts';
import { fieldSteps, shorten } from '../api/field-path.ts';
import { error, type Finding, warning } from '../api/finding.ts';
import { findings } from '../api/findings.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from '../api/parse-canary.ts';
import { unknownFields } from './unknown-fields.ts';
import type { ValidateArgs } from './validate.ts';

/** A finding with its place in the file. `object` is `Canary/podinfo`. */
export type PlacedFinding = Finding & { line: number; object: string };

type Options = Pick<ValidateArgs, 'provider' | 'checkTemplate'>;

/** Checks all YAML documents of a text that are ours; others are passed over. */
export function checkManifests(text: string, options: Options): { documents: number; findings: PlacedFinding[] } {
  const lines = new LineCounter();
  const placed: PlacedFinding[] = [];
  let documents = 0;
  const parsed = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const [broken] = document.errors;
    if (broken) {
      placed.push({ ...error('', `is no YAML: ${broken.message.split('\n')[0]}`), line: lineAt(lines, broken.pos[0]), object: 'document' });
      continue;
    }
    for (const { object, prefix } of objectsIn(document)) {
      if (!isOurs(object)) continue;
      documents += 1;
      const name = `${object.kind}/${String(object.metadata?.name ?? '?').slice(0, 80)}`;
      for (const finding of check(object, options)) {
        placed.push({ ...finding, line: lineOf(document, lines, [...prefix, ...fieldSteps(finding.path)]), object: name });
      }
    }
  }
  return { documents, findings: placed };
}

/** The object of a document, or those of a List. */
function objectsIn(document: Document): { object: KubeObject; prefix: (string | number)[] }[] {
  let content: unknown;
  try {
    content = document.toJS();
  } catch (cause) {
    // A document that unfolds its aliases without end is hostile, and none of ours.
    content = { kind: 'unreadable', cause };
  }
  if (!isObject(content)) return [];
  const items = content.items;
  if (content.kind !== 'List' || !Array.isArray(items)) return [{ object: content, prefix: [] }];
  return items.flatMap((item: unknown, index) => (isObject(item) ? [{ object: item, prefix: ['items', index] }] : []));
}

function isObject(value: unknown): value is KubeObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const kinds = ['Canary', 'MetricTemplate', 'AlertProvider'];

function isOurs(object: KubeObject): boolean {
  return typeof object.apiVersion === 'string' && object.apiVersion.startsWith(`${group}/`) && kinds.includes(object.kind);
}

function check(object: KubeObject, options: Options): Finding[] {
  if (object.apiVersion !== apiVersion)
    return [error('apiVersion', `is ${shorten(object.apiVersion)}, which is served no more: use ${apiVersion}`)];
  const schema = crds().find((crd) => crd.spec.names.kind === object.kind);
  return [...readProblems(object, options), ...(schema ? unknownFields(object, schemaOf(schema)) : [])];
}

function readProblems(object: KubeObject, options: Options): Finding[] {
  const template = (path: string, text: string | undefined): Finding[] => {
    const wrong = text === undefined ? undefined : options.checkTemplate?.(text);
    return wrong === undefined ? [] : [error(path, wrong)];
  };
  const asErrors = (problems: readonly { path: string; message: string }[]) => problems.map(({ path, message }) => error(path, message));
  if (object.kind === 'Canary') {
    const read = parseCanary(object);
    if ('problems' in read) return asErrors(read.problems);
    const queries = (read.canary.spec.analysis.metrics ?? []).flatMap(({ query }, index) =>
      template(`spec.analysis.metrics[${index}].query`, query),
    );
    return [...findings(read.canary, options.provider ? { provider: options.provider } : {}), ...queries];
  }
  if (object.kind === 'MetricTemplate') {
    const read = parseMetricTemplate(object);
    return 'problems' in read ? asErrors(read.problems) : template('spec.query', read.metricTemplate.spec.query);
  }
  const read = parseAlertProvider(object);
  if ('problems' in read) return asErrors(read.problems);
  const { address, secretRef } = read.alertProvider.spec;
  if (address || secretRef) return [];
  return [warning('spec', 'has neither address nor secretRef, so nothing is sent: set one of them')];
}

/** The line of a field, or of the nearest thing around it that is written down. */
function lineOf(document: Document, lines: LineCounter, steps: readonly (string | number)[]): number {
  for (let length = steps.length; length > 0; length -= 1) {
    const node = document.getIn(steps.slice(0, length), true);
    if (isNode(node) && node.range) return lineAt(lines, node.range[0]);
  }
  return lineAt(lines, document.contents?.range?.[0] ?? 0);
}

function lineAt(lines: LineCounter, offset: number): number {
  return Math.max(1, lines.linePos(offset).line);
}
