/** Writes the dashboards of charts/grafana; with `--check`, fails when a file differs. */
import { join } from 'node:path';
import { dashboards } from './dashboards/index.ts';
import { renderDashboard } from './dashboards/render.ts';
import { writeOrCheck } from './write-or-check.ts';

const folder = join(import.meta.dirname, '..', 'charts', 'grafana', 'dashboards');

if (import.meta.main)
  for (const dashboard of dashboards)
    writeOrCheck(join(folder, `${dashboard.uid}.json`), renderDashboard(dashboard), 'scripts/dashboards and src/metrics/observers');
