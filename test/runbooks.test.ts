import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alertRules } from '../scripts/observability/alert-rules.ts';

const docs = join(import.meta.dirname, '..', 'docs');

it('06-F14: each alert has a section in the runbooks, with something to do, and no section is left over', () => {
  const sections = readFileSync(join(docs, 'runbooks.md'), 'utf8').split(/^## /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0]).sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
  for (const section of sections) expect(section).toMatch(/^1\. \S/m);
});

it('06-F14: the runbook_url of each alert leads to its section', () => {
  const file = readFileSync(join(docs, '..', 'charts', 'serin', 'files', 'alerts.yaml'), 'utf8');
  for (const { alert } of alertRules) expect(file).toContain(`runbook_url: docs/runbooks.md#${alert.toLowerCase()}`);
});
