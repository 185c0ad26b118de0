/** Writes what is generated of charts/grafana: values, their schema, the README and the dashboards; with `--check`, fails when a file differs. */

import { chartFiles } from './chart/chart-files.ts';
import { GrafanaValues } from './chart/grafana-values.ts';
import { dashboards } from './dashboards/index.ts';
import { renderDashboard } from './dashboards/render.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/run-alone.ts';

const rows = dashboards.map(({ uid, title, description }) => `| \`${uid}\` | ${title} | ${description} |`).join('\n');
const about = `# Helm chart of Serin's dashboards

\`\`\`
helm install serin-dashboards charts/grafana --namespace monitoring --set annotations.grafana_folder=Releases
\`\`\`

makes ConfigMaps that the sidecar of a Grafana picks up by their label. This chart has no Grafana, and exposes none. Values that it does not
know, or of a wrong type, are refused before anything is changed.

| dashboard | title | shows |
|---|---|---|
${rows}

- **Queries**: a dashboard of a mesh or ingress runs the same queries as its checks (\`src/routers\`).
- **Namespaces and targets** to choose from come from Serin's own metrics: scrape \`/metrics\` with \`honorLabels: true\` (docs/observability.md) into the
  same Prometheus. The data source is chosen on the dashboard.
- **Which one, and what it shows**: [docs/boards.md](../../docs/boards.md). \`only\` makes the dashboards that you name.
- **Without the sidecar**, import the files of \`dashboards/\` by hand.
- **Coming from Flagger's chart**: the values that are about its server are accepted and have no effect.
`;

export const generate: Generate = () =>
  chartFiles({
    chart: {
      name: 'grafana',
      description: 'Dashboards of Serin and of the releases it makes, for an existing Grafana',
      keywords: ['canary', 'progressive-delivery', 'grafana', 'dashboards'],
      category: 'monitoring-logging',
    },
    generator: 'generate-grafana-chart.ts',
    values: { file: 'scripts/chart/grafana-values.ts', schema: GrafanaValues },
    about,
    files: Object.fromEntries(dashboards.map((dashboard) => [`dashboards/${dashboard.uid}.json`, renderDashboard(dashboard)])),
    source: 'scripts/chart, scripts/dashboards and src/routers',
  });

if (import.meta.main) await runAlone(generate);
