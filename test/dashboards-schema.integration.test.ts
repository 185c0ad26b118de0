import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { dashboards } from '../scripts/dashboards/index.ts';
import { renderDashboard } from '../scripts/dashboards/render.ts';

const modules = join(import.meta.dirname, '..', 'node_modules');
const folder = mkdtempSync(join(tmpdir(), 'serin-grafana-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Types as Grafana publishes them: of the dashboard, and of the options that each kind of panel has. JSON has the values of enums. */
const HEAD = `
import type { Dashboard, DataSourceRef, FieldConfigSource, Panel, RowPanel } from '@grafana/schema';
import type * as stat from '@grafana/schema/raw/stat';
import type * as table from '@grafana/schema/raw/table';
import type * as timeseries from '@grafana/schema/raw/timeseries';
type Json<T> = 0 extends 1 & T ? T : T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
interface Target { refId: string; datasource: DataSourceRef; expr: string; legendFormat: string; instant?: boolean; range?: boolean; format?: 'table' }
type Of<Type extends string, Options, Custom> = Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets'> &
  { type: Type; options: Partial<Options>; fieldConfig: FieldConfigSource<Partial<Custom>>; targets: Target[] };
type Shown = Of<'stat', stat.Options, {}> | Of<'table', table.Options, table.FieldConfig> | Of<'timeseries', timeseries.Options, timeseries.FieldConfig>;
type Mark = NonNullable<NonNullable<Dashboard['annotations']>['list']>[number] & { expr: string; step: string; titleFormat: string; textFormat: string };
type Checked = Json<Omit<Dashboard, 'panels' | 'annotations'> & { panels: (Shown | RowPanel)[]; annotations: { list?: Mark[] } }>;
`;
const COMPOSABLE = ['stat', 'table', 'timeseries'] as const;
const types = join(modules, '@grafana', 'schema', 'dist', 'types');

/** Errors of the compiler for these files, each by its name. */
function problemsOf(files: Readonly<Record<string, string>>): string {
  for (const [name, json] of Object.entries(files))
    writeFileSync(join(folder, `${name}.ts`), `${HEAD}export const dashboard: Checked = ${json};\n`);
  const paths = Object.fromEntries(
    COMPOSABLE.map((kind) => [`@grafana/schema/raw/${kind}`, [join(types, 'raw', 'composable', kind, 'panelcfg', 'x', 'types.gen.d.ts')]]),
  );
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, module: 'preserve', target: 'esnext', types: [] },
    paths: { '@grafana/schema': [join(types, 'index.d.ts')], ...paths },
  };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, files: Object.keys(files).map((name) => `${name}.ts`) }));
  const { stdout, stderr } = spawnSync(process.execPath, [join(modules, 'typescript', 'lib', 'tsc.js'), '--project', project], {
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`.trim();
}

it("each dashboard fits Grafana's own types, with no field that they do not know", () => {
  expect(problemsOf(Object.fromEntries(dashboards.map((dashboard) => [dashboard.uid, renderDashboard(dashboard)])))).toBe('');
});

it("a field that does not fit Grafana's types is found", () => {
  const [dashboard] = dashboards;
  const rendered = JSON.parse(dashboard ? renderDashboard(dashboard) : '{}');
  const panels = (change: object) =>
    JSON.stringify({ ...rendered, panels: rendered.panels.map((panel: object) => ({ ...panel, ...change })) });
  const broken = {
    field: JSON.stringify({ ...rendered, refreshes: '30s' }),
    panel: panels({ titel: 'x' }),
    option: panels({ type: 'timeseries', options: { legende: {} } }),
    value: panels({ repeatDirection: 'sideways' }),
  };
  const found = problemsOf(broken);
  for (const [name, says] of Object.entries({ field: /refreshes/, panel: /titel/, option: /legende/, value: /sideways/ }))
    expect(
      found
        .split('\n')
        .filter((line) => line.startsWith(`${name}.ts`) || line.includes(`/${name}.ts`))
        .join('\n'),
      found,
    ).toMatch(says);
});
