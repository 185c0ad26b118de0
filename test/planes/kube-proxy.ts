import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKubeProxy } from '../../scripts/e2e-kube-proxy.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { ADDRESSES } from './ground.ts';
import { untilReady } from './until-ready.ts';

export type ProxyMode = 'nftables' | 'iptables';

export interface KubeProxy {
  logTail(): string;
  /** Its rules end with it. */
  stop(): Promise<void>;
}

const SERVICE_RANGE = '10.96.0.0/16';

/** The real kube-proxy of a node, in the network namespace of this tier. The node has to exist. */
export async function startKubeProxy(kubeconfigFile: string, { node, mode }: { node: string; mode: ProxyMode }): Promise<KubeProxy> {
  const program = await ensureKubeProxy();
  // Rules are for packets on their way: without a route none sets out for the address of a Service.
  execFileSync('ip', ['route', 'replace', SERVICE_RANGE, 'dev', 'lo', 'src', ADDRESSES.client]);
  const folder = mkdtempSync(join(tmpdir(), 'serin-kube-proxy-'));
  const health = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--kubeconfig=${kubeconfigFile}`,
    `--hostname-override=${node}`,
    `--proxy-mode=${mode}`,
    `--healthz-bind-address=${health}`,
    `--metrics-bind-address=127.0.0.1:${await freePort()}`,
    '--cluster-cidr=10.244.0.0/16',
    // Limits of the whole machine, which are not ours to set.
    '--conntrack-max-per-core=0',
    '--conntrack-tcp-timeout-established=0s',
    '--conntrack-tcp-timeout-close-wait=0s',
    '--nodeport-addresses=primary',
  ];
  const proxy = startGuarded('kube-proxy', [program, ...flags], join(folder, 'log'));
  const stop = async () => {
    await proxy.stop('TERM');
    execFileSync(program, ['--cleanup', `--proxy-mode=${mode}`], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  };
  await untilReady({ name: 'kube-proxy', url: `http://${health}/healthz`, processes: [proxy], logTail: () => proxy.logTail(), stop });
  return { logTail: () => proxy.logTail(), stop };
}
