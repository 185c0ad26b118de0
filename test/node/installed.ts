import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { CHARTS, type Helm, type Ran, runProgram, startHelm } from '../e2e/helm.ts';
import { program } from '../fakes/program.ts';
import type { RealNode } from './real-node.ts';

/** Serin on a node, by its image and chart. */
export interface Installed {
  readonly helm: Helm;
  /** A command of `serin` as an administrator. */
  serin(...args: string[]): Promise<Ran>;
  /** Applies a manifest. */
  apply(...objects: object[]): Promise<void>;
}

const NAMESPACE = 'serin';

/** In a namespace under the restricted Pod Security Standard; with these values of the chart. */
export async function installSerin(node: RealNode, values: object = {}): Promise<Installed> {
  const helm = await startHelm(node.plane.adminKubeconfigFile);
  await node.kubectl('create', 'namespace', NAMESPACE);
  await node.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted');
  const file = helm.valuesFile({ meshProvider: 'kubernetes', ...values });
  const installed = await helm.run(
    'install',
    'serin',
    join(CHARTS, 'serin'),
    '--namespace',
    NAMESPACE,
    '--values',
    file,
    '--wait',
    '--timeout',
    '4m',
  );
  expect(installed.complained + installed.said).toContain('STATUS: deployed');
  return { helm, ...administrator(node) };
}

/** Commands of an administrator. */
export function administrator(node: RealNode): Omit<Installed, 'helm'> {
  const KUBECONFIG = node.plane.adminKubeconfigFile;
  return {
    serin: (...args) => runProgram(process.execPath, [program(), ...args], { KUBECONFIG }),
    async apply(...objects) {
      const text = objects.map((one) => stringify(one)).join('---\n');
      const applied = await runProgram(node.plane.kubectl, ['apply', '-f', '-'], { KUBECONFIG }, text);
      if (applied.code !== 0) throw new Error(applied.complained);
    },
  };
}
