import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { runScript, sectionScript } from '../scenarios/doc-commands.ts';
import { until } from '../scenarios/until.ts';
import { CHARTS, type Helm, isInstalled, objectsIn, runProgram, startHelm } from './helm.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'charts');
const NAMESPACE = 'serin';

/** An installed chart, its upgrade, and the Deployment that must survive, if any. */
interface Upgrade {
  what: string;
  before: string;
  /** Values of the installed chart. Default: none. */
  had?: object;
  release: string;
  after: string;
  values: object;
  /** A server-side apply is refused until this section of docs/moving.md was followed. */
  serverSideNeeds?: string;
  /** Values that are set later, one after the other. */
  later?: readonly object[];
  deployment?: string;
}

const asFirst = {
  leaderElection: { replicaCount: 2 },
  podDisruptionBudget: { enabled: true },
  networkPolicy: { enabled: true },
  service: { enabled: true },
  slack: { url: 'https://hooks.example.com/x' },
};

const upgrades: Upgrade[] = [
  {
    what: 'charts/serin as it was at first',
    before: 'serin-first',
    release: 'serin',
    after: 'serin',
    values: asFirst,
    deployment: 'serin',
  },
  {
    what: 'charts/serin as it was at first, and no leader is elected any more',
    before: 'serin-first',
    release: 'serin',
    after: 'serin',
    values: { leaderElection: { enabled: false } },
    deployment: 'serin',
  },
  {
    what: 'Flagger, under its own name',
    before: 'flagger',
    release: 'flagger',
    after: 'serin',
    values: { nameOverride: 'flagger' },
    deployment: 'flagger',
  },
  {
    what: 'Flagger with a leader, and without one from then on',
    before: 'flagger',
    had: { leaderElection: true },
    release: 'flagger',
    after: 'serin',
    values: { nameOverride: 'flagger', leaderElection: { enabled: false } },
    serverSideNeeds: 'From a leader to none',
    // With a leader, and again without one.
    later: [{ nameOverride: 'flagger' }, { nameOverride: 'flagger', leaderElection: { enabled: false } }],
    deployment: 'flagger',
  },
  { what: 'Flagger', before: 'flagger', release: 'flagger', after: 'serin', values: {} },
  {
    what: "Flagger's load tester",
    before: 'flagger-loadtester',
    release: 'flagger-loadtester',
    after: 'loadtester',
    values: { rbac: { create: true, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] } },
    deployment: 'flagger-loadtester',
  },
];

