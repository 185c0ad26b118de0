import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiServer, startApiServer } from './index.ts';
import type { Json, JsonObject } from './json.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer();
  await post('/api/v1/namespaces', { metadata: { name: 'test' } });
});
afterAll(() => server.stop());

interface Answer {
  status: number;
  body: Json;
}

async function call(method: string, path: string, body?: unknown, type = 'application/json', accept = 'application/json'): Promise<Answer> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(server.url + path, { method, headers: { 'content-type': type, accept, 'user-agent': 'tester/1' }, ...init });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}
const get = (path: string, accept?: string): Promise<Answer> => call('GET', path, undefined, undefined, accept);
const post = (path: string, body: unknown): Promise<Answer> => call('POST', path, body);
const put = (path: string, body: unknown): Promise<Answer> => call('PUT', path, body);
const merge = (path: string, body: unknown): Promise<Answer> => call('PATCH', path, body, 'application/merge-patch+json');
const jsonPatch = (path: string, body: unknown): Promise<Answer> => call('PATCH', path, body, 'application/json-patch+json');
const strategic = (path: string, body: unknown): Promise<Answer> => call('PATCH', path, body, 'application/strategic-merge-patch+json');
const apply = (path: string, manager: string, body: unknown, force = false): Promise<Answer> =>
  call('PATCH', `${path}?fieldManager=${manager}${force ? '&force=true' : ''}`, body, 'application/apply-patch+yaml');
const remove = (path: string, body?: unknown): Promise<Answer> => call('DELETE', path, body);

async function eventually(check: () => Promise<void>): Promise<void> {
  await expect.poll(async () => check().then(() => 'ok', String), { timeout: 60_000, interval: 10 }).toBe('ok');
}

const maps = '/api/v1/namespaces/test/configmaps';
const deployments = '/apis/apps/v1/namespaces/test/deployments';
const services = '/api/v1/namespaces/test/services';
const pods = '/api/v1/namespaces/test/pods';
const map = (name: string, data: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});
const deployment = (name: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 80 }] }] },
    },
  },
});

async function watch(path: string): Promise<Json[]> {
  const answer = await fetch(server.url + path);
  return (await answer.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('discovery', () => {
  it('lists groups, and all resources in the aggregated form', async () => {
    expect((await get('/apis')).body.groups.map((group: Json) => group.name)).toContain('apps');
    const aggregated = await get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(aggregated.body.kind).toBe('APIGroupDiscoveryList');
  });
  it('lists short names and subresources', async () => {
    const { resources } = (await get('/apis/apps/v1')).body;
    expect(resources.find((item: Json) => item.name === 'deployments').shortNames).toEqual(['deploy']);
    expect(resources.map((item: Json) => item.name)).toContain('deployments/scale');
  });
  it.each(['/livez', '/readyz', '/healthz'])('%s says ok', async (path) => expect((await get(path)).body).toBe('ok'));
  it('serves OpenAPI v3 with the kind of each schema', async () => {
    const { body } = await get('/openapi/v3/apis/apps/v1');
    expect(body.components.schemas['apps.v1.Deployment']['x-kubernetes-group-version-kind'][0].kind).toBe('Deployment');
  });
  it('serves OpenAPI v2 as JSON, and refuses a client that reads only protobuf', async () => {
    const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect((await get('/openapi/v2', `${protobuf}, application/json`)).body.swagger).toBe('2.0');
    expect(await get('/openapi/v2', protobuf)).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
  });
  it('answers 404 Status for an unknown path', async () => expect((await get('/apis/none/v1/things')).body.reason).toBe('NotFound'));
  it('allows every access review', async () => {
    const { body } = await post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} });
    expect(body.status.allowed).toBe(true);
  });
});

