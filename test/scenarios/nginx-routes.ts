import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Routes, weight } from '../../src/api/routes.ts';
import { eventually } from './eventually.ts';
import { canaryFor, parsed } from './providers/canary-for.ts';
import { nginx } from './providers/nginx.ts';
import type { AppName } from './providers/provider-fixture.ts';
import { type Asked, ask, type Expected, only, v1, v2 } from './route-rows.ts';
import type { ShareEnvironment } from './shares/share-environment.ts';
import { namespacesFor, routerOf, SplitApp } from './shares/split-app.ts';
import { afterAll, beforeAll, sleep } from './world.ts';

interface Row {
  what: string;
  routes?: Routes;
  /** Annotations of the canary Ingress by another hand, without their prefix. */
  annotations?: Record<string, string>;
  asks: readonly (readonly [Asked, Expected])[];
}
const row = (what: string, given: Omit<Row, 'what' | 'asks'>, ...asks: Row['asks']): Row => ({ what, ...given, asks });

const PRIMARY: Routes = { kind: 'weighted', canary: weight(0) };
const EVERYONE: Routes = { kind: 'weighted', canary: weight(100) };
const insider = (condition: object, header = 'x-canary'): Routes => ({
  kind: 'matched',
  match: [{ headers: { [header]: condition as { exact: string } } }],
});
const by = (value: string, header = 'x-canary'): Asked => ({ headers: { [header]: value } });
const cookie = (value: string): Asked => by(value, 'cookie');

const PREFIX = 'nginx.ingress.kubernetes.io';

/** Effects of `analysis.match`, and annotations that users write themselves. */
const ROWS: readonly Row[] = [
  row(
    'A/B by a header that is exactly so',
    { routes: insider({ exact: 'insider' }) },
    [by('insider'), v2],
    [by('insider', 'X-Canary'), v2],
    [by('Insider'), v1],
    [by('insiders'), v1],
    [by('always'), v1],
    [{}, v1],
  ),
  row('A/B by the begin of a header', { routes: insider({ prefix: 'in' }) }, [by('insider'), v2], [by('an insider'), v1]),
  row('A/B by the end of a header', { routes: insider({ suffix: '.net' }) }, [by('a.net'), v2], [by('anet'), v1], [by('a.net.org'), v1]),
  row(
    'A/B by a regular expression, which is searched for',
    { routes: insider({ regex: 'in.*r' }) },
    [by('an insiders'), v2],
    [by('out'), v1],
  ),
  row(
    'A/B by a cookie that is always, among others',
    { routes: insider({ exact: 'canary' }, 'cookie') },
    [cookie('canary=always'), v2],
    [cookie('theme=dark; canary=always; x=1'), v2],
    [cookie('canary=never'), v1],
    [cookie('canary=yes'), v1],
    [cookie('canaryx=always'), v1],
    [cookie('Canary=always'), v2],
  ),
  row(
    'A/B by a pattern for the whole Cookie header',
    { routes: insider({ regex: '\\btype=insider\\b' }, 'cookie') },
    [cookie('theme=dark; type=insider; x=1'), v2],
    [cookie('type=insiders'), v1],
  ),
  row(
    'A/B by a header or by a cookie',
    {
      routes: { kind: 'matched', match: [{ headers: { 'x-canary': { exact: 'insider' } } }, { headers: { cookie: { exact: 'canary' } } }] },
    },
    [by('insider'), v2],
    [cookie('canary=always'), v2],
    [{ headers: { 'x-canary': 'other', cookie: 'canary=always' } }, v2],
    [{ headers: { 'x-canary': 'insider', cookie: 'canary=never' } }, v2],
    [{}, v1],
  ),
  row(
    'a header without a value: always and never',
    { annotations: { 'canary-by-header': 'x-who' } },
    [by('always', 'x-who'), v2],
    [by('never', 'x-who'), v1],
    [by('else', 'x-who'), v1],
  ),
  row(
    'never keeps users from a canary that everyone else gets',
    { routes: EVERYONE, annotations: { 'canary-by-header': 'x-who', 'canary-by-cookie': 'who' } },
    [{}, v2],
    [by('never', 'x-who'), v1],
    [cookie('who=never'), v1],
    [by('else', 'x-who'), v2],
    [{ headers: { 'x-who': 'always', cookie: 'who=never' } }, v2],
  ),
  row(
    'a value goes before a pattern',
    { annotations: { 'canary-by-header': 'x-who', 'canary-by-header-value': 'me', 'canary-by-header-pattern': 'you' } },
    [by('me', 'x-who'), v2],
    [by('you', 'x-who'), v1],
  ),
  row(
    'a header that does not match leaves the weight in force',
    { routes: EVERYONE, annotations: { 'canary-by-header': 'x-who', 'canary-by-header-value': 'me' } },
    [by('you', 'x-who'), v2],
  ),
  row(
    'a pattern with a look-ahead, as PCRE reads it',
    { annotations: { 'canary-by-header': 'x-who', 'canary-by-header-pattern': '^(?!you).+$' } },
    [by('me', 'x-who'), v2],
    [by('you', 'x-who'), v1],
  ),
  row(
    'a pattern that PCRE cannot read ends the matter, whatever the weight',
    { routes: EVERYONE, annotations: { 'canary-by-header': 'x-who', 'canary-by-header-pattern': 'a(' } },
    [by('a', 'x-who'), v1],
    [{}, v2],
  ),
  row('a total below 100 counts as 100', { routes: EVERYONE, annotations: { 'canary-weight-total': '10' } }, [{}, v2]),
  row(
    'a path whose Service does not exist answers 503',
    { routes: EVERYONE },
    [{ path: '/elsewhere' }, { status: 503 }],
    [{ path: '/elsewhere/cart' }, { status: 503 }],
    [{ path: '/elsewheres' }, { version: '2', path: '/elsewheres' }],
    [{ path: '/cart?x=1' }, { version: '2', path: '/cart?x=1' }],
  ),
];

