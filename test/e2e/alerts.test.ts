import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ensurePrometheus } from '../../scripts/e2e-binaries.ts';
import { alertRules } from '../../scripts/observability/alert-rules.ts';
import { alertCases } from './alert-cases.ts';
import { CHARTS, runProgram } from './helm.ts';

const FILE = join(CHARTS, 'serin', 'files', 'alerts.yaml');
let promtool: string;
let folder: string;
beforeAll(async () => {
  promtool = join(dirname(await ensurePrometheus()), 'promtool');
  folder = mkdtempSync(join(tmpdir(), 'serin-alerts-'));
});

it('promtool accepts the alerts', async () => {
  expect((await runProgram(promtool, ['check', 'rules', FILE])).said).toContain(`${alertRules.length} rules found`);
});

it.each(alertCases)('$alert when $when: $fires', async ({ alert, fires, atMinute, input }) => {
  // JSON is YAML. ALERTS contains the firing alerts, with any labels and annotations.
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`;
  const tests = [
    {
      interval: '1m',
      input_series: input,
      promql_expr_test: [{ expr, eval_time: `${atMinute}m`, exp_samples: [{ labels: '{}', value: fires ? 1 : 0 }] }],
    },
  ];
  const file = join(folder, `${alert}-${atMinute}.json`);
  writeFileSync(file, JSON.stringify({ rule_files: [FILE], evaluation_interval: '1m', tests }));
  expect(await runProgram(promtool, ['test', 'rules', file])).toMatchObject({ code: 0 });
});