describe('create, read, update', () => {
  it('sets uid, resourceVersion and creationTimestamp', async () => {
    const { status, body } = await post(maps, map('made'));
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({
      uid: expect.any(String),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.any(String),
    });
  });
  it('refuses a second object of the same name', async () => {
    await post(maps, map('twice'));
    expect((await post(maps, map('twice'))).body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'AlreadyExists',
      code: 409,
      details: { name: 'twice', kind: 'configmaps' },
    });
  });
  it('makes a name from generateName', async () =>
    expect((await post(maps, { metadata: { generateName: 'gen-' } })).body.metadata.name).toMatch(/^gen-\w{5}$/));
  it('refuses an invalid name', async () =>
    expect((await post(maps, map('No_Name'))).body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { causes: [{ field: 'metadata.name' }] },
    }));
  it('refuses a namespace that does not exist', async () =>
    expect((await post('/api/v1/namespaces/none/configmaps', map('a'))).status).toBe(404));
  it('refuses a stale resourceVersion', async () => {
    const { body } = await post(maps, map('stale'));
    await merge(`${maps}/stale`, { data: { a: '1' } });
    expect((await put(`${maps}/stale`, body)).body).toMatchObject({ code: 409, reason: 'Conflict' });
  });
  it('keeps the version when nothing changes', async () => {
    const { body } = await post(maps, map('same', { a: '1' }));
    expect((await merge(`${maps}/same`, { data: { a: '1' } })).body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });
  it('stores nothing on a dry run', async () => {
    expect((await post(`${maps}?dryRun=All`, map('dry'))).status).toBe(201);
    expect((await get(`${maps}/dry`)).status).toBe(404);
  });
  it('refuses unknown fields under strict validation, and drops them otherwise', async () => {
    expect((await post(`${maps}?fieldValidation=Strict`, { ...map('strict'), oops: 1 })).body.message).toContain('unknown field "oops"');
    expect((await post(maps, { ...map('loose'), oops: 1 })).body.oops).toBeUndefined();
  });
  it('refuses a wrong type as a bad request', async () => expect((await post(maps, { ...map('typed'), data: { a: 1 } })).status).toBe(400));
});

