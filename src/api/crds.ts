import * as z from 'zod';
import { isRecord } from '../base/json.ts';
import { AlertProviderSpec } from './alert-provider.ts';
import { Blocker } from './blocker.ts';
import { CanarySpec, crdVersion, group } from './canary.ts';
import { CanaryCondition, CanaryStatus } from './canary-status.ts';
import { Ending } from './ending.ts';
import { asCustomResourceDefinition, type CustomResourceDefinition } from './kinds/custom-resource-definition.ts';
import type { KubeObject } from './kube-object.ts';
import { LONGEST_QUERY, strictMark } from './limits.ts';
import { MetricTemplateSpec } from './metric-template.ts';
import { StringMatch } from './string-match.ts';

/** One node of a structural schema, as `apiextensions.k8s.io/v1` takes it. */
export interface StructuralSchema {
  type?: string;
  description?: string;
  properties?: Record<string, StructuralSchema>;
  items?: StructuralSchema;
  additionalProperties?: StructuralSchema;
  required?: string[];
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  oneOf?: object[];
  anyOf?: object[];
  [keyword: string]: unknown;
}

/** Columns of `kubectl get`. */
interface PrinterColumn {
  name: string;
  type: 'string' | 'boolean' | 'date';
  jsonPath: string;
  priority?: number;
}

const canaryColumns: readonly PrinterColumn[] = [
  { name: 'Status', type: 'string', jsonPath: '.status.phase' },
  { name: 'Weight', type: 'string', jsonPath: '.status.canaryWeight' },
  { name: 'Suspended', type: 'boolean', jsonPath: '.spec.suspend', priority: 1 },
  { name: 'FailedChecks', type: 'string', jsonPath: '.status.failedChecks', priority: 1 },
  { name: 'Interval', type: 'string', jsonPath: '.spec.analysis.interval', priority: 1 },
  { name: 'Mirror', type: 'boolean', jsonPath: '.spec.analysis.mirror', priority: 1 },
  { name: 'StepWeight', type: 'string', jsonPath: '.spec.analysis.stepWeight', priority: 1 },
  { name: 'StepWeights', type: 'string', jsonPath: '.spec.analysis.stepWeights', priority: 1 },
  { name: 'MaxWeight', type: 'string', jsonPath: '.spec.analysis.maxWeight', priority: 1 },
  { name: 'LastTransitionTime', type: 'string', jsonPath: '.status.lastTransitionTime' },
  // After those of Flagger, so that scripts find them where they were.
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Promoted")].status' },
  { name: 'Reason', type: 'string', jsonPath: '.status.reason' },
  { name: 'Image', type: 'string', jsonPath: '.status.release.change.images[0].to', priority: 1 },
  { name: 'LeftTo', type: 'string', jsonPath: '.metadata.annotations.serin\\.dev/left-to-another-controller', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** Made once in a process: a copy costs a thirtieth of the time. */
let made: readonly CustomResourceDefinition[] | undefined;

/** The three CustomResourceDefinitions, a copy for each caller. They admit all that Flagger's admit, within the sizes of `limits.ts`. */
export function crds(): CustomResourceDefinition[] {
  made ??= makeCrds();
  return structuredClone([...made]);
}

function makeCrds(): CustomResourceDefinition[] {
  return [
    definition('Canary', 'canaries', { spec: canarySpecSchema(), status: canaryStatusSchema() }, canaryColumns),
    definition('MetricTemplate', 'metrictemplates', { spec: structural(MetricTemplateSpec, 'spec'), status: providerStatusSchema() }, [
      { name: 'Provider', type: 'string', jsonPath: '.spec.provider.type' },
    ]),
    definition('AlertProvider', 'alertproviders', { spec: alertProviderSpecSchema(), status: providerStatusSchema() }, [
      { name: 'Type', type: 'string', jsonPath: '.spec.type' },
    ]),
  ];
}

/** The schema that a definition has for its one version. */
export function schemaOf(crd: KubeObject): StructuralSchema {
  return asCustomResourceDefinition(crd).spec.versions[0]?.schema?.openAPIV3Schema ?? {};
}

function definition(
  kind: string,
  plural: string,
  properties: Record<string, StructuralSchema>,
  additionalPrinterColumns: readonly PrinterColumn[],
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { 'helm.sh/resource-policy': 'keep' } },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), categories: ['all'] },
      scope: 'Namespaced',
      versions: [
        {
          name: crdVersion,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: descriptions[kind],
              properties: {
                apiVersion: { type: 'string', description: 'Version of this form of the object.' },
                kind: { type: 'string', description: 'Kind of the object.' },
                metadata: { type: 'object' },
                ...properties,
              },
            },
          },
        },
      ],
    },
  };
}

