import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { RealEnvironment } from '../scenarios/environment.ts';
import { manifestsOf, type Way } from '../scenarios/reinstall.ts';
import { startHelm } from './helm.ts';

const LABEL = 'app.kubernetes.io/part-of=web';
const [labelKey = '', labelValue = ''] = LABEL.split('=');
const PRUNED = ['core/v1/Service', 'apps/v1/Deployment', 'flagger.app/v1beta1/Canary'];

/** Tools that install applications: kubectl with files, by label or with Kustomize's prune, and Helm. `stop` removes the files. */
export async function usualWays({ kubectl, adminKubeconfigFile }: RealEnvironment): Promise<{ ways: Way[]; stop(): void }> {
  const helm = await startHelm(adminKubeconfigFile);
  const folder = mkdtempSync(join(tmpdir(), 'serin-ways-'));
  const fileOf = (namespace: string, version: string): string => {
    const file = join(folder, `${namespace}.yaml`);
    const { deployment, service, canary } = manifestsOf(namespace, version);
    const labelled = [deployment, service, canary].map((one) => ({
      ...one,
      metadata: { ...one.metadata, labels: { [labelKey]: labelValue } },
    }));
    writeFileSync(file, labelled.map((one) => stringify(one)).join('---\n'));
    return file;
  };
  const apply = async (namespace: string, version: string) => {
    await kubectl('apply', '-f', fileOf(namespace, version));
  };
  const run = async (...args: string[]) => {
    const { code, complained } = await helm.run(...args);
    if (code !== 0) throw new Error(complained);
  };
  const ways: Way[] = [
    {
      name: 'kubectl-delete-f',
      install: apply,
      async remove(namespace) {
        await kubectl('delete', '-f', fileOf(namespace, '1'));
      },
    },
    {
      name: 'kubectl-delete-l',
      install: apply,
      async remove(namespace) {
        await kubectl('delete', 'canaries,deployments,services', '-n', namespace, '-l', LABEL);
      },
    },
    {
      name: 'kustomize-prune',
      async install(namespace, version) {
        await prune(kubectl, kustomization(join(folder, `kustomize-${namespace}`), namespace, version), namespace);
      },
      async remove(namespace) {
        await prune(kubectl, kustomization(join(folder, `kustomize-${namespace}`), namespace), namespace);
      },
    },
    {
      name: 'helm',
      async install(namespace, version) {
        await run('install', 'web', chart(join(folder, 'chart')), '--namespace', namespace, '--set-string', `version=${version}`);
      },
      async remove(namespace) {
        await run('uninstall', 'web', '--namespace', namespace);
      },
    },
  ];
  return {
    ways,
    stop() {
      helm.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function prune(kubectl: RealEnvironment['kubectl'], folder: string, namespace: string): Promise<void> {
  const allowed = PRUNED.map((kind) => `--prune-allowlist=${kind}`);
  await kubectl('apply', '-k', folder, '-n', namespace, '--prune', '-l', LABEL, ...allowed);
}

/** An undefined version leaves the application out; a ConfigMap stays, since kubectl does not apply an empty folder. */
function kustomization(folder: string, namespace: string, version?: string): string {
  mkdirSync(folder, { recursive: true });
  const { deployment, service, canary } = manifestsOf(namespace, version ?? '1');
  const stays = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stays', namespace } };
  const resources = [stays, ...(version === undefined ? [] : [service, deployment, canary])];
  const files = resources.map((one) => `${one.kind.toLowerCase()}.yaml`);
  for (const [index, one] of resources.entries()) writeFileSync(join(folder, files[index] ?? ''), stringify(one));
  writeFileSync(join(folder, 'kustomization.yaml'), stringify({ resources: files, labels: [{ pairs: { [labelKey]: labelValue } }] }));
  return folder;
}

/** The same manifests as templates. */
function chart(folder: string): string {
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), stringify({ apiVersion: 'v2', name: 'web', version: '1.0.0' }));
  const { deployment, service, canary } = manifestsOf('{{ .Release.Namespace }}', '{{ .Values.version }}');
  writeFileSync(join(folder, 'templates', 'app.yaml'), [deployment, service, canary].map((one) => stringify(one)).join('---\n'));
  return folder;
}