/** Canary Ingresses that Serin writes, and edits of theirs, read by the data plane of the environment. */
export function describeNginxRoutes(start: () => Promise<ShareEnvironment>): void {
  const namespace = 'nginx-routes';
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await start();
    await namespacesFor(environment.cluster, [namespace]);
  }, 180_000);
  afterAll(() => environment?.stop());

  it('without an endpoint of the primary requests get 503, also with all weight on the canary', async () => {
    const { cluster } = environment;
    const app = await SplitApp.run(environment, nginx, { name: 'alone', namespace });
    await app.route(EVERYONE);
    expect(await ask(app.target, {})).toMatchObject({ status: 200, version: '2' });
    await cluster.delete({ apiVersion: 'v1', kind: 'Pod', name: 'alone-v1', namespace });
    await eventually(
      'requests are refused',
      () => ask(app.target, {}),
      ({ status }) => status === 503,
    );
  });

  it('without an endpoint of the canary the primary answers, also with all weight on the canary', async () => {
    const { cluster } = environment;
    const app = await SplitApp.run(environment, nginx, { name: 'left', namespace });
    await app.route(EVERYONE);
    expect(await ask(app.target, {})).toMatchObject({ status: 200, version: '2' });
    await cluster.delete({ apiVersion: 'v1', kind: 'Pod', name: 'left-v2', namespace });
    await eventually(
      'the primary answers',
      () => ask(app.target, {}),
      ({ version }) => version === '1',
    );
  });

  it('I17: of two canary Ingresses for a path only one is evaluated, so an arrival beside another one is refused', async () => {
    const name = { name: 'rival', namespace };
    const beside = (app: AppName): KubeObject[] => [...(nginx.objects?.(app) ?? []), ...betaOf(app)];
    const app = await SplitApp.run(environment, { ...nginx, objects: beside }, name);
    const versionOf = async (asked: Asked) => (await ask(app.target, asked)).version;
    const isBetaAsked = async () => (await versionOf(by('always', 'x-beta'))) === '2';
    const isCanaryAsked = async () => (await versionOf({})) === '2';
    await eventually('the user’s is asked', isBetaAsked);
    await app.write(PRIMARY);
    // Longer than nginx takes to hear of an Ingress.
    await sleep(8_000);
    const before = await isBetaAsked();
    await app.write(EVERYONE);
    await sleep(8_000);
    expect([before, await isCanaryAsked()].filter(Boolean)).toHaveLength(1);
    const canary = parsed(canaryFor(nginx, name, {}));
    const unkept = routerOf(nginx).unkept?.(canary, beside(name)) ?? [];
    expect(unkept.map(({ on, isRefused }) => [on.metadata.name, isRefused])).toEqual([['rival-beta', true]]);
    await environment.cluster.delete({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'rival-beta', namespace });
    await eventually('the canary gets its share', isCanaryAsked);
  });

  describe.concurrent('nginx', () => {
    it.each(ROWS.map((row, index) => ({ ...row, index })))('$what', async ({ routes = PRIMARY, annotations, asks, index }) => {
      const name = { name: `r${index}`, namespace };
      const app = await SplitApp.run(environment, nginx, name);
      await app.route(routes);
      if (annotations) await annotateCanary(environment, nginx.route(name), annotations);
      const got = await Promise.all(asks.map(([asked]) => ask(app.target, asked)));
      expect(got.map((answer, each) => only(answer, asks[each]?.[1] ?? {}))).toEqual(asks.map(([, expected]) => expected));
    });
  });
}

/** A canary Ingress of the user's for the paths of the application, by a header, to pods of version 2. */
function betaOf({ name, namespace }: AppName): KubeObject[] {
  const [own] = nginx.objects?.({ name, namespace }) ?? [];
  const beta = `${name}-beta`;
  const annotations = { [`${PREFIX}/canary`]: 'true', [`${PREFIX}/canary-by-header`]: 'x-beta' };
  const spec = JSON.parse(JSON.stringify(own?.spec).replaceAll(`"name":"${name}"`, `"name":"${beta}"`));
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: beta, namespace },
      spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
    { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: beta, namespace, annotations }, spec },
  ];
}

async function annotateCanary(
  { cluster, mesh }: ShareEnvironment,
  ref: Parameters<ShareEnvironment['cluster']['get']>[0],
  annotations: Record<string, string>,
): Promise<void> {
  const prefixed = Object.fromEntries(Object.entries(annotations).map(([name, text]) => [`${PREFIX}/${name}`, text]));
  const edited: KubeObject = await cluster.patch(ref, { metadata: { annotations: prefixed } });
  await eventually('the canary Ingress is known as edited', async () =>
    mesh.knows({ ...edited, apiVersion: ref.apiVersion, kind: ref.kind }),
  );
}
