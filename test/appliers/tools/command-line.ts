import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Ran, runProgram } from '../../e2e/helm.ts';
import { raw } from '../../fakes/raw.ts';
import type { Applied, Applier } from '../applier.ts';

export interface CommandLine {
  kubeconfig: string;
  /** For files of its own. */
  folder: string;
}

export type Known = Pick<Applier, 'id' | 'name' | 'isRemedy'>;

/** `kubectl apply -f`, or another verb. */
export const kubectl = (
  program: string,
  { kubeconfig, folder }: CommandLine,
  known: Known,
  flags: readonly string[],
  verb: 'apply' | 'replace' = 'apply',
): Applier => ({
  ...known,
  async apply(namespace, manifests) {
    const file = join(folder, `${namespace}.yaml`);
    writeFileSync(file, listOf(manifests));
    return outcome(await runProgram(program, [verb, '--kubeconfig', kubeconfig, '-f', file, ...flags]));
  },
});

/** `helm upgrade --install` of a chart that contains the unmodified manifests. */
export const helm = (program: string, { kubeconfig, folder }: CommandLine, known: Known, flags: readonly string[]): Applier => {
  const env = {
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
  let installed = new Set<string>();
  return {
    ...known,
    async apply(namespace, manifests) {
      const chart = join(folder, `${known.id}-${namespace}`);
      mkdirSync(join(chart, 'templates'), { recursive: true });
      writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
      writeFileSync(join(chart, 'templates', 'all.yaml'), manifests.map((one) => JSON.stringify(one)).join('\n---\n'));
      const words = installed.has(namespace) ? ['upgrade', ...flags] : ['install', ...flags.filter((flag) => !flag.startsWith('--force'))];
      const ran = await runProgram(program, [...words, 'shop', chart, '--namespace', namespace], env);
      installed = installed.union(new Set([namespace]));
      return outcome(ran);
    },
  };
};

/** One sync by the engine of Argo CD. `options`: of the sync, for each manifest. `ignore`: `spec.ignoreDifferences`, which is respected. */
export const argo = (
  program: string,
  { kubeconfig, folder }: CommandLine,
  known: Known,
  { options, ignore }: { options?: string; ignore?: readonly object[] } = {},
): Applier => ({
  ...known,
  async apply(namespace, manifests) {
    const file = join(folder, `${known.id}-${namespace}.yaml`);
    const annotated =
      options === undefined ? manifests : manifests.map((one) => annotate(one, { 'argocd.argoproj.io/sync-options': options }));
    writeFileSync(file, annotated.map((one) => JSON.stringify(one)).join('\n---\n'));
    const flags = ignore === undefined ? [] : ['--ignore-differences', JSON.stringify(ignore)];
    const ran = await runProgram(program, ['--kubeconfig', kubeconfig, '--namespace', namespace, '--file', file, ...flags]);
    const outOfSync = [...ran.said.matchAll(/^OutOfSync: (\w+)$/gm)].map(([, kind = '']) => kind);
    // For server-side apply, Argo CD computes the differences with a dry run on the server.
    return { ...outcome(ran), ...(options === undefined && { outOfSync }) };
  },
});

/**
 * The tool, whose user leaves out of the manifests what Serin writes, before the Canary arrives. `keep`: annotations of what is left out, so that the tool does not delete it.
 */
export function leavingOut(applier: Applier, keep: Record<string, string> = {}): Applier {
  let installed = new Set<string>();
  const isLeft = ({ kind }: KubeObject): boolean => kind !== 'Deployment';
  return {
    ...applier,
    async apply(namespace, manifests) {
      const reduced = manifests.filter((one) => !isLeft(one)).map(withoutReplicas);
      if (!installed.has(namespace)) {
        installed = installed.union(new Set([namespace]));
        const first = await applier.apply(
          namespace,
          manifests.map((one) => (isLeft(one) ? annotate(one, keep) : one)),
        );
        if (!first.isApplied) return first;
      }
      return applier.apply(namespace, reduced);
    },
  };
}

const annotate = (one: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...one,
  metadata: { ...one.metadata, annotations: { ...one.metadata.annotations, ...annotations } },
});

function withoutReplicas(deployment: KubeObject): KubeObject {
  const { replicas: _, ...spec } = raw(deployment).spec;
  return { ...deployment, spec };
}

const listOf = (items: readonly KubeObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

export function outcome({ code, said, complained }: Ran): Applied {
  const lines = `${said}\n${complained}`.split('\n').filter((line) => line.trim() !== '');
  const problem = lines.find((line) => /conflict|error|failed/i.test(line));
  return { isApplied: code === 0, said: (code === 0 ? '' : (problem ?? lines.at(-1) ?? '')).trim() };
}
