import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canIList } from '../../scripts/rights/can-i.ts';
import { MAIL, modes, permissionsIn, RELEASE_NAMESPACE, SHOP } from '../../scripts/rights/modes.ts';
import { overreach } from '../../scripts/rights/stolen-token.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import type { Permission, RbacVerb } from '../../src/api/permission.ts';
import { raw } from '../fakes/raw.ts';
import { printedRights } from '../scenarios/rights/printed-rights.ts';
import { type Helm, runProgram, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const ROLES = ['Role', 'ClusterRole'];
const KINDS = [...ROLES, 'RoleBinding', 'ClusterRoleBinding', 'ServiceAccount'];
const ELSEWHERE = 'elsewhere';
const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'rights.md'), 'utf8');

/** kubectl makes columns as wide as all of its rows need. */
const inColumns = (text: string): string[] => text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '   ').trim());

describe('docs/rights.md against a real API server', () => {
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm();
    for (const name of [RELEASE_NAMESPACE, SHOP, MAIL, ELSEWHERE])
      await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
  });

  const listOf = async (account: string, namespace: string): Promise<string[]> => {
    const args = ['auth', 'can-i', '--list', `--as=system:serviceaccount:${account}`, `--namespace=${namespace}`];
    const ran = await runProgram(real.kubectl, args, { KUBECONFIG: real.adminKubeconfigFile });
    expect(ran).toMatchObject({ code: 0, complained: '' });
    return inColumns(ran.said.trimEnd());
  };
  /** Rows of an account, without the rows that an account without any role has. */
  const ownRowsOf = async (namespace: string): Promise<string[]> => {
    const [header = '', ...rows] = await listOf('serin:serin', namespace);
    const common = await listOf('serin:bare', namespace);
    return [header, ...rows.filter((row) => !common.includes(row))];
  };

  const CANARY: KubeObject = {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'web', namespace: SHOP },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      provider: 'kubernetes',
      service: { port: 80 },
      analysis: { interval: '1m', threshold: 5, iterations: 5 },
    },
  };

  it('with rbac.rights the account has only the printed rights, in each namespace', async () => {
    const values = { namespaces: [SHOP], configTracking: { enabled: false } };
    const rights = await printedRights(values, [CANARY]);
    const objects = (await helm.render('serin', { ...values, rbac: { rights }, crds: { install: false } })).filter(({ kind }) =>
      KINDS.includes(kind),
    );
    expect(objects.filter(({ kind }) => ROLES.includes(kind)).map(({ metadata }) => metadata.name)).toEqual(['serin-rights']);
    for (const object of objects) await real.cluster.apply(object);
    try {
      const rules: Permission[] = objects.flatMap((object) =>
        (raw(object).rules ?? []).map(
          (rule: { apiGroups: string[]; resources: string[]; verbs: RbacVerb[]; resourceNames?: string[] }) => ({
            ...{ group: rule.apiGroups[0] ?? '', resources: rule.resources, verbs: rule.verbs, purpose: '' },
            ...(rule.resourceNames && { names: rule.resourceNames }),
          }),
        ),
      );
      expect(rules.length).toBeGreaterThan(10);
      await expect.poll(() => ownRowsOf(SHOP), { timeout: 20_000, interval: 100 }).toEqual(inColumns(canIList(rules)));
      for (const namespace of [MAIL, ELSEWHERE]) expect(await ownRowsOf(namespace)).toHaveLength(1);
    } finally {
      for (const object of objects) await real.cluster.delete(refOf(object));
    }
  });

  it('the chart refuses rights of another account, and other kinds', async () => {
    const rights = await printedRights({ serviceAccount: { name: 'other' } }, [CANARY]);
    await expect(helm.render('serin', { rbac: { rights } })).rejects.toThrow(
      'rbac.rights: it is for ServiceAccount serin/other, and the account is serin/serin',
    );
    const pod = '---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n';
    await expect(helm.render('serin', { rbac: { rights: pod } })).rejects.toThrow('rbac.rights: it has a document of kind Pod');
  });

  it.each(modes)('$name: the account has the rights of the page, and no others, in each namespace', async (mode) => {
    const objects = (await helm.render('serin', { ...mode.values, crds: { install: false } })).filter(({ kind }) => KINDS.includes(kind));
    const rules = objects.filter(({ kind, metadata }) => ROLES.includes(kind) && !isForPeople(metadata)).flatMap((role) => raw(role).rules);
    expect(rules.flatMap(overreach)).toEqual([]);
    for (const object of objects) await real.cluster.apply(object);
    try {
      for (const namespace of [SHOP, MAIL, RELEASE_NAMESPACE, ELSEWHERE]) {
        const expected = canIList(permissionsIn(mode, namespace));
        await expect.poll(() => ownRowsOf(namespace), { timeout: 20_000, interval: 100 }).toEqual(inColumns(expected));
        if (namespace === SHOP) expect(PAGE).toContain(expected);
      }
    } finally {
      for (const object of objects) await real.cluster.delete(refOf(object));
    }
  });
});

/** Roles that are added to view, edit and admin. */
const isForPeople = ({ labels = {} }: KubeObject['metadata']): boolean =>
  Object.keys(labels).some((label) => label.includes('aggregate-to'));
