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

/**
 * The pod to which the kernel leads connections from this port to a Service, by an entry that no pod has answered; `undefined` if it has no such entry. The kernel keeps it for 120 s
 * (nf_conntrack_tcp_timeout_syn_sent) after the last packet, also when the node of the pod is lost and the Service no longer has the pod.
 */
export async function unansweredEntry(service: string, port: number): Promise<string | undefined> {
  const ofPort = ['--orig-dst', service, '--orig-port-src', String(port)];
  const { said } = await runProgram('conntrack', ['-L', '-p', 'tcp', '--state', 'SYN_SENT', ...ofPort]);
  return silentPodOf(said);
}

export const silentPodOf = (entries: string): string | undefined =>
  /^tcp .* SYN_SENT src=\S+ dst=\S+ sport=\d+ dport=\d+ \[UNREPLIED\] src=(\S+) /m.exec(entries)?.[1];

/** Assured is the entry of a connection that was established, and so led to this pod before. */
export const podOf = (entries: string): string | undefined =>
  /^tcp .* CLOSE src=\S+ dst=\S+ sport=\d+ dport=\d+ src=(\S+) .*\[ASSURED\]/m.exec(entries)?.[1];
