import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/contracts/routers-cases.ts';
import type { Provider } from '../../api/canary.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';
import { routerFor } from '../index.ts';

const canary = aCanary({ ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'web' } });
const HOST = 'shop.example.org';
const backend = (name: string, port: object = { number: 8080 }) => ({ service: { name, port } });

function anIngress(name: string, service: string, { annotations, spec, at = '/', host = HOST, port }: Given = {}): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'prod', ...(annotations && { annotations }) },
    spec: { rules: [{ host, http: { paths: [{ path: at, pathType: 'Prefix', backend: backend(service, port) }] } }], ...spec },
  };
}
interface Given {
  annotations?: Labels;
  spec?: object;
  at?: string;
  host?: string;
  port?: object;
}

const web = anIngress('web', 'shop');
function said(provider: Provider, ...objects: KubeObject[]): string[] {
  const router = routerFor(provider);
  if ('unsupported' in router) throw new Error(router.unsupported);
  const unkept = router.unkept?.(canary, objects) ?? [];
  return unkept.map(({ on, field, isRefused }) => `${isRefused ? 'refused' : 'warning'}: ${on.metadata.name} ${field}`);
}
const nginxOnes = (pairs: Labels): Labels =>
  Object.fromEntries(Object.entries(pairs).map(([name, value]) => [`nginx.ingress.kubernetes.io/${name}`, value]));

describe.each(['nginx', 'skipper'] as const)('I17: Ingresses of users, with %s', (provider) => {
  it('a copied Ingress, and others for other applications, lose nothing', () => {
    expect(said(provider, web, anIngress('other', 'files', { at: '/files' }))).toEqual([]);
  });

  it('another Ingress that leads to the apex Service is named, since its requests get no share', () => {
    const port = { name: 'web' };
    const spec = { rules: [], defaultBackend: backend('shop', port) };
    expect(said(provider, web, anIngress('mobile', 'shop', { host: 'm.example.org', port }), anIngress('rest', 'x', { spec }))).toEqual([
      'warning: mobile spec.rules',
      'warning: rest spec.defaultBackend',
    ]);
    const elsewhere = anIngress('mobile', 'shop');
    elsewhere.metadata.namespace = 'test';
    expect(said(provider, web, elsewhere)).toEqual([]);
  });

  it('a default backend gets no share either', () => {
    const spec = { defaultBackend: backend('shop', { number: 9090 }) };
    expect(said(provider, anIngress('web', 'shop', { spec }))).toEqual(['warning: web spec.defaultBackend']);
  });

  it('one of the name of the copy is refused, unless it is Serin’s or handed over', () => {
    const named = (annotations?: Labels) => anIngress('web-canary', 'testers', { at: '/test', ...(annotations && { annotations }) });
    expect(said(provider, web, named())).toEqual(['refused: web-canary metadata.name']);
    expect(said(provider, web, named({ [ownerAnnotation]: 'c-1' }))).toEqual([]);
    expect(said(provider, web, named({ 'serin.dev/adopt': 'true' }))).toEqual([]);
  });
});

/** As seen by hand: of four Ingresses for one Service the two that wrote the same port number were split. */
describe('I17: ingress-nginx gives the share to each Ingress that writes the same port of the Service', () => {
  const elsewhere = anIngress('mobile', 'shop', { host: 'm.example.org' });
  const rest = anIngress('rest', 'x', { spec: { rules: [], defaultBackend: backend('shop') } });
  const whole = anIngress('web', 'shop', { spec: { defaultBackend: backend('shop') } });

  it('so that it is not named', () => {
    expect(said('nginx', web, elsewhere, rest)).toEqual([]);
    expect(said('nginx', whole)).toEqual([]);
  });

  it('Skipper does not', () => {
    expect(said('skipper', web, elsewhere, rest)).toEqual(['warning: mobile spec.rules', 'warning: rest spec.defaultBackend']);
    expect(said('skipper', whole)).toEqual(['warning: web spec.defaultBackend']);
  });
});

describe('I17: canary Ingresses of users, of which ingress-nginx takes one for a path', () => {
  const beta = nginxOnes({ canary: 'true', 'canary-by-header': 'x-beta' });

  it('one for a path of the application is refused: it, or the canary, would get nothing', () => {
    expect(said('nginx', web, anIngress('beta', 'beta', { annotations: beta }))).toEqual([
      'refused: beta metadata.annotations[nginx.ingress.kubernetes.io/canary]',
    ]);
    expect(said('nginx', web, anIngress('beta', 'beta', { annotations: beta, at: '/files' }))).toEqual([]);
    expect(said('nginx', web, anIngress('beta', 'beta', { annotations: beta, host: 'x.example.org' }))).toEqual([]);
    expect(said('nginx', web, anIngress('beta', 'beta', { annotations: nginxOnes({ canary: 'false' }) }))).toEqual([]);
  });

  it('spec.ingressRef cannot name one', () => {
    expect(said('nginx', anIngress('web', 'shop', { annotations: beta }))).toEqual([
      'refused: web metadata.annotations[nginx.ingress.kubernetes.io/canary]',
    ]);
  });

  it('conditions on the Ingress that is copied are named, since the copy does not have them', () => {
    const annotations = nginxOnes({ 'canary-by-header': 'x-beta', 'canary-weight': '', 'proxy-body-size': '8m' });
    expect(said('nginx', anIngress('web', 'shop', { annotations }))).toEqual([
      'warning: web metadata.annotations[nginx.ingress.kubernetes.io/canary-by-header]',
    ]);
  });

  it('annotations have the prefix of the controller', () => {
    const router = routerFor('nginx', { ingressAnnotationsPrefix: 'own.example.org' });
    if ('unsupported' in router) throw new Error(router.unsupported);
    expect(router.unkept?.(canary, [anIngress('web', 'shop', { annotations: beta })])).toEqual([]);
    expect(router.unkept?.(canary, [anIngress('web', 'shop', { annotations: { 'own.example.org/canary': 'true' } })])).toHaveLength(1);
  });
});

describe('I17: predicates of users, with Skipper', () => {
  const predicate = { 'zalando.org/skipper-predicate': 'Header("x-beta", "yes")' };

  it('an Ingress with predicates for a path of the application is refused: the copy would go before it', () => {
    expect(said('skipper', web, anIngress('beta', 'beta', { annotations: predicate }))).toEqual([
      'refused: beta metadata.annotations[zalando.org/skipper-predicate]',
    ]);
    expect(said('skipper', web, anIngress('beta', 'beta', { annotations: predicate, at: '/files' }))).toEqual([]);
    expect(said('skipper', web, anIngress('beta', 'beta'))).toEqual([]);
  });
});
