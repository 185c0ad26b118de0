import type { JsonObject } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import { anything, deref, kubernetesVersion, objectMetaName, type Schema } from './schema.ts';

const storedVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
/** The same in the order that custom resources have them in. */
const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const verbsOf = ({ virtual, custom }: Resource): string[] => (virtual ? ['create'] : custom ? customVerbs : storedVerbs);
const partVerbs = ['get', 'patch', 'update'];

function subresources(resource: Resource): { name: string; group: string; version: string; kind: string; verbs: string[] }[] {
  const own = { group: resource.group, version: resource.version, kind: resource.kind };
  return [
    ...(resource.status ? [{ name: 'status', ...own, verbs: partVerbs }] : []),
    ...(resource.scale === undefined ? [] : [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: partVerbs }]),
    ...(resource.storeKey === '/pods'
      ? [
          { name: 'binding', group: '', version: 'v1', kind: 'Binding', verbs: ['create'] },
          { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
          { name: 'log', group: '', version: 'v1', kind: 'Pod', verbs: ['get'] },
        ]
      : []),
  ];
}

const versionsByGroup = (resources: readonly Resource[]): Map<string, string[]> =>
  new Map(
    [...Map.groupBy(resources, ({ group }) => group)].map(([group, served]) => [group, [...new Set(served.map(({ version }) => version))]]),
  );

const groupEntry = (name: string, versions: readonly string[]): JsonObject => {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
};

export function groupList(resources: readonly Resource[]): JsonObject {
  const groups = [...versionsByGroup(resources)].filter(([name]) => name !== '').map(([name, versions]) => groupEntry(name, versions));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `undefined` if no resource is served in this group. */
export function oneGroup(resources: readonly Resource[], group: string): JsonObject | undefined {
  const versions = versionsByGroup(resources).get(group);
  return versions === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group, versions) };
}

/** `undefined` if no resource is served in this version. */
export function resourceList(resources: readonly Resource[], group: string, version: string): JsonObject | undefined {
  const served = resources.filter((resource) => resource.group === group && resource.version === version);
  if (served.length === 0) return undefined;
  const entries = served.flatMap((resource) => [
    {
      name: resource.plural,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: verbsOf(resource),
      ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
      ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    },
    ...subresources(resource).map(({ name, ...kind }) => ({
      name: `${resource.plural}/${name}`,
      singularName: '',
      namespaced: resource.namespaced,
      ...kind,
    })),
  ]);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf({ group, version }), resources: entries };
}

/** Everything in one answer, which kubectl requests first. `core` is /api, otherwise /apis. */
export function aggregated(resources: readonly Resource[], core: boolean): JsonObject {
  const groups = [...versionsByGroup(resources)].filter(([name]) => (name === '') === core);
  const items = groups.map(([group, versions]) => ({
    metadata: { name: group, creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      freshness: 'Current',
      resources: resources.filter((resource) => resource.group === group && resource.version === version).map(aggregatedResource),
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

const aggregatedResource = (resource: Resource): JsonObject => ({
  resource: resource.plural,
  responseKind: { group: resource.group, version: resource.version, kind: resource.kind },
  scope: resource.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: resource.singular,
  verbs: verbsOf(resource),
  shortNames: resource.shortNames,
  categories: resource.categories,
  subresources: subresources(resource).map(({ name, group, version, kind, verbs }) => ({
    subresource: name,
    responseKind: { group, version, kind },
    verbs,
  })),
});

export function versionInfo(): JsonObject {
  const [major = '1', minor = '0'] = kubernetesVersion.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    gitVersion: `${kubernetesVersion}-serin`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: '',
  };
}

export function openApiRoot(resources: readonly Resource[]): JsonObject {
  const paths = [...new Set(resources.map((resource) => openApiPath(resource)))];
  return { paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${resources.length}` }])) };
}

const openApiPath = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

const gvkKey = 'x-kubernetes-group-version-kind';

/** One group version as OpenAPI v3, with the schemas written out in `components`. */
export function openApiV3(resources: readonly Resource[], path: string): JsonObject | undefined {
  const served = resources.filter((resource) => openApiPath(resource) === path);
  if (served.length === 0) return undefined;
  const schemas: JsonObject = {};
  const paths: JsonObject = {};
  for (const resource of served) {
    const { group, version, kind } = resource;
    const name = `${group === '' ? 'core' : group}.${version}.${kind}`;
    schemas[name] = { ...(written(wholeSchema(resource), schemas) as JsonObject), [gvkKey]: [{ group, version, kind }] };
    const answer = { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }, description: 'OK' };
    const query = ['dryRun', 'fieldManager', 'fieldValidation'].map((parameter) => ({
      name: parameter,
      in: 'query',
      schema: { type: 'string', uniqueItems: true },
    }));
    const write = (action: string): JsonObject => ({
      parameters: query,
      responses: { 200: answer },
      'x-kubernetes-action': action,
      [gvkKey]: { group, version, kind },
    });
    const at = `/${path}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
    paths[at] = { post: write('post') };
    paths[`${at}/{name}`] = { get: { ...write('get'), parameters: [] }, put: write('put'), patch: write('patch') };
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: kubernetesVersion }, paths, components: { schemas } };
}

/** A custom resource's own schema says little of the metadata, which it has like any other object. */
function wholeSchema({ custom, schema }: Resource): Schema {
  if (!custom) return schema;
  return { ...schema, properties: { ...schema.properties, metadata: { $ref: objectMetaName } } };
}

/** A number or a text has two forms in v3; v2 can only say that it is a text. */
const alternatives: Readonly<Record<string, readonly string[]>> = {
  'int-or-string': ['integer', 'string'],
  quantity: ['string', 'number'],
};

function inV3({ type, ...schema }: Schema): Schema {
  const types = alternatives[schema.format ?? ''];
  if (types === undefined) return type === undefined ? schema : { type, ...schema };
  return { ...schema, oneOf: types.map((each) => ({ type: each })) };
}

function written(value: unknown, schemas: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => written(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Schema;
  const entries = Object.entries(rest).map(([key, child]) => [key, written(child, schemas)]);
  if (typeof $ref !== 'string') return Object.fromEntries(entries);
  if (!($ref in schemas)) {
    schemas[$ref] = {};
    schemas[$ref] = written(inV3(deref({ $ref }) ?? anything), schemas);
  }
  return { ...Object.fromEntries(entries), allOf: [{ $ref: `#/components/schemas/${$ref}` }] };
}
