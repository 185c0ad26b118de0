import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canIList } from '../../scripts/rights/can-i.ts';
import { MAIL, modes, permissionsIn, RELEASE_NAMESPACE, SHOP } from '../../scripts/rights/modes.ts';
import { overreach } from '../../scripts/rights/stolen-token.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
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
  /** Without the rows that an account without any role has. */
  const ownRowsOf = async (namespace: string): Promise<string[]> => {
    const [header = '', ...rows] = await listOf('serin:serin', namespace);
    const common = await listOf('serin:bare', namespace);
    return [header, ...rows.filter((row) => !common.includes(row))];
  };

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
