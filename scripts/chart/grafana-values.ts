import * as z from 'zod';
import { dashboards } from '../dashboards/index.ts';
import { inert, labels, raw, rawList, text } from './value-kinds.ts';

const noServer = `${inert}This chart has no Grafana.`;
const dashboardName = z.enum(dashboards.map(({ uid }) => uid));

/**
 * Values of charts/grafana: those of its ConfigMaps, and those of Flagger's chart, which brings a server. One source of values.yaml,
 * values.schema.json and the README; an unknown value is refused when the chart is rendered.
 */
export const GrafanaValues = z.strictObject({
  namespace: text('', 'Namespace of the ConfigMaps; if empty, that of the release. The sidecar of Grafana has to look there.'),
  label: z.string().min(1).default('grafana_dashboard').describe('Label by which the sidecar of Grafana finds dashboards.'),
  labelValue: text('1', 'Its value.'),
  labels: labels({}, 'Further labels.'),
  annotations: labels({}, 'Annotations, like `grafana_folder: Releases`.'),
  only: z
    .array(dashboardName)
    .default([])
    .describe('Dashboards that are made, like `[serin, serin-istio]`: docs/boards.md says which one a provider has; if empty, all.'),
  without: z.array(dashboardName).default([]).describe('Dashboards that are left out, like `serin-linkerd`.'),

  dashboardUrl: text('', 'Address of `serin dashboard`, to which the dashboards link; it can also be typed in on each.'),

  url: text('', `${inert}The data source is chosen on the dashboard.`),
  user: text('', noServer),
  password: text('', noServer),
  token: text('', noServer),
  replicaCount: z.int().min(0).default(1).describe(noServer),
  image: raw({}, noServer),
  podAnnotations: labels({}, noServer),
  service: raw({}, noServer),
  resources: raw({}, noServer),
  nodeSelector: labels({}, noServer),
  tolerations: rawList(noServer),
  affinity: raw({}, noServer),
  global: raw({}, 'Values that a parent chart gives to all of its parts; none is read.'),
});
export type GrafanaValues = z.infer<typeof GrafanaValues>;