describe('built-in kinds', () => {
  it('defaults a Deployment', async () => {
    const { spec, metadata } = (await post(deployments, deployment('defaults'))).body;
    expect(spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } },
    });
    expect(spec.template.spec.containers[0]).toMatchObject({ imagePullPolicy: 'IfNotPresent', ports: [{ protocol: 'TCP' }] });
    expect(metadata.generation).toBe(1);
  });
  it('bumps generation for spec only', async () => {
    await post(deployments, deployment('generation'));
    expect((await merge(`${deployments}/generation`, { metadata: { labels: { a: 'b' } } })).body.metadata.generation).toBe(1);
    expect((await merge(`${deployments}/generation`, { spec: { replicas: 3 } })).body.metadata.generation).toBe(2);
  });
  it('refuses a new selector', async () => {
    await post(deployments, deployment('selector'));
    const { body } = await merge(`${deployments}/selector`, {
      spec: { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } } } },
    });
    expect(body).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.selector' }] } });
  });
  it('refuses a template that the selector does not match', async () => {
    const wrong = deployment('mismatch');
    wrong.spec.selector.matchLabels.app = 'other';
    expect((await post(deployments, wrong)).status).toBe(422);
  });
  it('keeps status and spec apart', async () => {
    await post(deployments, deployment('apart'));
    expect((await merge(`${deployments}/apart`, { status: { replicas: 5 } })).body.status?.replicas).toBeUndefined();
    const { body } = await merge(`${deployments}/apart/status`, { spec: { replicas: 7 }, status: { replicas: 5 } });
    expect([body.spec.replicas, body.status.replicas, body.metadata.generation]).toEqual([1, 5, 1]);
  });
  it('reads and writes the scale', async () => {
    await post(deployments, deployment('scale'));
    expect((await get(`${deployments}/scale/scale`)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { selector: 'app=scale' },
    });
    expect((await merge(`${deployments}/scale/scale`, { spec: { replicas: 4 } })).body.spec.replicas).toBe(4);
    expect((await get(`${deployments}/scale`)).body.spec.replicas).toBe(4);
  });
  it('allocates a cluster IP and keeps it', async () => {
    const { body } = await post(services, { metadata: { name: 'ip' }, spec: { ports: [{ port: 80 }] } });
    expect(body.spec).toMatchObject({
      clusterIP: expect.stringMatching(/^10\.96\./),
      ports: [{ targetPort: 80, protocol: 'TCP' }],
      type: 'ClusterIP',
    });
    expect((await merge(`${services}/ip`, { spec: { clusterIP: '10.96.9.9' } })).status).toBe(422);
  });
  it('shows an HPA in both versions', async () => {
    const path = '/apis/autoscaling/v1/namespaces/test/horizontalpodautoscalers';
    await post(path, {
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 50, scaleTargetRef: { kind: 'Deployment', name: 'x' } },
    });
    expect((await get(`${path.replace('v1', 'v2')}/h`)).body.spec.metrics[0].resource.target.averageUtilization).toBe(50);
  });
  it('binds and evicts a pod, gracefully once bound', async () => {
    await post(pods, { metadata: { name: 'bound' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
    expect((await post(`${pods}/bound/binding`, { target: { name: 'n1' } })).status).toBe(201);
    expect((await get(`${pods}?fieldSelector=spec.nodeName=n1`)).body.items).toHaveLength(1);
    await post(`${pods}/bound/eviction`, { metadata: { name: 'bound' } });
    expect((await get(`${pods}/bound`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
    await remove(`${pods}/bound?gracePeriodSeconds=0`);
    expect((await get(`${pods}/bound`)).status).toBe(404);
  });
});

describe('list and watch', () => {
  it.each([
    ['color=red', ['l1']],
    ['color!=red,set=l', ['l2', 'l3']],
    ['color in (red,blue)', ['l1', 'l2']],
    ['set=l,color notin (red,blue)', ['l3']],
    ['set=l,!color', ['l3']],
  ])('selects labels by %s', async (selector, names) => {
    await post(maps, map('l1', {}, { labels: { set: 'l', color: 'red' } }));
    await post(maps, map('l2', {}, { labels: { set: 'l', color: 'blue' } }));
    await post(maps, map('l3', {}, { labels: { set: 'l' } }));
    const { items } = (await get(`${maps}?labelSelector=${encodeURIComponent(selector)}`)).body;
    expect(items.map((item: Json) => item.metadata.name)).toEqual(names);
  });
  it('pages by limit and continue', async () => {
    const first = (await get('/api/v1/namespaces?limit=2')).body;
    const rest = (await get(`/api/v1/namespaces?continue=${first.metadata.continue}`)).body;
    expect(first.items.length).toBe(2);
    expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(rest.items.map((item: Json) => item.metadata.name)).toContain('test');
  });
  it('refuses an unknown field selector', async () => expect((await get(`${maps}?fieldSelector=data.a=1`)).status).toBe(400));
  it('gives metadata only, and tables, by Accept', async () => {
    expect((await get(maps, 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1')).body.kind).toBe(
      'PartialObjectMetadataList',
    );
    const { columnDefinitions } = (await get(deployments, 'application/json;as=Table;v=v1;g=meta.k8s.io')).body;
    expect(columnDefinitions.slice(0, 5).map((column: Json) => column.name)).toEqual(['Name', 'Ready', 'Up-to-date', 'Available', 'Age']);
  });
  it('streams from a version, and ends with a bookmark', async () => {
    const { body } = await post(maps, map('watched'));
    await merge(`${maps}/watched`, { data: { a: '1' } });
    await remove(`${maps}/watched`);
    const events = await watch(
      `${maps}?watch=1&resourceVersion=${body.metadata.resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=1&fieldSelector=metadata.name=watched`,
    );
    expect(events.map((event) => event.type)).toEqual(['MODIFIED', 'DELETED', 'BOOKMARK']);
  });
  it('shows an object that leaves the selector as deleted', async () => {
    const { body } = await post(maps, map('leaving', {}, { labels: { in: 'yes' } }));
    await merge(`${maps}/leaving`, { metadata: { labels: { in: 'no' } } });
    const events = await watch(`${maps}?watch=1&resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=1&labelSelector=in=yes`);
    expect(events.map((event) => [event.type, event.object.metadata.labels.in])).toEqual([['DELETED', 'yes']]);
  });
  it('says 410 in the stream when the version is too old', async () => {
    const forgetful = await startApiServer({ watchWindow: 100 });
    onTestFinished(() => forgetful.stop());
    const url = `${forgetful.url}/api/v1/namespaces/default/configmaps`;
    const headers = { 'content-type': 'application/json' };
    await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        fetch(url, { method: 'POST', headers, body: JSON.stringify({ metadata: { name: `made-${at}` } }) }),
      ),
    );
    const answer = await fetch(`${url}?watch=1&resourceVersion=1&timeoutSeconds=1`);
    expect(JSON.parse(await answer.text())).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });
});

describe('patches', () => {
  it('fails on a JSON patch test that does not hold, with 422 and no change', async () => {
    await post(maps, map('tested', { a: '1' }));
    expect(
      (
        await jsonPatch(`${maps}/tested`, [
          { op: 'test', path: '/data/a', value: '2' },
          { op: 'remove', path: '/data/a' },
        ])
      ).status,
    ).toBe(422);
    expect((await get(`${maps}/tested`)).body.data).toEqual({ a: '1' });
  });
  it('replaces by JSON patch under a resourceVersion test', async () => {
    const { body } = await post(maps, map('replaced', { a: '1' }));
    const test = { op: 'test', path: '/metadata/resourceVersion', value: body.metadata.resourceVersion };
    expect((await jsonPatch(`${maps}/replaced`, [test, { op: 'replace', path: '/data', value: { b: '2' } }])).body.data).toEqual({
      b: '2',
    });
  });
  it('removes by null in a merge patch', async () => {
    await post(maps, map('nulled', { a: '1', b: '2' }));
    expect((await merge(`${maps}/nulled`, { data: { a: null } })).body.data).toEqual({ b: '2' });
  });
  it('merges containers by name in a strategic patch, and deletes by directive', async () => {
    await post(deployments, deployment('strategic'));
    const added = await strategic(`${deployments}/strategic`, {
      spec: { template: { spec: { containers: [{ name: 'side', image: 's:1' }] } } },
    });
    expect(added.body.spec.template.spec.containers.map((item: Json) => item.name).toSorted()).toEqual(['app', 'side']);
    const gone = await strategic(`${deployments}/strategic`, {
      spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } },
    });
    expect(gone.body.spec.template.spec.containers).toHaveLength(1);
  });
  it('refuses an unknown patch type', async () => expect((await call('PATCH', `${maps}/tested`, {}, 'text/plain')).status).toBe(415));
});

describe('server-side apply', () => {
  it('creates what is absent, and records the manager', async () => {
    const { status, body } = await apply(`${maps}/applied`, 'one', map('applied', { a: '1' }));
    expect(status).toBe(201);
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } }]);
  });
  it('needs a manager', async () => expect((await apply(`${maps}/unmanaged`, '', map('unmanaged'))).status).toBe(422));
  it('refuses another manager’s field, unless forced', async () => {
    await apply(`${maps}/fought`, 'one', map('fought', { a: '1' }));
    const { body } = await apply(`${maps}/fought`, 'two', map('fought', { a: '2' }));
    expect(body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
    });
    const forced = await apply(`${maps}/fought`, 'two', map('fought', { a: '2' }), true);
    expect(forced.body.metadata.managedFields.map((entry: Json) => entry.manager)).toEqual(['two']);
  });
  it('shares a field of equal value', async () => {
    await apply(`${maps}/shared`, 'one', map('shared', { a: '1' }));
    expect((await apply(`${maps}/shared`, 'two', map('shared', { a: '1' }))).body.metadata.managedFields).toHaveLength(2);
    expect((await apply(`${maps}/shared`, 'one', map('shared'))).body.data).toEqual({ a: '1' });
  });
  it('removes what its manager no longer applies', async () => {
    await apply(`${maps}/dropped`, 'one', map('dropped', { a: '1', b: '2' }));
    expect((await apply(`${maps}/dropped`, 'one', map('dropped', { a: '1' }))).body.data).toEqual({ a: '1' });
  });
  it('merges lists by key, and keeps defaults', async () => {
    await post(deployments, deployment('keyed'));
    const base = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'keyed' } };
    const config = { ...base, spec: { template: { spec: { containers: [{ name: 'side', image: 's:1' }] } } } };
    expect((await apply(`${deployments}/keyed`, 'side', config)).body.spec.template.spec.containers).toHaveLength(2);
    expect((await apply(`${deployments}/keyed`, 'side', base)).body.spec.template.spec.containers).toHaveLength(1);
  });
  it('takes resourceVersion as a precondition', async () => {
    await apply(`${maps}/precondition`, 'one', map('precondition'));
    expect((await apply(`${maps}/precondition`, 'one', map('precondition', { a: '1' }, { resourceVersion: '1' }))).status).toBe(409);
  });
  it('records updates of other writers, who take ownership', async () => {
    await apply(`${maps}/taken`, 'one', map('taken', { a: '1' }));
    const { body } = await merge(`${maps}/taken`, { data: { a: '2' } });
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'tester', operation: 'Update', fieldsV1: { 'f:data': { 'f:a': {} } } }]);
  });
  it('lets a manager give up its fields by a patch, and no other one conflicts with it then', async () => {
    await apply(`${maps}/given-up`, 'one', map('given-up', { a: '1', b: '1' }));
    const { body } = await merge(`${maps}/given-up`, { data: { a: '2' } });
    const managers = (of: Json) => (of.metadata.managedFields ?? []).map(({ manager }: Json) => manager);
    expect(managers(body)).toEqual(['one', 'tester']);
    expect((await apply(`${maps}/given-up`, 'one', map('given-up', { a: '1', b: '1' }))).status).toBe(409);
    const patch = [
      { op: 'test', path: '/metadata/managedFields/1/manager', value: 'tester' },
      { op: 'remove', path: '/metadata/managedFields/1' },
    ];
    const given = await jsonPatch(`${maps}/given-up`, patch);
    expect(managers(given.body)).toEqual(['one']);
    expect(given.body.data).toEqual({ a: '2', b: '1' });
    expect((await apply(`${maps}/given-up`, 'one', map('given-up', { a: '1', b: '1' }))).body.data).toEqual({ a: '1', b: '1' });
  });
  it('keeps the record of managers where an empty list is written, and drops it for an empty entry', async () => {
    await apply(`${maps}/cleared`, 'one', map('cleared', { a: '1' }));
    const kept = await merge(`${maps}/cleared`, { metadata: { managedFields: [] } });
    expect(kept.body.metadata.managedFields).toHaveLength(1);
    expect((await merge(`${maps}/cleared`, { metadata: { managedFields: [{}] } })).body.metadata.managedFields).toBeUndefined();
  });
  it('changes nothing when applied twice', async () => {
    const first = await apply(`${deployments}/idem`, 'one', deployment('idem'));
    expect((await apply(`${deployments}/idem`, 'one', deployment('idem'))).body.metadata.resourceVersion).toBe(
      first.body.metadata.resourceVersion,
    );
  });
});

