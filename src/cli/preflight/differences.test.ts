import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { companionNames } from '../../workloads/companions/index.ts';
import { differences } from './differences.ts';
import { preflight } from './read-application.ts';

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs', 'differences.md');
const namespace = 'test';
const object = (apiVersion: string, kind: string, name: string, spec: object, metadata: object = {}): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace, ...metadata },
  spec,
});

interface Given {
  provider?: Provider;
  spec?: object;
  service?: object;
  analysis?: object;
  kind?: 'Deployment' | 'DaemonSet';
  target?: object;
  metadata?: object;
  pods?: object;
  apex?: object;
  apexPort?: object;
  objects?: KubeObject[];
  /** Those without which it does not apply. */
  besides?: string[];
}

async function idsOf(given: Given): Promise<string[]> {
  const { provider = 'kubernetes', kind = 'Deployment' } = given;
  const labels = { app: 'shop' };
  const target = object(
    'apps/v1',
    kind,
    'shop',
    {
      selector: { matchLabels: labels },
      template: { metadata: { labels: { ...labels, tier: 'web' } }, spec: { containers: [], ...given.pods } },
      ...given.target,
    },
    given.metadata,
  );
  const apex = object('v1', 'Service', 'shop', { selector: labels, ports: [{ port: 80, ...given.apexPort }], ...given.apex });
  const canary = object('flagger.app/v1beta1', 'Canary', 'shop', {
    provider,
    targetRef: { apiVersion: 'apps/v1', kind, name: 'shop' },
    service: { port: 80, ...given.service },
    analysis: { interval: '1m', threshold: 5, iterations: 1, ...given.analysis },
    ...given.spec,
  });
  const settings = { selectorLabels: ['app'], companions: companionNames, provider: undefined };
  const read = async () => ({ objects: [target, apex, ...(given.objects ?? [])], unread: [] });
  return (await preflight(canary, read, settings)).differences.map(({ id }) => id);
}

const hook = (type: string) => ({ webhooks: [{ name: 'gate', type, url: 'http://gate.test/' }] });
const policy = (name: string, spec: object) => object('networking.k8s.io/v1', 'NetworkPolicy', name, spec);
const rule = object('networking.istio.io/v1', 'DestinationRule', 'shop-rule', { host: 'shop', trafficPolicy: { tls: { mode: 'SIMPLE' } } });
const spread = { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }] };

const whole = { app: 'shop', tier: 'web' };
const twin = object('apps/v1', 'Deployment', 'till', {
  selector: { matchLabels: { app: 'shop', tier: 'till' } },
  template: { metadata: { labels: { app: 'shop', tier: 'till' } }, spec: { containers: [] } },
});

/** A Canary that meets each of them, and nothing else. */
const met: Readonly<Record<string, Given>> = {
  DF764: { objects: [object('v1', 'Service', 'shop-admin', { selector: { app: 'shop' }, ports: [{ port: 81 }] })] },
  DF767: { target: { selector: { matchLabels: whole } }, apex: { selector: whole }, objects: [twin], besides: ['DF40'] },
  DF765: { objects: [object('security.istio.io/v1', 'PeerAuthentication', 'shop', { selector: { matchLabels: { app: 'shop' } } })] },
  DF760: { objects: [object('policy/v1', 'PodDisruptionBudget', 'shop', { selector: { matchLabels: { app: 'shop' } } })] },
  DF761: { objects: [policy('shop', { podSelector: { matchLabels: { app: 'shop' } }, ingress: [{}] })] },
  DF762: {
    objects: [
      policy('db', {
        podSelector: { matchLabels: { app: 'db' } },
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'shop' } } }] }],
      }),
    ],
  },
  DF763: {
    objects: [
      object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'shop', {
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      }),
    ],
  },
  DF320: { apex: { ports: [{ port: 80 }, { name: 'admin', port: 81 }] } },
  DF741: { apexPort: { name: 'web' } },
  DF743: { apex: { trafficDistribution: 'PreferClose' } },
  DF744: { provider: 'istio', analysis: { iterations: 1 }, objects: [rule] },
  DF633: { provider: 'istio', service: { portDiscovery: true, gateways: ['edge/public', 'mesh'], hosts: ['shop.example.com'] } },
  DF40: { target: { selector: { matchLabels: { app: 'shop', tier: 'web' } } } },
  DF41: { pods: spread },
  DF44: { kind: 'DaemonSet', pods: spread, provider: 'istio' },
  DF54: { metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:test/shop' } } },
  DF56: { pods: { volumes: [{ name: 'config', configMap: { name: 'shop' } }] } },
  DF14: { target: { replicas: 0 } },
  DF330: { spec: { autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: 'shop' } } },
  DF17: { spec: { skipAnalysis: true } },
  DF37: { spec: { revertOnDeletion: true } },
  DF301: { analysis: hook('rollback') },
  DF22: { analysis: hook('confirm-promotion') },
  DF302: { provider: 'istio', analysis: { iterations: undefined, stepWeight: 50, mirror: true, ...hook('confirm-traffic-increase') } },
  DF177: { analysis: { alerts: [{ name: 'chat', providerRef: { name: 'chat' } }] } },
  DF104: {
    provider: 'istio',
    analysis: { iterations: undefined, stepWeight: 50, sessionAffinity: { cookieName: 'side', primaryCookieName: 'primary' } },
  },
  DF342: { analysis: { mirror: true } },
  DF86: { provider: 'nginx', spec: { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' } } },
  DF93: { provider: 'skipper', spec: { ingressRef: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'shop' } } },
  DF143: { provider: 'gatewayapi:v1', service: { appProtocol: 'grpc' } },
  DF511: { kind: 'DaemonSet' },
  DF506: { kind: 'DaemonSet', provider: 'linkerd' },
};

describe('the differences from Flagger that apply to a Canary', () => {
  it('each is a row of docs/differences.md', () => {
    const rows = new Set([...readFileSync(DOCS, 'utf8').matchAll(/^\| (DF\d+) \|/gm)].map(([, id]) => id));
    expect(differences.map(({ id }) => id).filter((id) => !rows.has(id))).toEqual([]);
  });

  it('a plain one meets none', async () => {
    expect(await idsOf({})).toEqual([]);
    expect(await idsOf({ provider: 'istio' })).toEqual([]);
  });

  it('DF767 is about the label that tells the sides apart, not about a further label that other pods have', async () => {
    const named = { app: 'till', tier: 'web' };
    const other = object('apps/v1', 'Deployment', 'till', {
      selector: { matchLabels: named },
      template: { metadata: { labels: named }, spec: { containers: [] } },
    });
    expect(await idsOf({ target: { selector: { matchLabels: whole } }, apex: { selector: whole }, objects: [other] })).toEqual(['DF40']);
  });

  it.each(differences)('$id is said of a Canary that meets it, alone', async ({ id }) => {
    expect(await idsOf(met[id] ?? {})).toEqual([id, ...(met[id]?.besides ?? [])]);
  });
});
