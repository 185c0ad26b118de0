import { describe, expect, it } from 'vitest';
import type { Provider } from './canary.ts';
import { findings } from './findings.ts';
import { parseCanary } from './parse-canary.ts';

type Fields = Record<string, unknown>;
interface Change {
  annotations?: Record<string, string>;
  service?: Fields;
  analysis?: Fields;
}

function textsFound({ annotations = {}, service, analysis }: Change, provider: Provider = 'istio') {
  const read = parseCanary({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'shop', namespace: 'test', annotations },
    spec: {
      provider,
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      service: { port: 80, ...service },
      analysis: { interval: '1m', threshold: 5, stepWeight: 10, webhooks: [{ name: 'load', url: 'http://load.test/' }], ...analysis },
    },
  });
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return findings(read.canary);
}
const paths = (change: Change, provider?: Provider) => textsFound(change, provider).map(({ severity, path }) => `${severity} ${path}`);

const affinity = (fields: Fields): Change => ({ analysis: { sessionAffinity: { cookieName: 'side', ...fields } } });
const headers = (fields: Fields): Change => ({ service: { headers: fields } });
const match = (entry: Fields): Change => ({ service: { match: [entry] } });
const cors = (fields: Fields): Change => ({ service: { corsPolicy: fields } });
const hash = (consistentHash: Fields): Change => ({ service: { trafficPolicy: { loadBalancer: { consistentHash } } } });
const segment = (entry: Fields): Change => ({ analysis: { stepWeight: undefined, iterations: 3, match: [entry] } });

describe('DF606: a text with a line break or another control character is an error', () => {
  it.each<[path: string, change: Change]>([
    ['analysis.sessionAffinity.cookieName', affinity({ cookieName: 'a\r\nset-cookie: b' })],
    ['analysis.sessionAffinity.primaryCookieName', affinity({ primaryCookieName: 'a\n' })],
    ['analysis.sessionAffinity.domain', affinity({ domain: 'shop.test\r\n' })],
    ['analysis.sessionAffinity.path', affinity({ path: '/\0' })],
    ['analysis.match[0].headers["x-a\\n"]', segment({ headers: { 'x-a\n': { exact: 'b' } } })],
    ['analysis.match[0].headers.x-a.exact', segment({ headers: { 'x-a': { exact: 'b\r' } } })],
    ['analysis.match[0].headers.x-a.regex', segment({ headers: { 'x-a': { regex: 'b\n' } } })],
    ['analysis.match[0].queryParams["q\\n"]', segment({ queryParams: { 'q\n': { exact: 'b' } } })],
    ['analysis.match[0].queryParams.q.exact', segment({ queryParams: { q: { exact: 'b\u0085' } } })],
    ['analysis.match[0].sourceLabels.app', segment({ sourceLabels: { app: 'b\n' } })],
    ['service.headers.request.set.x-a', headers({ request: { set: { 'x-a': 'b\r\nx-evil: 1' } } })],
    ['service.headers.request.set["x-a: 1\\r\\nx-evil"]', headers({ request: { set: { 'x-a: 1\r\nx-evil': 'b' } } })],
    ['service.headers.response.add.x-a', headers({ response: { add: { 'x-a': 'b\u007f' } } })],
    ['service.headers.request.remove[0]', headers({ request: { remove: ['x-a\n'] } })],
    ['service.hosts[0]', { service: { hosts: ['shop.test\n'] } }],
    ['service.gateways[0]', { service: { gateways: ['public\n'] } }],
    ['service.match[0].uri.prefix', match({ uri: { prefix: '/\r\n' } })],
    ['service.match[0].method.exact', match({ method: { exact: 'GET\n' } })],
    ['service.match[0].authority.exact', match({ authority: { exact: 'shop\n' } })],
    ['service.match[0].withoutHeaders["a\\n"]', match({ withoutHeaders: { 'a\n': { exact: 'b' } } })],
    ['service.rewrite.uri', { service: { rewrite: { uri: '/a\r\n' } } }],
    ['service.rewrite.authority', { service: { rewrite: { authority: 'a\n' } } }],
    ['service.retries.retryOn', { service: { retries: { retryOn: '5xx\n' } } }],
    ['service.corsPolicy.allowOrigin[0]', cors({ allowOrigin: ['a\n'] })],
    ['service.corsPolicy.allowOrigins[0].exact', cors({ allowOrigins: [{ exact: 'a\n' }] })],
    ['service.corsPolicy.allowMethods[0]', cors({ allowMethods: ['GET\n'] })],
    ['service.corsPolicy.exposeHeaders[0]', cors({ exposeHeaders: ['x-a\n'] })],
    ['service.trafficPolicy.loadBalancer.consistentHash.httpCookie.path', hash({ httpCookie: { name: 'c', path: '/\n' } })],
    ['service.trafficPolicy.tls.sni', { service: { trafficPolicy: { tls: { sni: 'a\n' } } } }],
  ])('spec.%s', (path, change) => expect(paths(change)).toEqual([`error spec.${path}`]));

  it('finds texts of App Mesh: meshName and backends', () =>
    expect(paths({ service: { meshName: 'm\n', backends: ['b\n'] } }, 'appmesh:v1beta2')).toEqual([
      'warning spec.provider',
      'error spec.service.meshName',
      'error spec.service.backends[0]',
    ]));

  it('finds the annotation of Kuma that names the mesh', () =>
    expect(paths({ annotations: { 'kuma.io/mesh': 'a\n' } }, 'kuma')).toEqual([
      'warning spec.provider',
      'error metadata.annotations["kuma.io/mesh"]',
    ]));

  it('names the remedy, and repeats no value', () => {
    const [found] = textsFound(headers({ request: { set: { authorization: 'Basic c2VjcmV0\n' } } }));
    expect(found?.message).not.toContain('c2VjcmV0');
    expect(found?.message).toContain('remove it');
  });
});

