import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findings } from '../src/api/findings.ts';
import type { KubeObject } from '../src/api/kube-object.ts';
import { names } from '../src/api/names.ts';
import { parseCanary, parseMetricTemplate } from '../src/api/parse-canary.ts';
import { checkTemplate } from '../src/metrics/query-template.ts';
import { routerFor } from '../src/routers/index.ts';
import { workloadFor } from '../src/workloads/index.ts';
import { raw } from './fakes/raw.ts';

const folder = join(import.meta.dirname, '..', 'examples');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

function objectsOf(file: string): KubeObject[] {
  const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'));
  return (Array.isArray(documents) ? documents : []).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as KubeObject;
  });
}

function canaryOf(file: string) {
  const raw = objectsOf(file).find(({ kind }) => kind === 'Canary');
  expect(raw, 'a Canary in the file').toBeDefined();
  const read = raw ? parseCanary(raw) : { problems: [] };
  expect(read).not.toHaveProperty('problems');
  if ('problems' in read) throw new Error('the Canary cannot be read');
  return read.canary;
}

describe('examples', () => {
  it('are all there', () => {
    expect(files.toSorted()).toEqual([
      'ab-testing.yaml',
      'autoscaled.yaml',
      'blue-green.yaml',
      'comparison.yaml',
      'config-tracking.yaml',
      'daemon-set.yaml',
      'gateway-api.yaml',
      'istio-canary.yaml',
      'knative.yaml',
      'load-tester.yaml',
      'metric-template.yaml',
      'service-target.yaml',
      'smi-canary.yaml',
    ]);
  });

  it.each(files)('%s holds a Canary with nothing to find fault with', (file) => {
    expect(findings(canaryOf(file))).toEqual([]);
  });

  it.each(files)('%s brings the target that its Canary releases, and its pods report when they are ready', (file) => {
    const { targetRef } = canaryOf(file).spec;
    const target = objectsOf(file).find(({ kind, metadata }) => kind === targetRef.kind && metadata.name === targetRef.name);
    expect(target?.apiVersion).toBe(targetRef.apiVersion);
    // A Service target's pods belong to something else.
    if (targetRef.apiVersion === 'v1') return;
    if (raw(target)?.spec.selector) expect(raw(target).spec.template.metadata.labels).toMatchObject(raw(target).spec.selector.matchLabels);
    expect(raw(target)?.spec.template.spec.containers[0].readinessProbe).toBeDefined();
  });

  it.each(files)('%s uses a provider and a kind of workload that this version can run', (file) => {
    const canary = canaryOf(file);
    const router = routerFor(canary.spec.provider ?? '');
    expect(router).not.toHaveProperty('unsupported');
    expect('unsupported' in router ? 'unsupported' : router.refuses?.(canary)).toBeUndefined();
    expect(workloadFor(canary.spec.targetRef)).not.toHaveProperty('unsupported');
  });

  it.each(files)(
    '%s can be applied as it is: its namespaces come first, and each webhook has a Service that it or its Canary makes',
    (file) => {
      const objects = objectsOf(file);
      const made = new Set<string>();
      for (const { kind, metadata } of objects) {
        if (kind === 'Namespace') made.add(metadata.name);
        else expect(made, `${kind} ${metadata.name}`).toContain(metadata.namespace);
      }
      const canary = canaryOf(file);
      const { namespace } = canary.metadata;
      const { apexService, primaryService, canaryService } = names(canary);
      const services = objects.flatMap(({ kind, metadata }) => (kind === 'Service' ? `${metadata.name}.${metadata.namespace}` : []));
      const hosts = [...services, ...[apexService, primaryService, canaryService].map((name) => `${name}.${namespace}`)];
      for (const { url } of canary.spec.analysis.webhooks ?? []) expect(hosts).toContain(new URL(url).hostname);
    },
  );

  it('can be applied together: no two have an object of the same name, but for their namespaces', () => {
    const all = files.flatMap(objectsOf).filter(({ kind }) => kind !== 'Namespace');
    const addresses = all.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
    expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([]);
  });

  it.each(['metric-template.yaml', 'service-target.yaml'])('%s holds a template whose query can be rendered', (file) => {
    const raw = objectsOf(file).find(({ kind }) => kind === 'MetricTemplate');
    const read = raw ? parseMetricTemplate(raw) : { problems: [] };
    expect(read).toMatchObject({ metricTemplate: { spec: { provider: { type: 'prometheus' } } } });
    const query = 'metricTemplate' in read ? read.metricTemplate.spec.query : '';
    expect(query).toContain('{{ interval }}');
    expect(checkTemplate(query)).toBeUndefined();
  });
});
