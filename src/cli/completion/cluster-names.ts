import { apiVersion } from '../../api/canary.ts';
import { knativeApiVersion } from '../../api/knative.ts';
import { loadConnection } from '../../kube/connect.ts';
import { createCluster } from '../../kube/create-cluster.ts';
import { contextsIn } from '../../kube/kubeconfig.ts';
import type { Known } from '../canaries/flags.ts';
import type { GivenFlags } from './completions.ts';

const KINDS = {
  canaries: { apiVersion, kind: 'Canary' },
  knativeServices: { apiVersion: knativeApiVersion, kind: 'Service' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace' },
} as const;

/** Names for a shell, which waits for them with a key held down: what does not come within `withinMs` is not there, and nothing is said of it. */
export async function clusterNames(
  what: Exclude<Known, 'files'>,
  given: GivenFlags,
  { env, withinMs }: { env: NodeJS.ProcessEnv; withinMs: number },
): Promise<string[]> {
  const late = Promise.withResolvers<string[]>();
  const timer = setTimeout(() => late.resolve([]), withinMs);
  try {
    // A credential plugin may ask for a password; nobody waits for that.
    return await Promise.race([late.promise, names(what, given, { env, withinMs })]);
  } catch {
    // A shell that completes has no place for an error; the command itself will tell it.
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function names(
  what: Exclude<Known, 'files'>,
  given: GivenFlags,
  { env, withinMs }: { env: NodeJS.ProcessEnv; withinMs: number },
): Promise<string[]> {
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
