import { describe, expect, it } from 'vitest';
import { dependencies, emptyServer, endMs } from '../../test/fakes/measuring.ts';
import { aCanary } from '../../test/fakes/world.ts';
import type { Canary, Provider } from '../api/canary.ts';
import type { LabelSet } from '../embedded/prometheus/series.ts';
import { compare } from './measure.ts';
import type { MeasureDependencies } from './measure-dependencies.ts';

interface Kind {
  provider: Provider;
  kind?: 'Deployment' | 'DaemonSet' | 'Service';
  metric: string;
  /** The label of the answer's outcome. */
  outcome: [label: string, success: string, failure: string];
  canary: LabelSet;
  primary: LabelSet;
  /** Labels of requests that must count for neither side. */
  other: LabelSet;
}

const code = (label: string): Kind['outcome'] => [label, '200', '503'];
const app = (pod: string) => ({ kubernetes_namespace: 'prod', kubernetes_pod_name: pod });
const envoy = { metric: 'envoy_cluster_upstream_rq', outcome: code('envoy_response_code') };
const http = { metric: 'http_request_duration_seconds_count', outcome: code('status') };

/** Providers and kinds without a proxy in the embedded mesh, or whose requests it counts only for Deployments. */
const kinds: readonly Kind[] = [
  {
    ...{ provider: 'kuma', ...envoy, canary: { service: 'app-canary_prod_svc_80' }, primary: { service: 'app-primary_prod_svc_80' } },
    other: { service: 'app-other_prod_svc_80' },
  },
  { provider: 'kuma', ...envoy, canary: { service: 'app-canary_prod_svc_80' }, primary: { service: 'app_prod_svc_80' }, other: {} },
  ...(['appmesh', 'none'] as const).flatMap((provider): Kind[] => [
    {
      ...{ provider, ...(provider === 'none' ? http : envoy), canary: app('app-5d4f8-x2x2x'), primary: app('app-primary-5d4f8-x2x2x') },
      other: app('app-other-5d4f8-x2x2x'),
    },
    {
      ...{
        provider,
        kind: 'DaemonSet',
        ...(provider === 'none' ? http : envoy),
        canary: app('app-x2x2x'),
        primary: app('app-primary-x2x2x'),
      },
      other: app('app-other-x2x2x'),
    },
  ]),
  {
    ...{ provider: 'osm', metric: 'osm_request_total', outcome: code('response_code') },
    canary: { destination_namespace: 'prod', destination_kind: 'Deployment', destination_name: 'app' },
    primary: { destination_namespace: 'prod', destination_kind: 'Deployment', destination_name: 'app-primary' },
    other: { destination_namespace: 'other', destination_kind: 'Deployment', destination_name: 'app' },
  },
  {
    ...{ provider: 'linkerd', kind: 'DaemonSet', metric: 'response_total', outcome: ['classification', 'success', 'failure'] },
    canary: { namespace: 'prod', daemonset: 'app', direction: 'inbound', pod: 'c' },
    primary: { namespace: 'prod', daemonset: 'app-primary', direction: 'inbound', pod: 'p' },
    other: { namespace: 'prod', daemonset: 'app', direction: 'outbound', pod: 'c' },
  },
  {
    ...{ provider: 'linkerd', kind: 'Service', metric: 'response_total', outcome: ['classification', 'success', 'failure'] },
    canary: { dst_namespace: 'prod', dst_service: 'app-canary', direction: 'outbound' },
    primary: { dst_namespace: 'prod', dst_service: 'app-primary', direction: 'outbound' },
    other: { dst_namespace: 'prod', dst_service: 'app', direction: 'outbound' },
  },
  {
    ...{ provider: 'istio', kind: 'Service', metric: 'istio_requests_total', outcome: code('response_code') },
    canary: { reporter: 'source', destination_service_namespace: 'prod', destination_service_name: 'app-canary' },
    primary: { reporter: 'source', destination_service_namespace: 'prod', destination_service_name: 'app-primary' },
    other: { reporter: 'destination', destination_service_namespace: 'prod', destination_service_name: 'app-canary' },
  },
  {
    ...{
      provider: 'knative',
      ...envoy,
      canary: { envoy_cluster_name: 'prod/app-00002' },
      primary: { envoy_cluster_name: 'prod/app-00001' },
    },
    other: { envoy_cluster_name: 'prod/app-00003' },
  },
];

const canaryOf = ({ provider, kind = 'Deployment' }: Pick<Kind, 'provider' | 'kind'>): Canary => {
  const canary = aCanary({}, { provider, targetRef: { apiVersion: kind === 'Service' ? 'v1' : 'apps/v1', kind, name: 'app' } });
  return { ...canary, metadata: { ...canary.metadata, namespace: 'prod' } };
};

const readWith = async (canary: Canary, more: Partial<MeasureDependencies> = {}) =>
  compare(canary, [{ metric: 'errors', fromMs: endMs - 10_000 }], { ...dependencies(), ...more });

describe.each(kinds)('counts of $provider, $kind', ({ metric, outcome: [label, success, failure], other, ...row }) => {
  it('20.3: counts belong to the right side', async () => {
    const prometheus = await emptyServer();
    for (const [index, tMs] of [endMs - 12_000, endMs - 2_000].entries()) {
      const add = (labels: LabelSet, outcome: string, perScrape: number) =>
        prometheus.ingest([
          { labels: { __name__: metric, ...labels, [label]: outcome, instance: 'a' }, tMs, value: 5 + index * perScrape },
        ]);
      add(row.canary, success, 20);
      add(row.canary, failure, 2);
      add(row.primary, success, 300);
      add(row.primary, failure, 3);
      add({ ...other, of: 'other' }, success, 7_000);
    }
    const answers = await readWith(canaryOf(row), { route: 'app-00002', primaryRoute: 'app-00001' });
    expect(answers).toEqual([
      expect.objectContaining({
        window: expect.objectContaining({ canary: { requests: 22, failures: 2 }, primary: { requests: 303, failures: 3 } }),
      }),
    ]);
  });
});

it.each([{ route: 'app-00002' }, { route: 'app-00002', primaryRoute: 'app-00002' }, {}])(
  '20.3: Knative: $route and $primaryRoute cannot be compared',
  async (routes) => {
    await emptyServer();
    expect(await readWith(canaryOf({ provider: 'knative' }), routes)).toEqual([
      { metric: 'errors', kind: 'unknown', reason: expect.stringContaining('Revision of the primary') },
    ]);
  },
);

it('20.3: an ingress controller that restarts does not reduce the counts of another', async () => {
  const prometheus = await emptyServer();
  const labels = { __name__: 'nginx_ingress_controller_requests', namespace: 'prod', ingress: 'app', service: 'app', status: '200' };
  for (const [index, tMs] of [endMs - 12_000, endMs - 2_000].entries())
    for (const canary of ['', 'prod-app-canary-80'])
      prometheus.ingest([
        { labels: { ...labels, canary, instance: 'a' }, tMs, value: 10 + index * 90 },
        { labels: { ...labels, canary, instance: 'b' }, tMs, value: index === 0 ? 5_000 : 40 },
      ]);
  const [answer] = await readWith(canaryOf({ provider: 'nginx' }));
  const counts = { requests: 90, failures: 0 };
  // The newest sample is 2 s old, and nginx counts a request a second late.
  expect(answer).toMatchObject({ kind: 'window', window: { canary: counts, primary: counts, toMs: endMs - 3_000 } });
  expect(answer).not.toHaveProperty('window.pods');
});
