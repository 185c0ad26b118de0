import type { Raw } from '../../fakes/raw.ts';
import { type ExpectedQueries, istioQueries, quantile } from './queries.ts';
import { insideMesh, type RouterCase, type RouterCases } from './router-case.ts';

const split: RouterCase = {
  golden: 'smi',
  crds: 'smi',
  afterDeletion: insideMesh,
  queries: istioQueries,
  lacks: { mirroring: 'no field', sessionAffinity: 'no cookies' },
  foreignSpec: {},
  sums: ({ spec }: Raw) =>
    spec.backends ? [spec.backends.reduce((sum: number, { weight }: { weight: number | string }) => sum + Number(weight), 0)] : [],
};

/** Versions without `matches`: a split is for every request. */
const smiWeights = (version: string): RouterCase => ({
  ...split,
  lacks: { ...split.lacks, headerMatch: `${version} has no matches` },
});

/** Versions that match by an HTTPRouteGroup. */
const smiMatches: RouterCase = {
  ...split,
  isConditioned: (objects) =>
    objects.some(({ kind, spec }: Raw) => kind === 'TrafficSplit' && spec.matches?.length === 1) &&
    objects.some(({ kind, spec }) => kind === 'HTTPRouteGroup' && JSON.stringify(spec).includes('insider')),
};

const linkerd = 'namespace="shop", deployment=~"web", direction="inbound"';
const linkerdQueries: ExpectedQueries = {
  metric: 'response_total',
  selector: linkerd,
  succeeded: 'classification!="failure"',
  duration: quantile('response_latency_ms_bucket', linkerd),
  unit: 'ms',
};

const osm = 'destination_namespace="shop", destination_kind="Deployment", destination_name="web"';
const osmQueries: ExpectedQueries = {
  metric: 'osm_request_total',
  selector: osm,
  succeeded: 'response_code!~"5.*"',
  duration: quantile('osm_request_duration_ms_bucket', osm),
  unit: 'ms',
};

export const cases: RouterCases = {
  'smi:v1alpha1': smiWeights('v1alpha1'),
  'smi:v1alpha2': smiWeights('v1alpha2'),
  'smi:v1alpha3': smiMatches,
  'smi:v1alpha4': smiMatches,
  linkerd: { ...smiWeights('v1alpha1'), queries: linkerdQueries },
  osm: { ...smiWeights('v1alpha2'), queries: osmQueries },
};
