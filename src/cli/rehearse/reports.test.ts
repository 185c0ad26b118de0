import { describe, expect, it } from 'vitest';
import { htmlReport } from './html/page.ts';
import { junitReport } from './junit-report.ts';
import type { RehearsalReport, RehearsalResult } from './rehearsal-report.ts';
import { sarifReport } from './sarif-report.ts';
import { reportLines } from './text-report.ts';
import { durationWords } from './words.ts';

const HOSTILE = `<script>alert("1")</script><img src=x onerror='a'> & \u202e\u0007 ]]> {{ '\ud800' }}`;
const requests = (sent: number, failed: number) => ({ sent, failed });

const result: RehearsalResult = {
  namespace: 'test',
  name: 'shop',
  scenario: { name: HOSTILE, says: HOSTILE, expect: 'not-promoted' },
  verdict: 'promoted',
  phase: 'Succeeded',
  message: HOSTILE,
  blamed: [HOSTILE],
  seconds: { total: 100, toPromote: 100 },
  requests: { old: requests(90, 0), new: requests(10, 1), none: requests(0, 0) },
  peakPods: 4,
  checks: [
    { check: HOSTILE, state: 'modelled', min: 99 },
    { check: 'queue', state: 'notModelled', why: HOSTILE },
  ],
  timeline: [
    { kind: 'scenario', seconds: 0, message: HOSTILE },
    { kind: 'phase', seconds: 1, phase: 'Progressing' },
    { kind: 'traffic', seconds: 2, routes: 'weighted', canaryWeight: 10 },
    { kind: 'checks', seconds: 60, checks: [{ check: HOSTILE, verdict: 'failed', value: 90, limit: HOSTILE, reason: HOSTILE }] },
    { kind: 'event', seconds: 61, type: 'Warning', reason: 'Other', message: HOSTILE },
    { kind: 'webhook', seconds: 62, to: HOSTILE, webhooks: [{ name: HOSTILE, type: 'rollout' }], status: 500, body: HOSTILE },
    { kind: 'alert', seconds: 63, to: HOSTILE, status: 200, body: HOSTILE },
    {
      kind: 'write',
      seconds: 64,
      object: { kind: HOSTILE, name: HOSTILE },
      created: false,
      changes: [{ field: HOSTILE, before: HOSTILE, after: '1' }],
    },
  ],
  evidence: [20, 40].map((seconds) => ({ seconds, metric: HOSTILE, verdict: 'undecided', against: seconds, inFavour: 0 })),
  samples: [0, 10, 20].map((seconds) => ({
    seconds,
    requests: { old: requests(9, 0), new: requests(1, 1), none: requests(0, 0) },
    pods: { old: 2, new: 1 },
  })),
  notApplied: [{ kind: HOSTILE, name: HOSTILE, why: HOSTILE }],
  assumptions: [HOSTILE],
};

const report: RehearsalReport = {
  apiVersion: 'cli.serin.dev/v1',
  kind: 'RehearsalReport',
  sound: false,
  seed: 1,
  requestsPerSecond: 10,
  mistakes: [
    {
      severity: 'error',
      rule: 'bad-version-promoted',
      message: HOSTILE,
      object: { kind: 'Canary', name: 'shop' },
      scenario: HOSTILE,
      file: `${HOSTILE}.yaml`,
      line: 3,
    },
    { severity: 'warning', rule: 'validate', message: HOSTILE, field: HOSTILE },
  ],
  rehearsals: [result, { ...result, scenario: { ...result.scenario, name: 'good', expect: 'promoted' } }],
};

const VOID = new Set(['meta', 'link', 'br', 'img', 'input', 'hr']);

/** Tags that are opened and not closed, or closed and not opened. */
function unbalanced(text: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = '', rest = ''] of text.matchAll(/<(\/?)([a-zA-Z][\w-]*)((?:"[^"]*"|[^">])*)>/g)) {
    if (slash) {
      const last = open.pop();
      if (last !== name) wrong.push(`</${name}> after <${last}>`);
    } else if (!VOID.has(name) && !rest.endsWith('/')) open.push(name);
  }
  return [...wrong, ...open];
}

describe('the HTML report', () => {
  const html = htmlReport(report);
  const bare = html.replace(/<style>[\s\S]*?<\/style>/, '');

  it('closes each tag that it opens', () => expect(unbalanced(bare)).toEqual([]));
  it('leaves out no level of headings', () => {
    const levels = [...bare.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
  });
  it('escapes each text: there are no tags but its own', () => {
    const tags = new Set([...bare.matchAll(/<([a-zA-Z][\w-]*)/g)].map(([, name]) => name));
    expect(tags).not.toContain('script');
    expect(tags).not.toContain('img');
    expect(bare).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]/u);
  });
  it('loads nothing, and runs nothing', () => {
    const addresses = [...html.matchAll(/(?:src|href|action|data|poster)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses.filter((address) => !/^(#|data:,)/.test(address))).toEqual([]);
    expect(html).not.toMatch(/url\(|@import|<iframe|<object|javascript:/);
    expect(bare.match(/ on\w+="/g)).toBeNull();
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
  });
  it('has a plot of weights, requests, errors, pods, evidence and each check, and names what it shows', () => {
    expect(bare.match(/<svg /g)).toHaveLength(12);
    expect(bare.match(/<svg [^>]*role="img" aria-label="[^"]+"/g)).toHaveLength(12);
    expect(bare).not.toContain('NaN');
  });
  it('leads to each scenario', () => {
    const ids = [...bare.matchAll(/id="([^"]+)"/g)].map(([, id]) => `#${id}`);
    expect([...bare.matchAll(/href="(#[^"]+)"/g)].map(([, href]) => href)).toEqual(ids);
  });
});

describe('other formats', () => {
  it('JUnit: each scenario is a case, and an error fails its own', () => {
    const xml = junitReport(report);
    expect(unbalanced(xml.replace(/^<\?xml.*\?>/, ''))).toEqual([]);
    expect(xml.match(/<testcase /g)).toHaveLength(3);
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect([...xml.matchAll(/tests="(\d)" failures="(\d)"/g)].map(([, tests, failures]) => `${failures}/${tests}`)).toEqual(['0/1', '1/2']);
    expect(xml).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}]/u);
  });
  it('SARIF: each mistake is a result of a known rule, at its line', () => {
    expect(sarifReport(report)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { rules: [{ id: 'bad-version-promoted' }, { id: 'validate' }] } },
          results: [
            { ruleId: 'bad-version-promoted', level: 'error', locations: [{ physicalLocation: { region: { startLine: 3 } } }] },
            { ruleId: 'validate', level: 'warning' },
          ],
        },
      ],
    });
  });
  it.each([true, false])('text: wide or not (%s), each line is clean and ASCII in a plain terminal', (wide) => {
    const terminal = { color: false, unicode: false, live: false, columns: 80 };
    for (const line of reportLines(report, terminal, wide)) expect(line).toMatch(/^[\x20-\x7e]*$/);
  });
  it.each([
    [0, '0s'],
    [59.6, '1m'],
    [372, '6m12s'],
    [3600, '1h'],
    [-60, '-1m'],
  ])('%d seconds are %s', (seconds, text) => expect(durationWords(seconds)).toBe(text));
});
