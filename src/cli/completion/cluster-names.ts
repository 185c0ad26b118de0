import { apiVersion } from '../../api/canary.ts';
import { knativeApiVersion } from '../../api/knative.ts';
import { loadConnection } from '../../kube/connect.ts';
import { createCluster } from '../../kube/create-cluster.ts';
import { contextsIn } from '../../kube/kubeconfig.ts';
import type { CompletionKind } from '../canaries/flags.ts';
import type { GivenFlags } from './completions.ts';

const KINDS = {
  canaries: { apiVersion, kind: 'Canary' },
  knativeServices: { apiVersion: knativeApiVersion, kind: 'Service' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace' },
} as const;

/** Names for a shell that waits while the user types: none after `withinMs`, and none on an error. */
export async function clusterNames(
  what: Exclude<CompletionKind, 'files'>,
  given: GivenFlags,
  options: { env: NodeJS.ProcessEnv; withinMs: number },
): Promise<string[]> {
  const late = Promise.withResolvers<string[]>();
  const timer = setTimeout(() => late.resolve([]), options.withinMs);
  try {
    // A credential plugin can prompt for a password: do not wait for it.
    return await Promise.race([late.promise, names(what, given, options)]);
  } catch {
    // A shell cannot show an error while it completes; the command itself reports it.
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function names(...[what, given, { env, withinMs }]: Parameters<typeof clusterNames>): Promise<string[]> {
  const [file, context, namespace] = ['--kubeconfig', '--context', '--namespace'].map((flag) => given.get(flag));
  const kubeconfig = typeof file === 'string' ? file : env.KUBECONFIG;
  const options = kubeconfig ? { kubeconfig } : {};
  if (what === 'contexts') return contextsIn(options).sort();
  const connection = await loadConnection({ userAgent: 'serin-cli', env, ...options, ...(typeof context === 'string' ? { context } : {}) });
  const cluster = createCluster(connection, { requestTimeoutMs: withinMs });
  try {
    const place = what === 'namespaces' ? {} : { namespace: typeof namespace === 'string' ? namespace : connection.namespace };
    const { items } = await cluster.list({ ...KINDS[what], ...place }, { metadataOnly: true });
    return items.map(({ metadata }) => metadata.name).sort();
  } finally {
    cluster.close();
  }
}