describe('upgrades of charts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-upgrades-'));
  let real: RealCluster;
  let helm: Helm;
  beforeAll(async () => {
    real = await startRealCluster();
    helm = await startHelm(real.adminKubeconfigFile);
    await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  });
  afterAll(async () => {
    helm?.stop();
    await real?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const succeeds = async (...args: string[]): Promise<string> => {
    const ran = await helm.run(...args, '--namespace', NAMESPACE);
    expect(ran.complained.replace(/^level=.*$/gm, '').trim(), ran.complained).toBe('');
    expect(ran.code).toBe(0);
    return ran.said;
  };
  const rendered = async (release: string, chart: string, valuesFile: string): Promise<KubeObject[]> =>
    objectsIn(await succeeds('template', release, chart, '--values', valuesFile)).filter(isInstalled);
  const byKubectl = async (verb: 'apply' | 'delete', objects: readonly KubeObject[], ...flags: string[]): Promise<void> => {
    const file = join(folder, 'objects.yaml');
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    const args = [verb, ...flags, '--filename', file];
    const ran = await runProgram(real.kubectl, args, { KUBECONFIG: real.adminKubeconfigFile });
    expect(ran.complained, ran.complained).toBe('');
  };

  const byTheBook = async (section: string): Promise<void> => {
    const script = sectionScript('moving.md', section).replaceAll('flagger-system', NAMESPACE);
    const { exit, output } = await runScript(script, {
      KUBECONFIG: real.adminKubeconfigFile,
      PATH: `${dirname(real.kubectl)}:${process.env.PATH}`,
    });
    expect(exit, output).toBe(0);
  };

  /** Ways to install a chart in a cluster. */
  const ways = {
    'helm, by server-side apply': (release: string) => byHelm(release, 'true'),
    'helm, by patches as Helm 3 does': (release: string) => byHelm(release, 'false'),
    'a GitOps tool, by server-side apply': () => byApply('--server-side', '--field-manager=gitops'),
    'kubectl apply': () => byApply(),
  };
  interface Way {
    install(release: string, chart: string, valuesFile: string): Promise<unknown>;
    upgrade(release: string, chart: string, valuesFile: string): Promise<unknown>;
    remove(release: string, objects: readonly KubeObject[]): Promise<unknown>;
  }
  function byHelm(name: string, serverSide: string): Way {
    const flags = (valuesFile: string) => ['--values', valuesFile, `--server-side=${serverSide}`];
    return {
      install: (release, chart, valuesFile) => succeeds('install', release, chart, ...flags(valuesFile)),
      upgrade: (release, chart, valuesFile) => succeeds('upgrade', release, chart, ...flags(valuesFile)),
      remove: () => helm.run('uninstall', name, '--namespace', NAMESPACE),
    };
  }
  function byApply(...flags: string[]): Way {
    const apply: Way['install'] = async (release, chart, valuesFile) =>
      byKubectl('apply', await rendered(release, chart, valuesFile), ...flags);
    return { install: apply, upgrade: apply, remove: (_, objects) => byKubectl('delete', objects, '--ignore-not-found') };
  }

  // If no Deployment keeps its name, an apply cannot conflict with one.
  const cases = upgrades.flatMap((upgrade) =>
    Object.entries(ways)
      .filter(([way]) => upgrade.deployment !== undefined || way.startsWith('helm'))
      .map(([way, of]) => ({ ...upgrade, way, of })),
  );
  it.each(cases)(
    '$what is upgraded by $way',
    async ({ before, had = {}, release, after, values, serverSideNeeds, later = [], deployment, way: name, of }) => {
      const [old, chart] = [join(FIXTURES, before), join(CHARTS, after)];
      const valuesOf = (set: object) => helm.valuesFile({ ...set, ...(after === 'serin' && { crds: { install: false } }) });
      const [first, file] = [helm.valuesFile(had), valuesOf(values)];
      const [was, is] = [await rendered(release, old, first), await rendered(release, chart, file)];
      const way = of(release);
      const section = name.includes('server-side') ? serverSideNeeds : undefined;
      const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: deployment ?? '', namespace: NAMESPACE };
      try {
        await way.install(release, old, first);
        if (section !== undefined) {
          await expect(way.upgrade(release, chart, file)).rejects.toThrow(/strategy `type` is 'Recreate'/);
          await byTheBook(section);
        }
        const then = deployment === undefined ? undefined : await real.cluster.get(ref);
        await way.upgrade(release, chart, file);
        for (const object of is) expect(await real.cluster.get(refOf(object)), `${object.kind} ${object.metadata.name}`).toBeDefined();
        const [wanted] = is.filter(({ kind }) => kind === 'Deployment');
        const now = await real.cluster.get({ ...ref, name: wanted?.metadata.name ?? '' });
        expect(raw(now)?.spec.strategy.type).toBe(raw(wanted)?.spec.strategy.type);
        expect(raw(now)?.spec.template.spec.containers.map(({ name }: { name: string }) => name)).toContain(after);
        if (then) {
          expect(now?.metadata.uid).toBe(then.metadata.uid);
          expect(raw(now)?.spec.selector).toEqual(raw(then).spec.selector);
          // A tool that patches or applies drops what it no longer wants.
          expect(raw(now)?.spec.template.spec.containers).toHaveLength(1);
          const { livenessProbe, volumeMounts = [] } = raw(now)?.spec.template.spec.containers[0] ?? {};
          expect(livenessProbe.exec).toBeUndefined();
          expect(volumeMounts.map(({ name }: { name: string }) => name)).not.toContain('kubeconfig');
        }
        for (const set of later) {
          const objects = await rendered(release, chart, valuesOf(set));
          is.push(...objects);
          await way.upgrade(release, chart, valuesOf(set));
          const [next] = objects.filter(({ kind }) => kind === 'Deployment');
          expect(raw(await real.cluster.get(ref))?.spec.strategy).toEqual(raw(next)?.spec.strategy);
        }
      } finally {
        await way.remove(release, [...was, ...is]);
      }
      for (const object of [...was, ...is]) await until(real.cluster, refOf(object), 'is gone', (now) => now === undefined);
    },
  );
});