const descriptions: Readonly<Record<string, string>> = {
  Canary: 'A workload whose new versions are released step by step.',
  MetricTemplate: 'A query that the metrics of Canaries refer to.',
  AlertProvider: 'A chat service that alerts of Canaries go to.',
};

function canarySpecSchema(): StructuralSchema {
  const schema = structural(CanarySpec, 'spec');
  // Knative needs no service, so Flagger's CRD does not require it; parseCanary does for the other kinds.
  schema.required = ['targetRef', 'analysis'];
  const analysis = schema.properties?.analysis;
  if (analysis) {
    delete analysis.required;
    analysis.oneOf = ['iterations', 'stepWeight', 'stepWeights'].map((steps) => ({ required: ['interval', 'threshold', steps] }));
  }
  return schema;
}

/** No field of a status is required: a status of another controller must pass. */
function canaryStatusSchema(): StructuralSchema {
  const schema = structural(CanaryStatus, 'status');
  delete schema.required;
  schema.description = 'State that the controller remembers and reports.';
  const conditions = schema.properties?.conditions?.items?.properties;
  delete conditions?.status?.enum;
  if (schema.properties) {
    schema.properties.release = {
      type: 'object',
      description: 'State of the release that Serin remembers; the other fields follow from it.',
      properties: { blockers: blockersSchema(), ending: endingSchema() },
      'x-kubernetes-preserve-unknown-fields': true,
    };
  }
  return schema;
}

/** Open to codes and fields of other versions: no status must be refused because of fields for readers. */
function blockersSchema(): StructuralSchema {
  const item = structural(Blocker, 'status.release.blockers[]');
  delete item.properties?.code?.enum;
  delete item.required;
  return {
    type: 'array',
    description: 'Reasons why the release does not continue now, the most urgent first; absent if nothing holds it.',
    items: { ...item, 'x-kubernetes-preserve-unknown-fields': true },
  };
}

/** Open as blockers are. */
function endingSchema(): StructuralSchema {
  const schema = opened(structural(Ending, 'status.release.ending'));
  schema.description = 'End of the last release, or the reason for its promotion while it is promoted; absent if none has ended.';
  return schema;
}

function opened({ enum: _enum, required: _required, maxLength: _length, maxItems: _items, ...node }: StructuralSchema): StructuralSchema {
  const { properties, items } = node;
  if (items) node.items = opened(items);
  if (!properties) return node;
  const fields = Object.entries(properties).map(([name, field]) => [name, opened(field)] as const);
  return { ...node, properties: Object.fromEntries(fields), 'x-kubernetes-preserve-unknown-fields': true };
}

function alertProviderSpecSchema(): StructuralSchema {
  const schema = structural(AlertProviderSpec, 'spec');
  delete schema.required;
  // anyOf, although Flagger has oneOf: its documentation shows both together, and accepting both does no harm.
  schema.anyOf = [{ required: ['type', 'address'] }, { required: ['type', 'secretRef'] }];
  return schema;
}

/** The status of MetricTemplates and AlertProviders. */
function providerStatusSchema(): StructuralSchema {
  const schema = structural(z.object({ conditions: z.array(CanaryCondition.omit({ field: true, object: true })).optional() }), 'status');
  schema.description = 'Findings of Serin.';
  return schema;
}