describe('deletion', () => {
  it('waits for finalizers', async () => {
    await post(maps, map('final', {}, { finalizers: ['a.io/b'] }));
    expect((await remove(`${maps}/final`)).body.metadata.deletionTimestamp).toBeDefined();
    expect((await merge(`${maps}/final`, { metadata: { finalizers: ['a.io/b', 'a.io/c'] } })).status).toBe(422);
    await merge(`${maps}/final`, { metadata: { finalizers: null } });
    expect((await get(`${maps}/final`)).status).toBe(404);
  });
  it('holds preconditions', async () => {
    await post(maps, map('conditional'));
    expect((await remove(`${maps}/conditional`, { preconditions: { uid: 'other' } })).status).toBe(409);
  });
  const owned = async (name: string, extra: JsonObject = {}): Promise<void> => {
    const { body } = await post(maps, map(name));
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid, ...extra };
    await post(maps, map(`${name}-child`, {}, { ownerReferences: [owner] }));
  };
  it('collects what the deleted object owned', async () => {
    await owned('owner');
    await remove(`${maps}/owner`);
    await eventually(async () => expect((await get(`${maps}/owner-child`)).status).toBe(404));
  });
  it('collects an object whose owner never was', async () => {
    await post(maps, map('orphaned', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'none' }] }));
    await eventually(async () => expect((await get(`${maps}/orphaned`)).status).toBe(404));
  });
  it('deletes dependents first in the foreground', async () => {
    await owned('front', { blockOwnerDeletion: true });
    expect((await remove(`${maps}/front?propagationPolicy=Foreground`)).body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await eventually(async () => expect((await get(`${maps}/front`)).status).toBe(404));
    expect((await get(`${maps}/front-child`)).status).toBe(404);
  });
  it('orphans dependents on request', async () => {
    await owned('leaver');
    await remove(`${maps}/leaver?propagationPolicy=Orphan`);
    await eventually(async () => expect((await get(`${maps}/leaver`)).status).toBe(404));
    expect((await get(`${maps}/leaver-child`)).body.metadata.ownerReferences).toBeUndefined();
  });
  it('empties a namespace, and takes nothing new meanwhile', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'going' } });
    await post('/api/v1/namespaces/going/configmaps', map('a', {}, { finalizers: ['a.io/b'] }));
    expect((await remove('/api/v1/namespaces/going')).body.status.phase).toBe('Terminating');
    expect((await post('/api/v1/namespaces/going/configmaps', map('b'))).status).toBe(403);
    await eventually(async () =>
      expect((await get('/api/v1/namespaces/going/configmaps/a')).body.metadata.deletionTimestamp).toBeDefined(),
    );
    await merge('/api/v1/namespaces/going/configmaps/a', { metadata: { finalizers: [] } });
    await eventually(async () => expect((await get('/api/v1/namespaces/going')).status).toBe(404));
  });
  it('deletes a selected collection', async () => {
    await post(maps, map('bulk', {}, { labels: { bulk: 'yes' } }));
    await remove(`${maps}?labelSelector=bulk=yes`);
    expect((await get(`${maps}/bulk`)).status).toBe(404);
    expect((await get(`${maps}/made`)).status).toBe(200);
  });
});

