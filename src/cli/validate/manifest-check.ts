import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import type { AlertProviderSpec } from '../../api/alert-provider.ts';
import { apiVersion, type Canary, group, type Provider } from '../../api/canary.ts';
import { crds, type StructuralSchema, schemaOf } from '../../api/crds.ts';
import { fieldSteps, shorten } from '../../api/field-path.ts';
import { error, type Finding, warning } from '../../api/finding.ts';
import { findings } from '../../api/findings.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { MetricTemplateSpec } from '../../api/metric-template.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from '../../api/parse-canary.ts';
import type { Problem } from '../../api/problem.ts';
import { placedRefusal } from '../../routers/routing-error.ts';
import { canarySplitFindings, splitFindings } from '../../routers/smi/split-findings.ts';
import { unknownFields } from './unknown-fields.ts';

/** A finding with its place in the file. `object` is `Canary/podinfo`. */
export type PlacedFinding = Finding & { line: number; object: string };

/** What beyond the schema is asked of a manifest. */
export interface ManifestChecks {
  /** The global traffic provider, for Canaries that name none. */
  provider?: Provider;
  /** What is wrong with a query template, if anything is. */
  checkTemplate?: (text: string) => string | undefined;
  /** What of a MetricTemplate or an AlertProvider can never work. */
  checkMetricTemplate?: (spec: MetricTemplateSpec) => Problem[];
  checkAlertProvider?: (spec: AlertProviderSpec) => Problem[];
  /** Why the traffic provider's router refuses a Canary, if it does. */
  checkRoutes?: (canary: Canary, provider: Provider) => string | undefined;
}

type Options = ManifestChecks & {
  /** What stands beside the objects, in this text and in others: Services and TrafficSplits. */
  beside?: readonly KubeObject[];
};

/** The objects of a text that others are judged beside: TrafficSplits by the ports of Services. */
export function companionsIn(text: string): KubeObject[] {
  const parsed = parseAllDocuments(text, { logLevel: 'silent' });
  return (Array.isArray(parsed) ? parsed : []).flatMap((document) => {
    const content = document.errors.length > 0 ? undefined : contentOf(document);
    if (!content || 'unreadable' in content) return [];
    return objectsIn(content.value).flatMap(({ object }) => (isSplit(object) || isService(object) ? [named(object)] : []));
  });
}

/** Checks all YAML documents of a text that are ours, and TrafficSplits; others are passed over. */
export function checkManifests(text: string, options: Options): { documents: number; findings: PlacedFinding[] } {
  const lines = new LineCounter();
  const placed: PlacedFinding[] = [];
  let documents = 0;
  const parsed = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' });
  for (const document of Array.isArray(parsed) ? parsed : []) {
    const [broken] = document.errors;
    if (broken) {
      placed.push({ ...error('', `is no YAML: ${reasonOf(broken)}`), line: lineAt(lines, broken.pos[0]), object: 'document' });
      continue;
    }
    const content = contentOf(document);
    if ('unreadable' in content) {
      const line = lineAt(lines, document.contents?.range?.[0] ?? 0);
      placed.push({ ...error('', content.unreadable), line, object: 'document' });
      continue;
    }
    for (const { object, prefix } of objectsIn(content.value)) {
      if (!isOurs(object) && !isSplit(object)) continue;
      documents += 1;
      const name = `${object.kind}/${String(object.metadata?.name ?? '?').slice(0, 80)}`;
      for (const finding of check(object, options)) {
        placed.push({ ...finding, line: lineOf(document, lines, [...prefix, ...fieldSteps(finding.path)]), object: name });
      }
    }
  }
  return { documents, findings: placed };
}

