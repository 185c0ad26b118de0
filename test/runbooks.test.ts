import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { alertRules } from '../scripts/observability/alert-rules.ts';
import { alertCases } from './e2e/alert-cases.ts';

const docs = join(import.meta.dirname, '..', 'docs');

it('each alert has a section in the runbooks, with something to do, and no section is left over', () => {
  const sections = readFileSync(join(docs, 'runbooks.md'), 'utf8').split(/^## /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0]).sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
  for (const section of sections) expect(section).toMatch(/^1\. \S/m);
});

it('the runbook_url of each alert leads to its section, of a page that there is', () => {
  const root = join(docs, '..');
  const { groups } = parse(readFileSync(join(root, 'charts', 'serin', 'files', 'alerts.yaml'), 'utf8')) as {
    groups: { rules: { alert: string; annotations: { runbook_url: string } }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.map(({ alert }) => alert)).toEqual(alertRules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules) {
    const [page = '', anchor] = annotations.runbook_url.split('#');
    const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(anchor).toBe(alert.toLowerCase());
    expect(headings).toContain(alert);
  }
});

it('each alert has a case for promtool in which it fires', () => {
  expect(new Set(alertCases.flatMap(({ alert, fires }) => (fires ? [alert] : [])))).toEqual(new Set(alertRules.map(({ alert }) => alert)));
});
