import type { KubeObject } from '../../../src/api/kube-object.ts';

const path = (service: string) => ({ path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { number: 8080 } } } });

/** The Ingress of the user: either name that the suite gives to the application, and something else. */
export const anIngress = (ingressClassName: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'shop-ingress', namespace: 'prod', annotations },
  spec: {
    ingressClassName,
    rules: [
      { host: 'shop.example.org', http: { paths: [path('shop'), { ...path('other'), path: '/other' }] } },
      { host: 'storefront.example.org', http: { paths: [path('storefront')] } },
      { host: 'no-http.example.org' },
    ],
  },
});
