import { apiVersion, type Canary, type Provider } from '../../api/canary.ts';
import { crds, type StructuralSchema, schemaOf } from '../../api/crds.ts';
import { error, type Finding } from '../../api/finding.ts';
import { findings } from '../../api/findings.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { providerOf } from '../../api/mesh-provider.ts';
import { parseAlertProvider, parseCanary, parseMetricTemplate } from '../../api/parse-canary.ts';
import type { Problem } from '../../api/problem.ts';
import { checkTemplate } from '../../metrics/query-template.ts';
import { templateProblems } from '../../metrics/template-problems.ts';
import { receiverProblems } from '../../notifiers/receiver-problems.ts';
import { routerFor } from '../../routers/index.ts';
import { unknownFields } from './unknown-fields.ts';

/** Flags that findings on one object depend on. */
export interface ObjectOptions {
  /** The global traffic provider, for Canaries that name none. */
  provider?: Provider | undefined;
  /** Unknown fields are errors. */
  strict?: boolean | undefined;
}

/** Findings on an object of ours by itself, without regard to other objects. */
export function objectFindings(object: KubeObject, options: ObjectOptions): Finding[] {
  if (object.apiVersion !== apiVersion) return [];
  const schema = schemas().get(object.kind);
  return [...readFindings(object, options), ...(schema ? unknownFields(object, schema, options.strict ? 'error' : 'warning') : [])];
}

let known: ReadonlyMap<string, StructuralSchema> | undefined;

/** By kind. */
function schemas(): ReadonlyMap<string, StructuralSchema> {
  known ??= new Map(crds().map((crd) => [crd.spec.names.kind, schemaOf(crd)]));
  return known;
}

const asErrors = (problems: readonly Problem[]): Finding[] => problems.map(({ path, message }) => error(path, message));

function readFindings(object: KubeObject, options: ObjectOptions): Finding[] {
  if (object.kind === 'Canary') {
    const read = parseCanary(object);
    return 'problems' in read ? asErrors(read.problems) : [...canaryFindings(read.canary, options)];
  }
  if (object.kind === 'MetricTemplate') {
    const read = parseMetricTemplate(object);
    if ('problems' in read) return asErrors(read.problems);
    return asErrors(templateProblems(read.metricTemplate.spec, object.metadata?.namespace));
  }
  const read = parseAlertProvider(object);
  if ('problems' in read) return asErrors(read.problems);
  const { spec } = read.alertProvider;
  if (spec.address || spec.secretRef) return asErrors(receiverProblems(spec));
  const remedy = 'set address, or name a Secret with the key address';
  return [error('spec', `has neither address nor secretRef, and the API server refuses it: ${remedy}`)];
}

function* canaryFindings(canary: Canary, { provider }: ObjectOptions): Generator<Finding> {
  const found = findings(canary, provider ? { provider } : {});
  yield* found;
  yield* routeFindings(canary, found, canary.spec.provider ?? provider);
  for (const [index, { query, trafficQuery, baseline }] of (canary.spec.analysis.metrics ?? []).entries())
    for (const [field, text] of Object.entries({ query, trafficQuery, 'baseline.query': baseline?.query })) {
      const wrong = text === undefined ? undefined : checkTemplate(text);
      if (wrong !== undefined) yield error(`spec.analysis.metrics[${index}].${field}`, wrong);
    }
}

/** Parts of the spec that the router refuses or ignores; where something is found already, it is most often the same. */
function routeFindings(canary: Canary, found: readonly Finding[], named: Canary['spec']['provider']): readonly Finding[] {
  if (named === undefined || found.some(({ severity }) => severity === 'error')) return [];
  const router = routerFor(providerOf(named));
  if ('unsupported' in router) return [];
  const refusal = router.refuses?.(canary);
  return refusal ? [error(refusal.placed.field, refusal.placed.message)] : (router.ignores?.(canary) ?? []);
}
