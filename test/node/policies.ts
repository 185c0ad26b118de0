import { join } from 'node:path';
import { ensureKubeRouter } from '../../scripts/e2e-kube-router.ts';
import { type GuardedProcess, startGuarded } from '../scenarios/guarded-process.ts';
import type { RealNode } from './real-node.ts';
import { ranCommand, until } from './started.ts';

/** Enforces the NetworkPolicies of the cluster for the pods of this node, by kube-router without its routes and its Services. */
export async function enforcePolicies(node: RealNode): Promise<GuardedProcess> {
  const { plane, name } = node;
  const flags = [
    ...['--run-firewall=true', '--run-router=false', '--run-service-proxy=false', '--run-loadbalancer=false'],
    ...[`--kubeconfig=${plane.adminKubeconfigFile}`, `--hostname-override=${name}`, '--service-cluster-ip-range=10.96.0.0/16'],
    ...['--health-port=0', '--metrics-port=0'],
  ];
  const router = startGuarded('kube-router', [await ensureKubeRouter(), ...flags], join(plane.folder, 'kube-router.log'));
  await until(router, 'its rules are set', async () => {
    const rules = await ranCommand('iptables', ['-S', 'KUBE-ROUTER-FORWARD']);
    if (!rules.includes('-j ACCEPT')) throw new Error(rules);
  });
  return router;
}
