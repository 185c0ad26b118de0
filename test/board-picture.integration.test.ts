import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type AnsweredDashboard, answersOf } from '../scripts/dashboards/answers.ts';
import { chooseVariables } from '../scripts/dashboards/choose-variables.ts';
import { drawDashboard } from '../scripts/dashboards/draw.ts';
import { dashboardOf } from '../scripts/dashboards/index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An HTTP API that answers as a Prometheus server would; gives its address. */
async function answering(answer: (path: string, parameters: URLSearchParams) => unknown): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const data = answer(new URL(request.url ?? '', 'http://localhost').pathname.split('/').at(-1) ?? '', new URLSearchParams(body));
    response.end(JSON.stringify(data instanceof Error ? { status: 'error', error: data.message } : { status: 'success', data }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const range = { fromMs: 0, toMs: 10_000, stepMs: 1_000 };

function picture(change: Partial<AnsweredDashboard> = {}): string {
  const series = [
    {
      legend: '<b>one</b>',
      limit: false,
      points: [
        [0, 1],
        [1_000, 2],
        [5_000, 3],
      ] as const,
    },
    { legend: 'limit', limit: true, points: [[0, 2]] as const },
  ];
  const rows = [
    { title: 'Seen', panels: [{ title: 'A & B', kind: 'time', unit: 'short', series } as const] },
    { title: 'Without data', panels: [{ title: 'Empty', kind: 'time', unit: 'short', series: [] } as const] },
  ];
  return drawDashboard({ title: 'T', range, marks: [{ name: 'Began', color: 'blue', atMs: 2_000 }], rows, ...change }, 'scripts/x.ts');
}

it('the picture escapes what a query names, draws gaps and limits, and leaves out rows without data', () => {
  const svg = picture();
  expect(svg).not.toContain('<b>');
  expect(svg).toContain('&lt;b&gt;one&lt;/b&gt;');
  expect(svg).toContain('A &amp; B');
  expect(svg).not.toContain('Without data');
  expect(svg.match(/stroke-dasharray="6 4"/g)).toHaveLength(1);
  const [, line = ''] = /<path d="(M[^"]+L[^"]+)" fill="none"/.exec(svg) ?? [];
  // Between the second and the third sample three are missing.
  expect(line.replaceAll(/[\d. ]/g, '')).toBe('MLM');
});

it('the picture in the docs has each panel of the dashboard but those of the kubelet', () => {
  const svg = readFileSync(join(import.meta.dirname, '..', 'docs', 'boards', 'istio.svg'), 'utf8');
  const rows = dashboardOf('serin-istio').rows.filter(({ title }) => title !== 'Pods');
  for (const { title, panels } of rows)
    for (const name of [title, ...panels.map((panel) => panel.title)])
      expect(svg).toContain(`>${name.replace('$metric', 'request-duration')}</text>`);
  for (const mark of ['Began', 'Promoted', 'Rolled back']) expect(svg).toContain(`>${mark}</text>`);
});

it('answers hold what each query gave, one panel for each check, and marks where they begin', async () => {
  const asked: string[] = [];
  const url = await answering((path, parameters) => {
    expect(path).toBe('query_range');
    const query = parameters.get('query') ?? '';
    asked.push(query);
    const seconds = query.includes('NewRevision') ? [1, 2, 3, 8, 9] : [1];
    return { result: [{ metric: { bound: 'min' }, values: seconds.map((at) => [at, '7']) }] };
  });
  const values = { page: '', namespace: 'test', target: 'app', __rate_interval: '1m' };
  const { rows, marks } = await answersOf(url, dashboardOf('serin-istio'), values, ['a', 'b'], range);
  expect(marks.filter(({ name }) => name === 'Began').map(({ atMs }) => atMs)).toEqual([1_000, 8_000]);
  const checks = rows.find(({ title }) => title.startsWith('Checks'))?.panels ?? [];
  expect(checks.map(({ title }) => title)).toEqual(['Check a', 'Check b']);
  expect(checks[0]?.series).toEqual([
    { legend: 'value', limit: false, points: [[1_000, 7]] },
    { legend: 'limit, min', limit: true, points: [[1_000, 7]] },
  ]);
  expect(asked.join()).toContain('metric=~"b"');
});

it('variables are chosen one after another, the newest Revision first; without a value, or with an error of the server, it says which', async () => {
  const found = {
    'flagger_canary_info{provider=~"knative"}': [{ namespace: 'b' }, { namespace: 'a' }],
    'flagger_canary_info{provider=~"knative",namespace="a"}': [{ name: 'app' }],
    'flagger_canary_info{namespace="a",name="app"}': [{ canary: 'release' }],
    'envoy_cluster_upstream_rq{envoy_cluster_name=~"a/app-[0-9a-zA-Z]+"}': [
      { envoy_cluster_name: 'a/app-00001' },
      { envoy_cluster_name: 'a/app-00002' },
    ],
    'flagger_canary_metric_analysis{namespace="a",name="app"}': [{ metric: 'request-duration' }],
  } as Record<string, object[]>;
  const url = await answering((_, parameters) => found[parameters.get('match[]') ?? ''] ?? new Error('not known'));
  const knative = dashboardOf('serin-knative');
  const chosen = { namespace: 'a', target: 'app', canary: 'release', route: 'app-00002', metric: 'request-duration' };
  expect(await chooseVariables(url, knative, {})).toEqual({ page: '', ...chosen });
  await expect(chooseVariables(url, dashboardOf('serin-istio'), {})).rejects.toThrow('not known');
  found['flagger_canary_info{provider=~"knative",namespace="a"}'] = [];
  await expect(chooseVariables(url, knative, {})).rejects.toThrow('serin-knative: no value for the variable target');
});