const stringMatchMark = 'x-string-match';

function structural(schema: z.ZodType, root: string): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === StringMatch) Object.assign(jsonSchema, { [stringMatchMark]: true });
    },
  });
  return structuralNode(json, root);
}

const kept = ['description', 'enum', 'default', 'pattern', 'maxLength', 'maxItems', 'maxProperties'] as const;
const limits = ['minimum', 'maximum', 'minLength'] as const;

/** Converts JSON Schema from zod to the subset for CRDs: a type at each node, no references, no closed objects. */
function structuralNode(json: z.core.JSONSchema.BaseSchema, path: string, isBelowStrict = false): StructuralSchema {
  const described = json.description === undefined ? {} : { description: json.description };
  if (json[stringMatchMark]) return { ...described, ...stringMatchNode(path) };
  // A word or a list has no type in a structural schema.
  const isWordOrList = json.anyOf?.some((one) => (one as { type?: string }).type === 'array');
  if (isWordOrList) return { ...described, 'x-kubernetes-preserve-unknown-fields': true };
  if (json.anyOf) return { ...described, 'x-kubernetes-int-or-string': true };

  const isStrict = isBelowStrict || json[strictMark] === true;
  const node: StructuralSchema = { type: json.type === 'integer' && !isStrict ? 'number' : String(json.type) };
  const keywords: readonly string[] = isStrict ? [...kept, ...limits] : kept;
  Object.assign(
    node,
    Object.fromEntries(Object.entries(json).filter(([keyword, value]) => keywords.includes(keyword) && !isOfEveryInteger(value))),
  );
  if (json.const !== undefined) node.enum = [json.const];
  if (isNode(json.items)) node.items = structuralNode(json.items, `${path}[]`, isStrict);
  if (json.properties) {
    node.properties = Object.fromEntries(
      Object.entries(json.properties).map(([name, child]) => [name, structuralNode(asNode(child), `${path}.${name}`, isStrict)]),
    );
    const required = json.required?.filter((name) => !looserThanParse.has(`${path}.${name}`));
    if (required?.length) node.required = required;
  } else if (isNode(json.additionalProperties) && Object.keys(json.additionalProperties).length > 0) {
    node.additionalProperties = structuralNode(json.additionalProperties, `${path}.*`, isStrict);
  }
  if (path.endsWith('.loadBalancer')) node.oneOf = [{ required: ['simple'] }, { required: ['consistentHash'] }];
  return node;
}

/** Fields that the parse requires, but not the schema: stored objects can be without them. */
const looserThanParse = new Set(['spec.analysis.alerts[].providerRef']);

/** Exactly one form where it selects traffic; elsewhere at most one, or as many as Flagger's CRD admits. */
function stringMatchNode(path: string): StructuralSchema {
  const text = (description: string): StructuralSchema => ({ type: 'string', description, maxLength: LONGEST_QUERY });
  const forms: Record<string, StructuralSchema> = {
    exact: text('The whole value.'),
    prefix: text('The beginning of the value.'),
    regex: text('A regular expression for the value.'),
  };
  const oneEach = (names: string[]) => names.map((name) => ({ required: [name] }));
  if (path.startsWith('spec.analysis.match')) {
    const four = { ...forms, suffix: text('The end of the value.') };
    const node: StructuralSchema = { type: 'object', properties: four };
    if (path.includes('.headers')) node.oneOf = oneEach(Object.keys(four));
    return node;
  }
  const three = oneEach(Object.keys(forms));
  const oneOf = path.includes('.corsPolicy') ? three : [{ not: { anyOf: three } }, ...three];
  return { type: 'object', properties: forms, oneOf };
}

/** A limit of zod's `int`, and not of the field. */
const isOfEveryInteger = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER;

const isNode = (value: unknown): value is z.core.JSONSchema.BaseSchema => isRecord(value);

function asNode(value: z.core.JSONSchema._JSONSchema): z.core.JSONSchema.BaseSchema {
  return isNode(value) ? value : {};
}
