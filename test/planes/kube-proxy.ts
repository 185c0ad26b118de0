import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKubeProxy } from '../../scripts/e2e-kube-proxy.ts';
import { freePort } from '../e2e/free-port.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import type { FarNode } from './far-node.ts';
import { ADDRESSES } from './ground.ts';
import { untilReady } from './until-ready.ts';

export type ProxyMode = 'nftables' | 'iptables';

export interface KubeProxy {
  logTail(): string;
  /** Its rules end with it. */
  stop(): Promise<void>;
}

const SERVICE_RANGE = '10.96.0.0/16';

interface KubeProxyOptions {
  node: string;
  mode: ProxyMode;
  /** Node in whose namespace it runs; default: the tier's own network namespace. */
  far?: FarNode;
}

/** The real kube-proxy of a node, which has to exist. */
export async function startKubeProxy(kubeconfigFile: string, { node, mode, far }: KubeProxyOptions): Promise<KubeProxy> {
  const program = await ensureKubeProxy();
  const at = (words: readonly [string, ...string[]]): [string, ...string[]] => [...(far?.enter ?? []), ...words] as [string, ...string[]];
  const run = ([command, ...args]: readonly [string, ...string[]]) => execFileSync(command, args, { stdio: 'ignore' });
  // Rules are for packets on their way: without a route none sets out for the address of a Service.
  const source = far ? [] : ['src', ADDRESSES.client];
  run(at(['ip', 'route', 'replace', SERVICE_RANGE, 'dev', far?.device ?? 'lo', ...source]));
  const folder = mkdtempSync(join(tmpdir(), 'serin-kube-proxy-'));
  const health = `${far?.address ?? '127.0.0.1'}:${await freePort()}`;
  const flags = [
    `--kubeconfig=${far?.kubeconfigFile ?? kubeconfigFile}`,
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
  const proxy = startGuarded('kube-proxy', at([program, ...flags]), join(folder, 'log'));
  const stop = async () => {
    await proxy.stop('TERM');
    run(at([program, '--cleanup', `--proxy-mode=${mode}`]));
    rmSync(folder, { recursive: true, force: true });
  };
  await untilReady({ name: 'kube-proxy', url: `http://${health}/healthz`, processes: [proxy], logTail: () => proxy.logTail(), stop });
  return { logTail: () => proxy.logTail(), stop };
}
