import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findings } from '../src/api/findings.ts';
import type { KubeObject } from '../src/api/kube-object.ts';
import { parseCanary } from '../src/api/parse-canary.ts';
import { routers } from '../src/routers/index.ts';
import { discoverPorts } from '../src/routers/ports.ts';
import { RoutingError } from '../src/routers/routing-error.ts';
import { deployment } from '../src/workloads/deployment/deployment.ts';
import { digest } from '../src/workloads/digest.ts';
import { primaryTriggers } from '../src/workloads/scalers/primary-queries.ts';
import { aCanary, anApex } from './contracts/routers-cases.ts';
import { raw } from './fakes/raw.ts';
import { goldenFolders } from './fakes/route-reader.ts';
import { countSteps } from './fakes/step-meter.ts';

const example = new URL('../src/workloads/deployment/worked-example.yaml', import.meta.url);
const [target] = parseAllDocuments(readFileSync(example, 'utf8')).map((document): KubeObject => document.toJS()) as [KubeObject];
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const manyKeys = (count: number, prefix = 'k') => Object.fromEntries(many(count, (at) => [`${prefix}${at}`, `v${at}`]));

/** A Deployment with `count` of everything. */
function largeDeployment(count: number): KubeObject {
  const env = many(count, (at) => ({ name: `E${at}`, valueFrom: { configMapKeyRef: { name: `c${at}`, key: 'k' } } }));
  const container = (at: number) => ({
    ...{ name: `c${at}`, image: 'i', env: at === 0 ? env : [], envFrom: [{ secretRef: { name: `s${at}` } }] },
    ports: many(at === 0 ? count : 1, (port) => ({ name: `p${at}-${port}`, containerPort: 1000 + port + at })),
  });
  const terms = many(count, () => ({
    topologyKey: 'zone',
    labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['checkout'] }] },
  }));
  const object = structuredClone(target);
  object.metadata.labels = manyKeys(count);
  object.metadata.annotations = manyKeys(count);
  const { template } = raw(object).spec;
  template.metadata.annotations = manyKeys(count);
  template.metadata.labels = { ...template.metadata.labels, ...manyKeys(count) };
  template.spec = {
    ...template.spec,
    containers: many(count, container),
    volumes: many(count, (at) => ({ name: `v${at}`, configMap: { name: `c${at}` } })),
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
    topologySpreadConstraints: terms,
    tolerations: many(count, (at) => ({ key: `t${at}`, operator: 'Exists' })),
  };
  return object;
}

/** A Canary with `count` entries, at most 1000, in each list and map. */
function largeCanary(count: number) {
  const match = many(count, (at) => ({ headers: { [`h${at}`]: { exact: 'a' }, cookie: { regex: 'b' } } }));
  const few = Math.ceil(count / 10);
  return aCanary({
    service: {
      ...{ targetPort: 'http', gateways: many(count, (at) => `g${at}`), hosts: many(count, (at) => `h${at}.example.org`) },
      match: [{ name: 'm', uri: { prefix: '/' }, headers: { h: { exact: 'x' } } }],
      headers: { request: { add: manyKeys(count, 'a'), set: manyKeys(count, 's'), remove: many(count, (at) => `r${at}`) } },
      corsPolicy: { allowOrigins: many(count, (at) => ({ exact: `https://o${at}` })), allowMethods: many(count, (at) => `M${at}`) },
      ...{ backends: many(count, (at) => `b${at}`), apex: { labels: manyKeys(count), annotations: manyKeys(count) } },
      ...{ primary: { labels: manyKeys(count) }, canary: { labels: manyKeys(count) } },
      unmanagedMetadata: { labels: many(count, (at) => `k${at}`), annotations: many(count, (at) => `k${at}`) },
    },
    analysis: {
      ...{ match, iterations: 3, stepWeights: many(count, (at) => at) },
      metrics: many(few, (at) => ({ name: `m${at}`, query: 'up', templateVariables: manyKeys(10), thresholdRange: { min: 1 } })),
      webhooks: many(few, (at) => ({ name: `w${at}`, url: 'http://gate/', metadata: manyKeys(10) })),
      alerts: many(few, (at) => ({ name: `a${at}`, providerRef: { name: `p${at}` } })),
    },
    autoscalerRef: { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 's', primaryScalerQueries: manyKeys(count, 't') },
  });
}

