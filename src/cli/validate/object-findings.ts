import type { AlertProviderSpec } from '../../api/alert-provider.ts';
import { apiVersion, type Canary, type Provider } from '../../api/canary.ts';
import { crds, type StructuralSchema, schemaOf } from '../../api/crds.ts';
import { error, type Finding } from '../../api/finding.ts';
import { findings } from '../../api/findings.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { providerOf } from '../../api/mesh-provider.ts';
import type { MetricTemplateSpec } from '../../api/metric-template.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from '../../api/parse-canary.ts';
import type { Problem } from '../../api/problem.ts';
import type { CheckSecret } from './checks/secrets.ts';
import { unknownFields } from './unknown-fields.ts';

/** Checks of one object beyond its schema. */
export interface ObjectChecks {
  /** The global traffic provider, for Canaries that name none. */
  provider?: Provider | undefined;
  /** Unknown fields are errors. */
  strict?: boolean | undefined;
  /** The mistake in a query template, if there is one. */
  checkTemplate?: (text: string) => string | undefined;
  /** The fields of a MetricTemplate or an AlertProvider that can never work. */
  checkMetricTemplate?: (spec: MetricTemplateSpec, namespace?: string) => Problem[];
  checkAlertProvider?: (spec: AlertProviderSpec) => Problem[];
  checkSecret?: CheckSecret;
  /** Fields of a Canary that the provider's router refuses or ignores. */
  checkRoutes?: (canary: Canary, provider: Provider) => readonly Finding[];
}

/** Findings on an object of ours by itself, whatever else there is. */
export function objectFindings(object: KubeObject, checks: ObjectChecks): Finding[] {
  if (object.apiVersion !== apiVersion) return [];
  const schema = schemas().get(object.kind);
  return [...readFindings(object, checks), ...(schema ? unknownFields(object, schema, checks.strict ? 'error' : 'warning') : [])];
}

let known: ReadonlyMap<string, StructuralSchema> | undefined;

/** By kind; made once, since that takes longer than checking an object. */
function schemas(): ReadonlyMap<string, StructuralSchema> {
  known ??= new Map(crds().map((crd) => [crd.spec.names.kind, schemaOf(crd)]));
  return known;
}

const asErrors = (problems: readonly Problem[]): Finding[] => problems.map(({ path, message }) => error(path, message));

function readFindings(object: KubeObject, checks: ObjectChecks): Finding[] {
  if (object.kind === 'Canary') {
    const read = parseCanary(object);
    return 'problems' in read ? asErrors(read.problems) : canaryFindings(read.canary, checks);
  }
  if (object.kind === 'MetricTemplate') {
    const read = parseMetricTemplate(object);
    if ('problems' in read) return asErrors(read.problems);
    const { spec } = read.metricTemplate;
    return checks.checkMetricTemplate
      ? asErrors(checks.checkMetricTemplate(spec, object.metadata?.namespace))
      : templateFindings('spec.query', spec.query, checks);
  }
  const read = parseAlertProvider(object);
  if ('problems' in read) return asErrors(read.problems);
  const { spec } = read.alertProvider;
  if (spec.address || spec.secretRef) return asErrors(checks.checkAlertProvider?.(spec) ?? []);
  return [
    error('spec', 'has neither address nor secretRef, and the API server refuses it: set address, or name a Secret with the key address'),
  ];
}

function canaryFindings(canary: Canary, checks: ObjectChecks): Finding[] {
  const found = findings(canary, checks.provider ? { provider: checks.provider } : {});
  const queries = (canary.spec.analysis.metrics ?? []).flatMap(({ query, trafficQuery, baseline }, index) => {
    const path = `spec.analysis.metrics[${index}]`;
    return [
      ...templateFindings(`${path}.query`, query, checks),
      ...templateFindings(`${path}.trafficQuery`, trafficQuery, checks),
      ...templateFindings(`${path}.baseline.query`, baseline?.query, checks),
    ];
  });
  return [...found, ...routeFindings(canary, found, checks), ...queries];
}

function templateFindings(path: string, text: string | undefined, { checkTemplate }: ObjectChecks): Finding[] {
  const wrong = text === undefined ? undefined : checkTemplate?.(text);
  return wrong === undefined ? [] : [error(path, wrong)];
}

/** The findings of the router; where something is found already, it is most often the same. */
function routeFindings(canary: Canary, found: readonly Finding[], { provider, checkRoutes }: ObjectChecks): readonly Finding[] {
  const named = canary.spec.provider ?? provider;
  if (named === undefined || found.some(({ severity }) => severity === 'error')) return [];
  return checkRoutes?.(canary, providerOf(named)) ?? [];
}