describe('DF606: names and attributes of headers and cookies', () => {
  it.each<[path: string, change: Change]>([
    ['analysis.sessionAffinity.cookieName', affinity({ cookieName: 'a;b' })],
    ['analysis.sessionAffinity.primaryCookieName', affinity({ primaryCookieName: 'a=b' })],
    ['analysis.sessionAffinity.domain', affinity({ domain: 'x; Secure=; Domain=shop' })],
    ['analysis.sessionAffinity.domain', affinity({ domain: '*.shop.test' })],
    ['analysis.sessionAffinity.domain', affinity({ domain: 'shop.test:8080' })],
    ['analysis.sessionAffinity.path', affinity({ path: '/; Domain=shop' })],
    ['analysis.sessionAffinity.path', affinity({ path: '/é' })],
    ['analysis.match[0].headers["x a"]', segment({ headers: { 'x a': { exact: 'b' } } })],
    ['analysis.match[0].headers[""]', segment({ headers: { '': { exact: 'b' } } })],
    ['service.match[0].withoutHeaders["x:a"]', match({ withoutHeaders: { 'x:a': { exact: 'b' } } })],
    ['service.headers.request.set["x a"]', headers({ request: { set: { 'x a': 'b' } } })],
    ['service.headers.response.remove[0]', headers({ response: { remove: ['x(a)'] } })],
    ['service.corsPolicy.allowHeaders[1]', cors({ allowHeaders: ['x-a', 'x a'] })],
    ['service.trafficPolicy.loadBalancer.consistentHash.httpHeaderName', hash({ httpHeaderName: 'x a' })],
    ['service.trafficPolicy.loadBalancer.consistentHash.httpCookie.name', hash({ httpCookie: { name: 'a b' } })],
    ['service.trafficPolicy.loadBalancer.consistentHash.httpCookie.path', hash({ httpCookie: { name: 'a', path: '/;' } })],
  ])('spec.%s is an error', (path, change) => expect(paths(change)).toEqual([`error spec.${path}`]));

  it.each<[title: string, change: Change]>([
    ['a cookie', affinity({ cookieName: '__Host-side.v1', domain: '.Shop.example.org', path: '/a b' })],
    ['a cookie without attributes', affinity({ domain: '', path: '' })],
    ['headers', headers({ request: { set: { 'X_a.b': 'a\tb; c="d" é' }, remove: ['x-b'] }, response: { add: { Vary: '*' } } })],
    ["HTTP/2's own headers", headers({ request: { set: { ':authority': 'shop.test', host: 'shop.test' } } })],
    ['a match', match({ uri: { regex: '^/[^/]+$' }, headers: { ':method': { exact: 'GET' }, cookie: { regex: '^(.*;)?(a=b)(;.*)?$' } } })],
    ['lists of headers', cors({ allowHeaders: ['*', 'x-a, x-b,'], exposeHeaders: ['x-a'] })],
    ['annotations, which may have lines', { service: { apex: { annotations: { 'a/b': 'c\nd' } }, primary: { annotations: { a: '\n' } } } }],
  ])('%s is fine', (_, change) => expect(paths(change)).toEqual([]));
});

it('DF606: a text in a field without effect is not written by the provider, and the Canary runs', () => {
  expect(paths(headers({ request: { set: { 'x-a': 'b\n' } } }), 'traefik')).toEqual(['warning spec.service.headers.request.set.x-a']);
  expect(paths(affinity({ cookieName: 'a\n' }), 'linkerd')).toEqual(['warning spec.analysis.sessionAffinity']);
});

it('DF606: a thousand of them make a short report', () => {
  const hosts = Array.from({ length: 1000 }, (_, index) => `a${index}\n`);
  expect(paths({ service: { hosts } })).toHaveLength(20);
});