const options = (count: number) => ({
  ...{
    selector: { key: 'app', target: 'checkout', primary: 'checkout-primary' },
    includeLabelPrefix: ['*'],
    selectorLabels: ['app'],
    revision: 's1:beef',
    replicas: 3,
  },
  configs: new Map(many(count, (at) => [`configmap/c${at}`, `c${at}-primary`] as const)),
});
const small = aCanary({ service: { portDiscovery: true } });
/** The matches of the analysis as routes. */
function routed(provider: keyof typeof routers) {
  return (count: number) => {
    const canary = largeCanary(count);
    const match = canary.spec.analysis.match ?? [];
    return () => {
      try {
        const { write } = routers[provider].render(canary, anApex, { kind: 'matched', match }, []);
        routers[provider].readRoutes(canary, write);
      } catch (error) {
        if (!(error instanceof RoutingError)) throw error;
      }
    };
  };
}

const works: Readonly<Record<string, (count: number) => () => unknown>> = {
  'a Canary, parsed': (count) => {
    const canary = largeCanary(count) as unknown as KubeObject;
    return () => parseCanary(canary);
  },
  'a Canary with a mistake in each entry': (count) => {
    const canary = largeCanary(count);
    const match = many(count, () => ({ headers: { a: { exact: 1 } } }));
    const wrong = { ...canary, spec: { ...canary.spec, analysis: { ...canary.spec.analysis, match } } } as unknown as KubeObject;
    return () => parseCanary(wrong);
  },
  'findings of a Canary': (count) => {
    const canary = largeCanary(count);
    return () => findings(canary, { provider: 'istio' });
  },
  'ports of a Deployment': (count) => {
    const object = largeDeployment(count);
    return () => discoverPorts(small, object, undefined);
  },
  'revision and configs of a Deployment': (count) => {
    const object = largeDeployment(count);
    return () => [deployment.revision(object), deployment.configs?.(object), deployment.slim(object), digest(object)];
  },
  'the primary of a Deployment': (count) => {
    const object = largeDeployment(count);
    const wanted = options(count);
    return () => deployment.renderPrimary(small, object, wanted);
  },
  'the comparison of a primary': (count) => {
    const object = largeDeployment(count);
    const primary = deployment.renderPrimary(small, object, options(count));
    delete raw(primary).spec.template.spec.topologySpreadConstraints;
    delete raw(primary).spec.template.spec.affinity;
    const spec = deployment.promotedPart(primary);
    const shorter = structuredClone(primary);
    raw(shorter).spec.template.spec.containers[0].env.splice(0, 1);
    return () => [
      deployment.templateMatches(primary, spec, object),
      deployment.templateMatches(primary, spec, shorter),
      deployment.templateMatches(shorter, spec),
      deployment.adopts(primary, spec),
    ];
  },
  'triggers of a ScaledObject': (count) => {
    const triggers = many(count, (at) => ({ type: 'prometheus', name: `t${at}`, metadata: { query: '"shop"' } }));
    const canary = largeCanary(count);
    return () => [primaryTriggers(canary, triggers), primaryTriggers(small, triggers)];
  },
  ...Object.fromEntries([...goldenFolders.keys()].map((provider) => [`routes of ${provider}`, routed(provider)])),
};

describe('twice as many entries take twice as many steps', () => {
  it.each(Object.entries(works))('of %s', (_, make) => {
    const [few = 0, twice = 0] = [400, 800].map((count) => {
      const work = make(count);
      return countSteps(() => void work(), Number.POSITIVE_INFINITY);
    });
    expect(twice / few).toBeLessThan(2.5);
  });
});
