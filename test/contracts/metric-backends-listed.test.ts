import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { metricProviders } from '../../src/api/metric-template.ts';
import { backendFor } from '../../src/metrics/providers/index.ts';
import { templates } from '../integration/credentials/templates.ts';
import { sourceOf } from './metric-backends/backend-case.ts';
import { backendCases } from './metric-backends/index.ts';

const PAGE = 'docs/metrics.md';
const page = readFileSync(join(import.meta.dirname, '..', '..', PAGE), 'utf8');
/** The table of backends: its cells by type. */
const rows = new Map(
  [...page.matchAll(/^\| `(\w+)` \| ([^|\n]+) \| ([^|\n]+) \|/gm)].map(([, type, address, keys]) => [type, { address, keys }]),
);

it('the page of metric backends has a row for each of them, and no other', () => {
  expect([...rows.keys()].sort(), `the first column of the table in ${PAGE}`).toEqual([...metricProviders].sort());
});

it.each(metricProviders.filter((type) => rows.has(type)))('the row of %s says what it needs, and names each key of its Secret', (type) => {
  const { address = '', keys = '' } = rows.get(type) ?? {};
  const { provider, ...source } = sourceOf(backendCases[type], type, 'https://backend.example.com');
  const problemOf = (changes: object) => {
    const made = backendFor({ ...source, provider, ...changes });
    return 'problem' in made ? made.problem : '';
  };
  const isNeeded = /address is required/.test(problemOf({ provider: { ...provider, address: undefined } }));
  expect(address.startsWith('needed'), `${PAGE}: "needed" as the address of ${type}`).toBe(isNeeded);
  const isMadeWithout = problemOf({ provider: { ...provider, secretRef: undefined }, secret: undefined }) === '';
  expect(keys.startsWith('none'), `${PAGE}: "none" as the keys of ${type}`).toBe(isMadeWithout);
  for (const key of Object.keys(source.secret ?? {})) expect(keys, `${PAGE}: the keys of ${type}`).toContain(`\`${key}\``);
});

it('the search for credentials calls every metric backend that takes some', () => {
  const called = new Set(Object.values(templates).map(({ type }) => type));
  const taking = metricProviders.filter((type) => backendCases[type].docs.keys !== 'none');
  expect([...called].sort(), 'a case with a Secret in test/contracts/metric-backends').toEqual(taking.toSorted());
});