function reasonOf({ message }: Error): string {
  if (message.startsWith('Maximum call stack')) return 'it is nested too deeply: write it flatter';
  // The place is told by the line of the finding.
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** What a document says with its aliases unfolded; kubectl refuses the same that is refused here. */
function contentOf(document: Document): { value: unknown } | { unreadable: string } {
  try {
    return { value: document.toJS() };
  } catch (cause) {
    if (cause instanceof ReferenceError && /alias/i.test(cause.message) && !/Excessive/.test(cause.message))
      return { unreadable: `is no YAML: ${cause.message.replace(/ \(the anchor.*$/, '')}: define the anchor before its alias` };
    return { unreadable: 'unfolds its aliases without end: write it without them' };
  }
}

/** The object of a document, or those of a List. */
function objectsIn(content: unknown): { object: KubeObject; prefix: (string | number)[] }[] {
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

const isSplit = ({ apiVersion, kind }: KubeObject): boolean => kind === 'TrafficSplit' && /^split\.smi-spec\.io\//.test(String(apiVersion));
const isService = ({ apiVersion, kind }: KubeObject): boolean => apiVersion === 'v1' && kind === 'Service';

/** With the fields that a manifest may lack, or have of another type. */
function named(object: KubeObject): KubeObject {
  const { name, namespace } = isObject(object.metadata) ? (object.metadata as KubeObject['metadata']) : { name: '' };
  const { ports, backends } = isObject(object.spec) ? (object.spec as Record<string, unknown>) : {};
  const entries = (list: unknown) => (Array.isArray(list) ? list.filter(isObject) : []);
  const spec = { ...object.spec, ports: entries(ports), backends: entries(backends) };
  return { ...object, metadata: { name: String(name), ...(namespace === undefined ? {} : { namespace: String(namespace) }) }, spec };
}

function check(object: KubeObject, options: Options): Finding[] {
  if (isSplit(object)) return splitFindings(named(object), options.beside ?? []);
  if (object.apiVersion !== apiVersion)
    return [error('apiVersion', `is ${shorten(object.apiVersion)}, which is served no more: use ${apiVersion}`)];
  const schema = schemas().get(object.kind);
  return [...readProblems(object, options), ...(schema ? unknownFields(object, schema) : [])];
}

let known: ReadonlyMap<string, StructuralSchema> | undefined;

/** By kind; made once, since that takes longer than checking an object. */
function schemas(): ReadonlyMap<string, StructuralSchema> {
  known ??= new Map(crds().map((crd) => [crd.spec.names.kind, schemaOf(crd)]));
  return known;
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
    const queries = (read.canary.spec.analysis.metrics ?? []).flatMap(({ query, trafficQuery, baseline }, index) => [
      ...template(`spec.analysis.metrics[${index}].query`, query),
      ...template(`spec.analysis.metrics[${index}].trafficQuery`, trafficQuery),
      ...template(`spec.analysis.metrics[${index}].baseline.query`, baseline?.query),
    ]);
    const provider = read.canary.spec.provider ?? options.provider ?? '';
    const split = /^(smi|linkerd|osm)/.test(provider) ? canarySplitFindings(read.canary, options.beside ?? []) : [];
    const found = findings(read.canary, options.provider ? { provider: options.provider } : {});
    return [...found, ...routeFindings(read.canary, found, options), ...split, ...queries];
  }
  if (object.kind === 'MetricTemplate') {
    const read = parseMetricTemplate(object);
    if ('problems' in read) return asErrors(read.problems);
    const { spec } = read.metricTemplate;
    return options.checkMetricTemplate ? asErrors(options.checkMetricTemplate(spec)) : template('spec.query', spec.query);
  }
  const read = parseAlertProvider(object);
  if ('problems' in read) return asErrors(read.problems);
  const { spec } = read.alertProvider;
  if (spec.address || spec.secretRef) return asErrors(options.checkAlertProvider?.(spec) ?? []);
  return [warning('spec', 'has neither address nor secretRef, so nothing is sent: set one of them')];
}

/** What the controller would refuse besides; where something is found already, it is most often the same. */
function routeFindings(canary: Canary, found: readonly Finding[], { provider, checkRoutes }: Options): Finding[] {
  const named = canary.spec.provider ?? provider;
  if (named === undefined || found.some(({ severity }) => severity === 'error')) return [];
  const refusal = checkRoutes?.(canary, named);
  if (refusal === undefined) return [];
  const { field, message } = placedRefusal(refusal);
  return [error(field, message)];
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