describe('custom resources', () => {
  const things = '/apis/example.io/v1/namespaces/test/things';
  const thing = (name: string, spec: JsonObject): JsonObject => ({ apiVersion: 'example.io/v1', kind: 'Thing', metadata: { name }, spec });
  beforeAll(async () => {
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['size'],
          properties: {
            size: { type: 'integer', minimum: 1 },
            mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
            port: { 'x-kubernetes-int-or-string': true },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            one: { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
            list: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
          },
          'x-kubernetes-validations': [{ rule: 'self.size < 100', message: 'too big' }],
        },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: schema },
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    };
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'things.example.io' },
      spec: {
        group: 'example.io',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing', shortNames: ['th'] },
        versions: [version],
      },
    });
  });
  it('is established at once', async () => {
    const { body } = await get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.io');
    expect(body.status.conditions).toMatchObject([{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }]);
  });
  it('defaults and prunes', async () => {
    const { body } = await post(things, thing('pruned', { size: 1, oops: 1, free: { kept: { deep: 1 } }, port: 'http' }));
    expect(body.spec).toEqual({ size: 1, mode: 'a', free: { kept: { deep: 1 } }, port: 'http' });
  });
  it.each([
    ['type', { size: 'x' }, 'spec.size'],
    ['minimum', { size: 0 }, 'spec.size'],
    ['enum', { size: 1, mode: 'c' }, 'spec.mode'],
    ['required', {}, 'spec.size'],
    ['CEL rule', { size: 100 }, 'spec'],
  ])('refuses a wrong %s with its cause', async (_what, spec, field) => {
    expect((await post(things, thing('wrong', spec))).body).toMatchObject({ code: 422, details: { causes: [{ field }] } });
  });
  it('names the field of a choice that is not made only in the message, as the real server does', async () => {
    const { message, details } = (await post(things, thing('torn', { size: 1, one: { a: 1, b: 1 } }))).body;
    expect(message).toContain(
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    );
    expect(details.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: '<nil>' }]);
  });
  it('refuses to apply what the schema does not declare, where a create drops it', async () => {
    const answer = await apply(`${things}/typed`, 'one', { ...thing('typed', { size: 1, oops: { deep: 1 } }), name: 'typed' });
    expect(answer).toMatchObject({
      status: 500,
      body: { message: expect.stringMatching(/^failed to create typed patch object \(test\/typed; example.io\/v1, Kind=Thing\): errors:/) },
    });
    for (const path of ['.name', '.spec.oops']) expect(answer.body.message).toContain(`${path}: field not declared in schema`);
    expect((await get(`${things}/typed`)).status).toBe(404);
  });
  it('has no strategic merge patch', async () => expect((await strategic(`${things}/pruned`, {})).status).toBe(415));
  it('owns lists without keys as a whole', async () => {
    await apply(`${things}/atomic`, 'one', thing('atomic', { size: 1, list: [{ name: 'a' }] }));
    const answer = await apply(`${things}/atomic`, 'two', thing('atomic', { size: 1, list: [{ name: 'b' }] }));
    expect(answer.body.details.causes).toMatchObject([{ field: '.spec.list' }]);
  });
  it('replaces one only over a version, as built-in kinds need not', async () => {
    const { body } = await post(things, thing('versioned', { size: 1 }));
    const { resourceVersion: _, ...metadata } = body.metadata;
    const refused = await put(`${things}/versioned`, { ...body, metadata });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'things.example.io "versioned" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
    expect((await put(`${things}/versioned`, body)).status).toBe(200);
  });
  it('keeps generation on status writes', async () => {
    const { body } = await merge(`${things}/pruned/status`, { status: { phase: 'x' } });
    expect([body.metadata.generation, body.status.phase]).toEqual([1, 'x']);
  });
  it('prints its own columns', async () => {
    const { columnDefinitions, rows } = (await get(`${things}/pruned`, 'application/json;as=Table;v=v1;g=meta.k8s.io')).body;
    expect([columnDefinitions.map((column: Json) => column.name), rows[0].cells]).toEqual([
      ['Name', 'Size'],
      ['pruned', 1],
    ]);
  });
  it('does not show what a changed definition no longer knows, until it knows it again', async () => {
    await post(things, thing('narrowed', { size: 1, mode: 'b' }));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.io';
    const { versions } = (await get(path)).body.spec;
    const narrow = structuredClone(versions);
    delete narrow[0].schema.openAPIV3Schema.properties.spec.properties.mode;
    await merge(path, { spec: { versions: narrow } });
    expect((await get(`${things}/narrowed`)).body.spec).toEqual({ size: 1 });
    await merge(path, { spec: { versions } });
    expect((await get(`${things}/narrowed`)).body.spec).toEqual({ size: 1, mode: 'b' });
  });
  it('goes with its definition', async () => {
    await remove('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.io');
    await eventually(async () => expect((await get(things)).status).toBe(404));
    expect(server.snapshot()['example.io/things']).toEqual([]);
  });
});

it('counts requests by verb, resource and user agent', () => {
  expect(server.requestCounts('tester/1')['patch deployments/status']).toBe(1);
  expect(server.requestCounts('unknown')).toEqual({});
});
