import { anIngress, annotate, ingressCopy, ingressEdits, ingressHost, ingressSpec } from './ingress.ts';
import type { ProviderFixture } from './provider-fixture.ts';

const key = (name: string) => `nginx.ingress.kubernetes.io/${name}`;

export const nginx: ProviderFixture = {
  provider: 'nginx',
  tutorial: ['ingress-nginx', 'Your Ingress stays unchanged; Serin makes a canary Ingress beside it.'],
  objects: anIngress('nginx'),
  spec: ingressSpec,
  host: ingressHost,
  route: ingressCopy,
  edits: {
    ...ingressEdits,
    'all weight to the canary': annotate({ [key('canary-weight')]: '100' }),
    'no weight': annotate({ [key('canary-weight')]: undefined }),
    'no mark of a canary': annotate({ [key('canary')]: undefined }),
    'a canary no more': annotate({ [key('canary')]: 'false' }),
    'another total': annotate({ [key('canary-weight-total')]: '1000' }),
    'a header that chooses': annotate({ [key('canary-by-header')]: 'accept' }),
    'a cookie that chooses': annotate({ [key('canary-by-cookie')]: 'theirs' }),
  },
};
