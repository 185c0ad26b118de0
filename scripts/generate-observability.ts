/** Writes the alerts of charts/serin and docs/observability.md; with `--check`, fails when a file differs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';
import { alertRules } from './observability/alert-rules.ts';
import { alertsFile } from './observability/alerts-file.ts';
import { logFields } from './observability/log-fields.ts';
import { logLines } from './observability/log-lines.ts';
import { metricRows } from './observability/metrics-table.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'docs', 'observability.md');
const ticked = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

async function parts(): Promise<Record<string, string>> {
  const metrics = (await metricRows()).map(({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${ticked(labels)} | ${help} |`);
  const alerts = alertRules.map(
    ({ alert, severity, description, expr }) =>
      `| [${alert}](runbooks.md#${alert.toLowerCase()}) | ${severity} | ${description} | \`${expr.replaceAll('|', '\\|')}\` |`,
  );
  const lines = logLines(root)
    .filter(({ message }) => message !== undefined)
    .map(({ level, message, fields }) => `| ${level} | ${message} | ${ticked(fields)} |`);
  const fields = Object.entries(logFields).map(([name, about]) => `| \`${name}\` | ${about} |`);
  return {
    metrics: `| metric | type | labels | what it says |
|---|---|---|---|
${metrics.join('\n')}`,
    alerts: `| alert | severity | meaning | expression |
|---|---|---|---|
${alerts.join('\n')}`,
    'log-fields': `| field | what it holds |
|---|---|
${fields.join('\n')}`,
    'log-lines': `| level | msg | fields |
|---|---|---|
${lines.join('\n')}`,
  };
}

export const generate: Generate = async () => [
  { path: join(root, 'charts', 'serin', 'files', 'alerts.yaml'), text: alertsFile(), source: 'scripts/observability/alert-rules.ts' },
  {
    path,
    text: withParts(readFileSync(path, 'utf8'), 'generate-observability', await parts()),
    source: 'scripts/observability, the log lines and metrics in src',
  },
];

if (import.meta.main) await runAlone(generate);
