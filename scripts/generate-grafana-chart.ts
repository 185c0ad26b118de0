/** Writes what is generated of charts/grafana: values, their schema, the README and the dashboards; with `--check`, fails when a file differs. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartFiles } from './chart/chart-files.ts';
import { GrafanaValues } from './chart/grafana-values.ts';
import { dashboards } from './dashboards/index.ts';
import { renderDashboard } from './dashboards/render.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';

const rows = dashboards.map(({ uid, title, description }) => `| \`${uid}\` | ${title} | ${description} |`).join('\n');
export const generate: Generate = () =>
  chartFiles({
    chart: {
      name: 'grafana',
      description: 'Dashboards of Serin and of the releases it makes, for an existing Grafana',
      keywords: ['canary', 'progressive-delivery', 'grafana', 'dashboards'],
      category: 'monitoring-logging',
    },
    generator: 'generate-grafana-chart.ts',
    readme: readFileSync(join(import.meta.dirname, '..', 'charts', 'grafana', 'README.md'), 'utf8'),
    values: { file: 'scripts/chart/grafana-values.ts', schema: GrafanaValues },
    parts: { dashboards: `| dashboard | title | shows |\n|---|---|---|\n${rows}` },
    files: Object.fromEntries(dashboards.map((dashboard) => [`dashboards/${dashboard.uid}.json`, renderDashboard(dashboard)])),
    source: 'scripts/chart, scripts/dashboards and src/routers',
  });

if (import.meta.main) await runAlone(generate);
