import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { Canary } from '../../src/api/canary.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { routers } from '../../src/routers/index.ts';
import type { Apex } from '../../src/routers/router.ts';
import { discoverPorts, renderServices } from '../../src/routers/services.ts';
import { configKey } from '../../src/workloads/configs/config-ref.ts';
import { workloadFor } from '../../src/workloads/index.ts';

/** Files of manifests in test/vectors, and beside each what Serin makes of them. */
export const vectorFiles = ['daemon-sets', 'deployments', 'knative-services', 'services'] as const;

export const vectorFile = (name: string): string => new URL(`../vectors/${name}`, import.meta.url).pathname;

export function manifestsIn(file: (typeof vectorFiles)[number]): KubeObject[] {
  const documents = parseAllDocuments(readFileSync(vectorFile(`${file}.yaml`), 'utf8'));
  return [...documents].map((document) => document.toJS() as KubeObject);
}

const SELECTOR_LABELS = ['app', 'name', 'app.kubernetes.io/name'];

export function canaryOver(target: KubeObject, provider: string): Canary {
  const { apiVersion, kind, metadata } = target;
  return Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: metadata.name, namespace: metadata.namespace, uid: 'c-1', generation: 1, resourceVersion: '1' },
    spec: {
      provider,
      targetRef: { apiVersion, kind, name: metadata.name },
      service: { port: 80, targetPort: 8080, portDiscovery: true },
      analysis: { interval: '10s', threshold: 2, stepWeight: 20 },
    },
  });
}

/** Everything that a release of this target writes at a canary weight of 20, by its part. */
export function everythingOf(target: KubeObject): Record<string, unknown> {
  const isKnative = target.apiVersion.startsWith('serving.knative.dev/');
  const canary = canaryOver(target, isKnative ? 'knative' : 'istio');
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) throw new Error(workload.unsupported);
  const selector = workload.selectors({ target }, SELECTOR_LABELS);
  if ('problem' in selector) throw new Error(selector.problem);
  const revision = workload.revision(target);
  const configs = new Map((workload.configs?.(target) ?? []).map((ref) => [configKey(ref), `${ref.name}-primary-0123456789`]));
  const options = { selector, selectorLabels: SELECTOR_LABELS, includeLabelPrefix: ['team'], revision, replicas: 2, configs };
  const apex: Apex = { selector, ports: discoverPorts(canary, target, undefined) };
  const services = workload.hasPods ? renderServices(canary, apex, {}, { apexOnPrimary: true }) : { write: [] };
  if ('error' in services) throw new Error(services.error);
  const routes = (provider: 'istio' | 'smi:v1alpha2' | 'knative') =>
    routers[provider].render(canaryOver(target, provider), apex, { kind: 'weighted', canary: 20 as never }, isKnative ? [target] : [])
      .write;
  return {
    revision,
    primary: workload.renderPrimary(canary, target, options),
    ...(workload.renderCanary && { canary: workload.renderCanary(canary, target) }),
    services: services.write,
    routes: isKnative ? routes('knative') : [...routes('istio'), ...routes('smi:v1alpha2')],
  };
}
