import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControllerProcess, newLogFile, startController } from '../controller.ts';
import type { Environment } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { fetchText } from '../world.ts';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';

export interface LeaseTimes {
  leaseDurationS: number;
  renewDeadlineS: number;
  retryPeriodMs: number;
}

const READS = new Set(['get', 'list', 'watch']);

/** One of several controllers that elect a leader, with a network of its own to the API server. */
export class Replica {
  readonly process: ControllerProcess;
  readonly network: CuttableProxy;

  private constructor(process: ControllerProcess, network: CuttableProxy) {
    this.process = process;
    this.network = network;
  }

  static async start(environment: Environment, namespace: string, lease: LeaseTimes, other: Record<string, string> = {}): Promise<Replica> {
    const kubeconfig = readFileSync(environment.kubeconfigFile, 'utf8');
    const [server = '', port = ''] = /https?:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig) ?? [];
    const network = await startCuttableProxy(Number(port));
    const kubeconfigFile = join(mkdtempSync(join(tmpdir(), 'serin-replica-')), 'kubeconfig');
    writeFileSync(kubeconfigFile, kubeconfig.replaceAll(server, server.replace(port, String(network.port))));
    const flags = {
      namespace,
      'min-analysis-interval': '500ms',
      'scale-down-delay': '500ms',
      'enable-leader-election': 'true',
      'lease-duration': `${lease.leaseDurationS}s`,
      'renew-deadline': `${lease.renewDeadlineS}s`,
      'retry-period': `${lease.retryPeriodMs}ms`,
      ...other,
    };
    const process = startController({ kubeconfigFile, prometheusUrl: environment.prometheusUrl }, flags, newLogFile());
    const replica = new Replica(process, network);
    await eventually('the replica has started', () => replica.#port() !== undefined || process.hasExited());
    return replica;
  }

  /** True if its metrics report that it leads; false for a replica that has ended or is halted. */
  async leads(): Promise<boolean> {
    return (await this.#metrics()).includes('\nserin_leader 1\n');
  }

  /** True if its metrics report that it is a standby; false for a replica that has ended or is halted. */
  async standsBy(): Promise<boolean> {
    return (await this.#metrics()).includes('\nserin_leader 0\n');
  }

  /** Requests that would change something, but for those about the lease. */
  async writes(): Promise<number> {
    const lines = (await this.#metrics()).matchAll(/^serin_api_requests_total\{verb="(\w+)",resource="([^"]+)".*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, verb = '', of, count]) => sum + (READS.has(verb) || of === 'leases' ? 0 : Number(count)), 0);
  }

  async end(): Promise<void> {
    await this.process.stop('KILL');
    await this.network.stop();
  }

  #port(): string | undefined {
    return /"port":(\d+),"msg":"serin controller started"/.exec(readFileSync(this.process.logFile, 'utf8'))?.[1];
  }

  async #metrics(): Promise<string> {
    if (this.process.hasExited()) return '';
    try {
      return (await fetchText(`http://127.0.0.1:${this.#port()}/metrics`, { timeoutMs: 2_000 })).text;
    } catch {
      return ''; // it is halted, or was killed a moment ago
    }
  }
}
