import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { raw } from '../../test/fakes/raw.ts';
import { crds, type StructuralSchema, schemaOf } from './crds.ts';

const folder = join(import.meta.dirname, '..', '..', 'charts', 'serin', 'files', 'crds');
const [canary, metricTemplate, alertProvider] = crds().map(schemaOf);

function at(schema: StructuralSchema | undefined, path: string): StructuralSchema | undefined {
  return path.split('.').reduce<StructuralSchema | undefined>((node, name) => {
    const child = name === '*' ? node?.additionalProperties : node?.properties?.[name.replace('[]', '')];
    return name.endsWith('[]') ? child?.items : child;
  }, schema);
}

function* nodes(schema: StructuralSchema, path = ''): Generator<[string, StructuralSchema]> {
  yield [path, schema];
  for (const [name, child] of Object.entries(schema.properties ?? {})) yield* nodes(child, `${path}.${name}`);
  if (schema.items) yield* nodes(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* nodes(schema.additionalProperties, `${path}.*`);
}

describe('the CRDs', () => {
  it.each(crds().map((crd) => ({ name: `${crd.spec.names.singular}.yaml`, crd })))(
    '$name of the chart is what the schemas give',
    ({ name, crd }) => {
      expect(parse(readFileSync(join(folder, name), 'utf8'))).toEqual(crd);
    },
  );

  it('DF600: limit each text, list and map of a spec', () => {
    const unlimited = crds().flatMap((crd) =>
      [...nodes(schemaOf(crd).properties?.spec ?? {}, '.spec')].flatMap(([path, node]) => {
        if (node.type === 'string') return node.enum || node.maxLength ? [] : [path];
        if (node.type === 'array') return node.maxItems ? [] : [path];
        return node.additionalProperties && !node.maxProperties ? [path] : [];
      }),
    );
    expect(unlimited).toEqual([]);
  });

  it('limit nothing of a status, which another controller can have written', () => {
    const limited = crds().flatMap((crd) =>
      [...nodes(schemaOf(crd).properties?.status ?? {})].filter(([, node]) => node.maxLength ?? node.maxItems ?? node.maxProperties),
    );
    expect(limited).toEqual([]);
  });

  it('are structural: each node has a type, is int-or-string or keeps unknown fields, and none has keywords of plain JSON Schema', () => {
    for (const crd of crds()) {
      for (const [path, node] of nodes(schemaOf(crd))) {
        const isOpen = node['x-kubernetes-int-or-string'] === true || node['x-kubernetes-preserve-unknown-fields'] === true;
        expect(node.type !== undefined || isOpen, path).toBe(true);
        for (const word of ['$ref', '$schema', 'const', 'propertyNames', 'nullable']) expect(node, path).not.toHaveProperty(word);
        expect([path, node.type === 'array' && !node.items]).toEqual([path, false]);
        expect([path, Boolean(node.properties && node.additionalProperties)]).toEqual([path, false]);
      }
    }
  });

  it("are of the group, scope, version and category of Flagger's, stay when a chart goes, and have its columns, followed by ours", () => {
    const columnsOfAll = crds().map(({ metadata, spec }) => {
      expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
      expect(spec).toMatchObject({ group: 'flagger.app', scope: 'Namespaced', names: { categories: ['all'] } });
      expect(spec.versions).toMatchObject([{ name: 'v1beta1', served: true, storage: true, subresources: { status: {} } }]);
      const columns: { name: string; priority?: number }[] = raw(spec).versions[0].additionalPrinterColumns;
      return columns.map(({ name, priority = 0 }) => (priority > 0 ? `${name} (wide)` : name));
    });
    const wide = ['Suspended', 'FailedChecks', 'Interval', 'Mirror', 'StepWeight', 'StepWeights', 'MaxWeight'].map(
      (name) => `${name} (wide)`,
    );
    expect(columnsOfAll).toEqual([
      ['Status', 'Weight', ...wide, 'LastTransitionTime', 'Ready', 'Reason', 'Image (wide)', 'LeftTo (wide)', 'Age'],
      ['Provider'],
      ['Type'],
    ]);
  });

  it('spec requires only targetRef and analysis, service only its port, and the root nothing', () => {
    expect(canary?.required).toBeUndefined();
    expect(at(canary, 'spec')?.required).toEqual(['targetRef', 'analysis']);
    expect(at(canary, 'spec.service')?.required).toEqual(['port']);
    expect(at(canary, 'spec.analysis')?.required).toBeUndefined();
    expect(at(canary, 'spec.analysis')?.oneOf).toHaveLength(3);
    expect(at(canary, 'status')?.required).toBeUndefined();
  });

  it('a metric needs no more than its name, and an interval begins with a number of seconds or minutes', () => {
    const metrics = 'spec.analysis.metrics[]';
    expect(at(canary, metrics)?.required).toEqual(['name']);
    expect(at(canary, `${metrics}.templateRef`)?.required).toEqual(['name']);
    const interval = new RegExp(String(at(canary, `${metrics}.interval`)?.pattern));
    for (const text of ['1m', '90s', '1min', '1m30s', '100ms']) expect(interval.test(text), text).toBe(true);
    for (const field of ['threshold', 'thresholdRange.min', 'thresholdRange.max'])
      expect(at(canary, `${metrics}.${field}`), field).toMatchObject({ type: 'number' });
  });

  it('an AlertProvider has a known type, and can have an address and a Secret', () => {
    const spec = at(alertProvider, 'spec');
    expect(at(alertProvider, 'spec.type')?.enum).toEqual(expect.arrayContaining(['slack', 'msteams', 'discord', 'rocket', 'gchat']));
    expect(spec).not.toHaveProperty('oneOf');
    expect(spec?.properties).toMatchObject({ address: { type: 'string' }, secretRef: { required: ['name'] } });
  });

  it("numbers are as wide as Flagger's", () => {
    for (const field of ['service.port', 'analysis.threshold', 'analysis.maxWeight', 'analysis.stepWeights[]', 'progressDeadlineSeconds']) {
      const node = at(canary, `spec.${field}`);
      expect(node, field).toMatchObject({ type: 'number' });
      expect(node, field).not.toHaveProperty('maximum');
    }
  });

  it('whole numbers and limits are where those of Flagger 1.44 are', () => {
    const http = ['http1MaxPendingRequests', 'http2MaxRequests', 'maxRequestsPerConnection', 'maxRetries'];
    const outliers =
      'consecutive5xxErrors consecutiveErrors consecutiveGatewayErrors consecutiveLocalOriginFailures maxEjectionPercent minHealthPercent';
    const policy = '.spec.service.trafficPolicy';
    const integers = [...nodes(canary ?? {})].filter(([, { type }]) => type === 'integer').map(([path]) => path);
    expect(integers.toSorted()).toEqual(
      [
        '.spec.autoscalerRef.primaryScalerReplicas.maxReplicas',
        '.spec.autoscalerRef.primaryScalerReplicas.minReplicas',
        '.spec.service.gatewayRefs[].port',
        '.spec.service.match[].port',
        '.spec.service.mirror[].backendRef.port',
        '.spec.service.retries.attempts',
        ...http.map((field) => `${policy}.connectionPool.http.${field}`),
        `${policy}.loadBalancer.consistentHash.minimumRingSize`,
        `${policy}.loadBalancer.localityLbSetting.distribute[].to.*`,
        ...outliers.split(' ').map((field) => `${policy}.outlierDetection.${field}`),
      ].toSorted(),
    );
    expect(at(canary, 'spec.service.mirror[].backendRef.port')).toMatchObject({ minimum: 1, maximum: 65_535 });
    expect(at(canary, 'spec.autoscalerRef.primaryScalerReplicas.maxReplicas')).not.toHaveProperty('maximum');
  });

  it('refuse chances and quantiles outside their range', () => {
    expect(at(canary, 'spec.analysis.comparison.falseAlarm')).toMatchObject({ type: 'number', minimum: 1e-6, maximum: 0.2 });
    expect(at(canary, 'spec.analysis.comparison.latency.quantile')).toMatchObject({ minimum: 0.5, maximum: 0.9999 });
  });

  it("has no defaults but Flagger's", () => {
    const defaults = crds().flatMap((crd) => [...nodes(schemaOf(crd))].filter(([, node]) => 'default' in node).map(([path]) => path));
    expect(defaults).toEqual([
      '.spec.service.gatewayRefs[].group',
      '.spec.service.gatewayRefs[].kind',
      '.spec.service.mirror[].backendRef.group',
      '.spec.service.mirror[].backendRef.kind',
      '.spec.analysis.sessionAffinity.maxAge',
    ]);
  });

  const service =
    'name port portName targetPort appProtocol trafficDistribution portDiscovery headless timeout backendTimeout gateways gatewayRefs hosts delegation trafficPolicy match rewrite.type retries.perTryTimeout headers.request.add.* headers.response.remove mirror[].backendRef.port corsPolicy.allowOrigins[].regex corsPolicy.maxAge meshName backends apex.labels.* primary.annotations.* canary.labels.* unmanagedMetadata.labels match[].uri.exact match[].withoutHeaders.*.regex trafficPolicy.connectionPool.http.h2UpgradePolicy trafficPolicy.loadBalancer.consistentHash.httpCookie.ttl trafficPolicy.outlierDetection.baseEjectionTime trafficPolicy.tls.sni';
  const analysis =
    'interval iterations threshold maxWeight stepWeight stepWeights stepWeightPromotion mirror mirrorWeight primaryReadyThreshold canaryReadyThreshold match[].headers.*.suffix match[].queryParams.*.exact match[].sourceLabels.* metrics[].name metrics[].interval metrics[].threshold metrics[].thresholdRange.min metrics[].thresholdRange.max metrics[].query metrics[].templateRef.namespace metrics[].templateVariables.* webhooks[].type webhooks[].url webhooks[].timeout webhooks[].retries webhooks[].metadata.* webhooks[].muteAlert webhooks[].disableTLS alerts[].severity alerts[].providerRef.namespace sessionAffinity.cookieName sessionAffinity.primaryCookieName sessionAffinity.partitioned sessionAffinity.sameSite unmeasured';
  const spec =
    'provider metricsServer targetRef.kind autoscalerRef.primaryScalerQueries.* autoscalerRef.primaryScalerReplicas.maxReplicas ingressRef.kind routeRef.kind upstreamRef.namespace progressDeadlineSeconds skipAnalysis revertOnDeletion suspend';
  const status =
    'phase failedChecks canaryWeight iterations trackedConfigs.* lastAppliedSpec lastPromotedSpec lastTransitionTime sessionAffinityCookie primarySessionAffinityCookie previousSessionAffinityCookie conditions[].type conditions[].lastUpdateTime release';
  it.each(
    Object.entries({ 'spec.service': service, 'spec.analysis': analysis, spec, status }).flatMap(([base, list]) =>
      list.split(' ').map((field) => `${base}.${field}`),
    ),
  )('Canary %s is in the schema', (path) => expect(at(canary, path)).toBeDefined());

  it('so are the fields of MetricTemplate and AlertProvider', () => {
    for (const field of ['type', 'address', 'headers.*', 'secretRef.name', 'region', 'insecureSkipVerify']) {
      expect(at(metricTemplate, `spec.provider.${field}`), field).toBeDefined();
    }
    for (const field of ['type', 'channel', 'username', 'address', 'proxy', 'secretRef.name'])
      expect(at(alertProvider, `spec.${field}`), field).toBeDefined();
  });
});

it('a caller that changes a definition changes none of another caller', () => {
  const before = JSON.stringify(crds());
  for (const { spec } of crds()) spec.versions.length = 0;
  expect(JSON.stringify(crds())).toBe(before);
});
