import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { canIList } from '../scripts/rights/can-i.ts';
import { MAIL, modes, permissionsIn, RELEASE_NAMESPACE, SHOP } from '../scripts/rights/modes.ts';
import { type Dangers, dangers, overreach } from '../scripts/rights/stolen-token.ts';
import { dashboardPermissions } from '../src/controller/permissions.ts';
import { chartGrants, usedBy, usedElsewhere } from './scenarios/rights/covered-rules.ts';
import { onlyThen, rightsScenarios } from './scenarios/rights/rights-scenarios.ts';

interface Rule {
  apiGroups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
}

describe('rights by mode', () => {
  it.each(modes)('$name: no role leads to further rights', (mode) => {
    const rules = [SHOP, MAIL, RELEASE_NAMESPACE].flatMap((namespace) => permissionsIn(mode, namespace));
    expect(rules.flatMap(({ group, resources, verbs }) => overreach({ apiGroups: [group], resources, verbs }))).toEqual([]);
  });

  it('the dashboard may review a token and what its user may do, by the groups that Kubernetes has for that', () => {
    expect(dashboardPermissions.reviews.map(({ group, resources, verbs }) => ({ group, resources, verbs }))).toEqual([
      { group: 'authentication.k8s.io', resources: ['tokenreviews'], verbs: ['create'] },
      { group: 'authorization.k8s.io', resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
  });

  it('nor do those of the Kustomize base', () => {
    const text = readFileSync(join(import.meta.dirname, '..', 'kustomize', 'base', 'serin.yaml'), 'utf8');
    const objects = parseAllDocuments(text).map((document): { kind?: string; rules?: Rule[] } => document.toJS());
    const rules = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role').flatMap((role) => role.rules ?? []);
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.flatMap(overreach)).toEqual([]);
  });

  it.each([
    { what: 'impersonation', rule: { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] } },
    { what: 'bindings', rule: { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['bind'] } },
    { what: 'tokens', rule: { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] } },
    { what: 'writing of pods', rule: { apiGroups: [''], resources: ['pods'], verbs: ['list', 'create'] } },
    { what: 'commands in pods', rule: { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'] } },
    { what: 'all verbs', rule: { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] } },
    { what: 'all groups', rule: { apiGroups: ['*'], resources: ['deployments'], verbs: ['get'] } },
    { what: 'all of the core group', rule: { apiGroups: [''], resources: ['*'], verbs: ['get'] } },
  ])('a rule on $what would be noticed', ({ rule }) => expect(overreach(rule)).not.toEqual([]));

  const answersTo = (id: Dangers) => Object.fromEntries(modes.map((mode) => [mode.name, dangers[id].answer(mode)]));

  it('the answers on Secrets follow the rules', () => {
    expect(answersTo('readSecrets')).toEqual({
      default: 'everywhere',
      'Secrets get': 'everywhere',
      'Secrets off': 'everywhere',
      'Secrets by name': 'those named, everywhere',
      'Secrets by namespace': 'in `secrets.namespaces`',
      namespaces: 'in `namespaces`',
      minimal: 'none',
    });
    expect(answersTo('findSecrets')).toMatchObject({ default: 'everywhere', 'Secrets get': 'none', 'Secrets by name': 'none' });
    expect(answersTo('obtainTokens')).toMatchObject({ default: 'everywhere', 'Secrets off': 'none', 'Secrets by name': 'none' });
  });

  it('pod templates can be written wherever Serin works', () => {
    expect(new Set(Object.values(answersTo('runCode')))).toEqual(new Set(['everywhere', 'in `namespaces`']));
  });

  it('the list has a row for each resource and name, with the verbs of all rules, in the order of kubectl', () => {
    const list = canIList([
      { group: '', resources: ['secrets'], verbs: ['get', 'list'], names: ['a', 'b'], purpose: '' },
      { group: 'apps', resources: ['deployments', 'deployments/scale'], verbs: ['patch'], purpose: '' },
      { group: 'apps', resources: ['deployments'], verbs: ['get', 'patch'], purpose: '' },
    ]);
    expect(list.split('\n').map((line) => line.split(/ {3,}/))).toEqual([
      ['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'],
      ['secrets', '[]', '[a]', '[get list]'],
      ['secrets', '[]', '[b]', '[get list]'],
      ['deployments.apps', '[]', '[]', '[patch get]'],
      ['deployments.apps/scale', '[]', '[]', '[patch]'],
    ]);
  });

  it('each rule that the chart can grant is used by a scenario under the printed rights, or by a test that is named', () => {
    const played = new Set(rightsScenarios.map(({ name }) => name));
    expect(Object.keys(usedBy).filter((name) => !played.has(name))).toEqual([]);
    const used = new Set(Object.values(usedBy).flat());
    const resourceOf = (grant: string): string => grant.slice(grant.indexOf(' ') + 1);
    const isShown = (grant: string): boolean => used.has(resourceOf(grant)) || usedElsewhere[grant] !== undefined;
    const grants = chartGrants();
    expect(grants.length).toBeGreaterThan(150);
    expect(grants.filter((grant) => !isShown(grant))).toEqual([]);
    expect([...used].filter((resource) => !grants.some((grant) => resourceOf(grant) === resource))).toEqual([]);
    for (const [grant, by] of Object.entries({ ...usedElsewhere, ...onlyThen }))
      expect(played.has(by) || existsSync(join(import.meta.dirname, '..', by)), `${grant}: ${by}`).toBe(true);
  });
});
