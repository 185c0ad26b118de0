import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isChosen, partOf, titleOf } from '../fakes/covering-part.ts';
import { grantName } from '../fakes/rbac.ts';
import { chartGrants, usedBy, usedElsewhere } from '../scenarios/rights/covered-rules.ts';
import { runUnderRights } from '../scenarios/rights/rights-run.ts';
import { onlyThen, rightsScenarios } from '../scenarios/rights/rights-scenarios.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const part = partOf(4);
/** Grants for only some scenarios that a scenario has used. */
const shown = new Set<string>();

describe(`releases under the rights that serin rights prints (${titleOf(part)})`, () => {
  const chosen = rightsScenarios.filter((_, row) => isChosen(part, row, 0));

  it.each(chosen)('$name: no request is refused, and no rule is without use', async (one) => {
    const { refused, unused, grants } = await runUnderRights(one);
    expect(refused).toEqual([]);
    const names = [...new Set(unused.map(grantName))];
    for (const grant of grants.map(grantName)) if (!names.includes(grant) && onlyThen[grant] === one.name) shown.add(grant);
    expect(names.filter((name) => onlyThen[name] === undefined || onlyThen[name] === one.name)).toEqual([]);
    const used = new Set(grants.filter((grant) => !unused.includes(grant)).map((grant) => grantName({ ...grant, name: '' })));
    const ofChart = (usedBy[one.name] ?? []).flatMap((resource) => chartGrants().filter((grant) => grant.endsWith(` ${resource}`)));
    const isElsewhere = (grant: string) => (onlyThen[grant] ?? one.name) !== one.name || usedElsewhere[grant] !== undefined;
    expect(ofChart.filter((grant) => !used.has(grant) && !isElsewhere(grant))).toEqual([]);
  });

  it('grants for only some scenarios are used by the scenario that the list names', () => {
    const played = new Set(chosen.map(({ name }) => name));
    const expected = Object.entries(onlyThen).flatMap(([grant, by]) => (played.has(by) ? [grant] : []));
    expect([...shown].toSorted()).toEqual(expected.toSorted());
    const all = new Set(rightsScenarios.map(({ name }) => name));
    expect(Object.values(onlyThen).filter((by) => !all.has(by) && !existsSync(join(ROOT, by)))).toEqual([]);
  });

  const [first] = rightsScenarios.filter(({ name }) => name === 'provider kubernetes');
  if (first === undefined) throw new Error('the scenarios have the provider kubernetes');

  it('a rule that is taken away would be noticed, by the requests that are refused', async () => {
    const without = (rights: string): string => rights.replace(/^ {2}- apiGroups: \[""\]\n {4}resources: \[events\]\n.*\n/m, '');
    const { refused } = await runUnderRights(first, without);
    expect(refused.length).toBeGreaterThan(0);
    for (const request of refused) expect(request).toMatch(/^(get|create|patch) \/events shop\//);
  });

  it('an extra rule would be noticed, because no request uses it', async () => {
    const more = '  - apiGroups: [apps]\n    resources: [statefulsets]\n    verbs: [delete]\n';
    const { unused } = await runUnderRights(first, (rights) => rights.replace(/^rules:\n/m, `rules:\n${more}`));
    expect(unused.map(grantName)).toContain('delete statefulsets.apps');
  });
});
