import { runProgram } from '../e2e/helm.ts';

/**
 * The pod to which the kernel leads new connections from this port to a Service, by its entry of an earlier connection that the pod has reset; `undefined` if it has no such entry.
 * kube-proxy decides only where a connection has no entry, and the kernel keeps this one for 10 s (nf_conntrack_tcp_timeout_close), so that the pod refuses the next connection when
 * its process has ended. `stale-entry.test.ts` shows it without Serin.
 */
export async function staleEntry(service: string, port: number): Promise<string | undefined> {
  const ofPort = ['--orig-dst', service, '--orig-port-src', String(port)];
  const { said } = await runProgram('conntrack', ['-L', '-p', 'tcp', '--state', 'CLOSE', ...ofPort]);
  return podOf(said);
}

/** Assured is the entry of a connection that was established, and so led to this pod before. */
export const podOf = (entries: string): string | undefined =>
  /^tcp .* CLOSE src=\S+ dst=\S+ sport=\d+ dport=\d+ src=(\S+) .*\[ASSURED\]/m.exec(entries)?.[1];
