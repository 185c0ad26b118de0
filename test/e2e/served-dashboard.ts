import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { dashboardPermissions } from '../../src/controller/permissions.ts';
import { program } from '../fakes/program.ts';
import { raw } from '../fakes/raw.ts';
import { applyCrds, OWN_CRDS } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

export const RBAC = { group: 'rbac.authorization.k8s.io', apiVersion: 'rbac.authorization.k8s.io/v1' };

/** Of the two Canaries, by namespace. */
export const canaryRef = (namespace: string): ObjectRef => ({
  apiVersion: 'flagger.app/v1beta1',
  kind: 'Canary',
  namespace,
  name: `shop-${namespace}`,
});

/** The dashboard of a controller process, with its rights, on a real control plane with two Canaries and three users. */
export class ServedDashboard {
  readonly real: RealCluster;
  readonly controller: GuardedProcess;
  /** Of a port-forward. */
  readonly localPort: number;
  /** Of the Service; 0 without an origin. */
  readonly port: number;

  private constructor(real: RealCluster, controller: GuardedProcess, { localPort, port = 0 }: { localPort: number; port?: number }) {
    this.real = real;
    this.controller = controller;
    this.localPort = localPort;
    this.port = port;
  }

  /** `origin`: of the page behind an ingress. */
  static async start(origin?: string): Promise<ServedDashboard> {
    const real = await startRealCluster({ moreControllers: [] });
    await applyCrds(real.cluster, [OWN_CRDS]);
    for (const object of objects()) await real.cluster.create(object);
    const flags = ['--kubeconfig', real.kubeconfigFile, '--port', '0', '--dashboard', '--dashboard-local-port', '0', '--dashboard-verbs'];
    const ofService = origin === undefined ? [] : ['--dashboard-port', '0', '--dashboard-url', origin];
    const logFile = join(real.folder, 'controller.log');
    const controller = startGuarded('serin', [process.execPath, program(), 'controller', ...flags, ...ofService], logFile);
    const line = await eventually(
      'the dashboard is served',
      async () => /.*the dashboard is served.*/.exec(readFileSync(logFile, 'utf8'))?.[0],
    );
    return new ServedDashboard(real, controller, JSON.parse(line ?? '{}'));
  }

  /** Of an account of namespace `a`: `editor`, who may patch there, `viewer`, who reads all, or `stranger`. */
  async token(name: string, audience?: string): Promise<string> {
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { ...(audience && { audiences: [audience] }) } };
    const path = `/api/v1/namespaces/a/serviceaccounts/${name}/token`;
    return raw((await this.real.cluster.raw('POST', path, request)) as KubeObject).status.token;
  }

  get log(): string {
    return readFileSync(this.controller.logFile, 'utf8');
  }

  async stop(): Promise<void> {
    await this.controller.stop();
    await this.real.stop();
  }
}

function objects(): KubeObject[] {
  const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'a', name } });
  const bound = (kind: 'Role' | 'ClusterRole', name: string, rules: object[], subject: object): KubeObject[] => {
    const metadata = { name, ...(kind === 'Role' && { namespace: 'a' }) };
    const roleRef = { apiGroup: RBAC.group, kind, name };
    return [
      { apiVersion: RBAC.apiVersion, kind, metadata, rules },
      { apiVersion: RBAC.apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects: [subject] },
    ];
  };
  const canary = (name: string): KubeObject => ({
    ...{ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { namespace: name, name: `shop-${name}` } },
    spec: {
      ...{ provider: 'kubernetes', targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `shop-${name}` } },
      ...{ service: { port: 80 }, analysis: { interval: '1m', threshold: 5, iterations: 3 } },
    },
  });
  const canaries = (verbs: string[]) => ({ apiGroups: ['flagger.app'], resources: ['canaries'], verbs });
  const subject = (name: string) => ({ kind: 'ServiceAccount', namespace: 'a', name });
  const ofController = [...dashboardPermissions.views, ...dashboardPermissions.reviews].map(({ group, resources, verbs }) => ({
    apiGroups: [group],
    resources,
    verbs,
  }));
  return [
    ...['a', 'b'].map(namespace),
    ...['editor', 'viewer', 'stranger'].map(account),
    ...bound('Role', 'editor', [canaries(['get', 'list', 'watch', 'patch'])], subject('editor')),
    ...bound('ClusterRole', 'viewer', [canaries(['get', 'list', 'watch'])], subject('viewer')),
    ...bound('ClusterRole', 'dashboard', ofController, { apiGroup: RBAC.group, kind: 'User', name: 'serin' }),
    ...['a', 'b'].map(canary),
  ];
}
