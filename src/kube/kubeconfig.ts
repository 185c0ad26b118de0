import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import * as z from 'zod';

/** The credentials cannot be read. The message is one line that names the file and the remedy, and holds no secret. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/** No file and no service account names a cluster. */
export class NoKubeconfigError extends KubeconfigError {}

export interface KubeconfigOptions {
  /** Paths, separated as in PATH, the first entry of a name winning, or a kubeconfig's text. If `undefined`, the pod's service account, else `homeFile`. */
  kubeconfig?: string;
  /** Replaces the server's URL. */
  master?: string;
  /** Default: the file's current context. */
  context?: string;
  /** Folder of the pod's service account: `token`, `ca.crt` and `namespace`. */
  serviceAccountFolder?: string;
  /** Default: `~/.kube/config`. */
  homeFile?: string;
  /** For KUBERNETES_SERVICE_HOST and _PORT, and the proxy variables. Default: none. */
  env?: Readonly<Record<string, string | undefined>>;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export const ExecConfig = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  apiVersion: z.string().default('client.authentication.k8s.io/v1'),
  installHint: z.string().optional(),
  provideClusterInfo: z.boolean().nullish(),
});
export type ExecConfig = z.infer<typeof ExecConfig>;

/** The fields of a kubeconfig that are used here; client-node reads the rest. */
const ClusterEntry = z.looseObject({
  server: z.string().min(1),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'proxy-url': z.string().optional(),
});
const UserEntry = z.looseObject({
  'client-certificate': z.string().optional(),
  'client-key': z.string().optional(),
  tokenFile: z.string().optional(),
  exec: ExecConfig.nullish(),
});
const ContextEntry = z.looseObject({ cluster: z.string(), user: z.string().optional(), namespace: z.string().optional() });
const named = z.array(z.looseObject({ name: z.string() })).nullish();
const File = z.looseObject({ 'current-context': z.string().nullish(), clusters: named, users: named, contexts: named });

/** One cluster, seen as one user. */
export interface Identity {
  /** For messages: the file, or the source used instead. */
  from: string;
  cluster: z.infer<typeof ClusterEntry>;
  user: z.infer<typeof UserEntry>;
  /** The user's name in the kubeconfig, which can differ from the API server's. */
  userName?: string;
  namespace: string;
}

/** The cluster and the user that the options choose; every path in them is absolute. */
export function readKubeconfig(options: KubeconfigOptions): Identity {
  const identity = found(options);
  return options.master === undefined ? identity : { ...identity, cluster: { ...identity.cluster, server: options.master } };
}

function found(options: KubeconfigOptions): Identity {
  const { kubeconfig, master, env = {}, homeFile = join(homedir(), '.kube', 'config') } = options;
  if (kubeconfig !== undefined) return choose(kubeconfig, options);
  const folder = options.serviceAccountFolder ?? SERVICE_ACCOUNT;
  if (env.KUBERNETES_SERVICE_HOST && existsSync(join(folder, 'token'))) return serviceAccount(folder, env);
  if (existsSync(homeFile)) return choose(homeFile, options);
  if (master !== undefined) return { from: '--master', cluster: { server: master }, user: {}, namespace: 'default' };
  throw new NoKubeconfigError(
    `no credentials: ${homeFile} and a service account were not found; give --kubeconfig FILE, set KUBECONFIG, or give --master URL`,
  );
}

function serviceAccount(folder: string, env: NonNullable<KubeconfigOptions['env']>): Identity {
  const host = env.KUBERNETES_SERVICE_HOST ?? '';
  const namespaceFile = join(folder, 'namespace');
  const ca = join(folder, 'ca.crt');
  return {
    from: `service account in ${folder}`,
    cluster: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT || '443'}`,
      ...(existsSync(ca) ? { 'certificate-authority': ca } : {}),
    },
    user: { tokenFile: join(folder, 'token') },
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() || 'default' : 'default',
  };
}

interface NamedEntry {
  raw: Record<string, unknown>;
  /** Relative paths start here. */
  folder: string;
}

interface Merged {
  current: string | undefined;
  clusters: Map<string, NamedEntry>;
  users: Map<string, NamedEntry>;
  contexts: Map<string, NamedEntry>;
}

/** The names of the selectable contexts. A pod has none. */
export function contextsIn({ kubeconfig, homeFile = join(homedir(), '.kube', 'config') }: KubeconfigOptions): string[] {
  return [...mergedOf(kubeconfig ?? homeFile).merged.contexts.keys()];
}

function mergedOf(kubeconfig: string): { from: string; merged: Merged } {
  const isText = /\n|^\s*\{/.test(kubeconfig);
  const from = isText ? 'the kubeconfig' : kubeconfig;
  const merged: Merged = { current: undefined, clusters: new Map(), users: new Map(), contexts: new Map() };
  if (isText) merge(merged, kubeconfig, from, process.cwd());
  else for (const file of filesOf(kubeconfig)) merge(merged, textOf(file), file, dirname(resolve(file)));
  return { from, merged };
}

function choose(kubeconfig: string, options: KubeconfigOptions): Identity {
  const { from, merged } = mergedOf(kubeconfig);
  const contexts = [...merged.contexts.keys()].join(', ') || 'none';
  const name = options.context ?? merged.current;
  if (!name) {
    if (options.master !== undefined && merged.contexts.size === 0)
      return { from, cluster: { server: options.master }, user: {}, namespace: 'default' };
    throw new KubeconfigError(`${from}: no current-context is set: set it with kubectl config use-context (contexts: ${contexts})`);
  }
  const context = merged.contexts.get(name);
  if (context === undefined)
    throw new KubeconfigError(`${from}: no context named ${name} (contexts: ${contexts}): correct current-context, or add it`);
  const { cluster, user = '', namespace } = parsed(ContextEntry, context.raw.context, `${from}: context ${name}`);
  const clusterEntry = merged.clusters.get(cluster);
  if (clusterEntry === undefined)
    throw new KubeconfigError(`${from}: context ${name} names cluster ${cluster}, which is not in the file: add it`);
  const userEntry = merged.users.get(user);
  if (userEntry === undefined && user !== '')
    throw new KubeconfigError(`${from}: context ${name} names user ${user}, who is not in the file: add it`);
  return {
    from,
    cluster: absolute(parsed(ClusterEntry, clusterEntry.raw.cluster, `${from}: cluster ${cluster}`), clusterEntry.folder),
    user: userEntry ? absolute(parsed(UserEntry, userEntry.raw.user ?? {}, `${from}: user ${user}`), userEntry.folder) : {},
    ...(user !== '' && { userName: user }),
    namespace: namespace || 'default',
  };
}

/** Skips missing files of several, as kubectl does; a single one must exist. */
function filesOf(list: string): string[] {
  const files = list.split(delimiter).filter((file) => file !== '');
  const present = files.length > 1 ? files.filter((file) => existsSync(file)) : files;
  if (present.length === 0) throw new KubeconfigError(`${list}: none of these files exists: correct --kubeconfig or KUBECONFIG`);
  return present;
}

function textOf(file: string): string {
  try {
    if (statSync(file).isDirectory()) throw new KubeconfigError(`${file} is a folder: give the kubeconfig file in it`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') throw new KubeconfigError(`${file} does not exist: correct --kubeconfig or KUBECONFIG`, { cause });
    if (code === 'EACCES') throw new KubeconfigError(`${file} cannot be read: give this user read access (chmod, chown)`, { cause });
    throw cause;
  }
}

function merge(merged: Merged, text: string, from: string, folder: string): void {
  const document = parseDocument(text, { logLevel: 'silent' });
  const [broken] = document.errors;
  // The message shows only the place: the text there can be a secret.
  if (broken) throw new KubeconfigError(`${from} is not YAML (${broken.code}, line ${broken.linePos?.[0].line ?? '?'}): correct the file`);
  let raw: unknown;
  try {
    raw = document.toJS();
  } catch (cause) {
    throw new KubeconfigError(`${from} unfolds its aliases without end: write it without them`, { cause });
  }
  if (raw === null || raw === undefined)
    throw new KubeconfigError(`${from} is empty: a kubeconfig is written by your cluster's login command`);
  const file = parsed(File, raw, from);
  merged.current ||= file['current-context'] || undefined;
  for (const key of ['clusters', 'users', 'contexts'] as const)
    for (const entry of file[key] ?? []) if (!merged[key].has(entry.name)) merged[key].set(entry.name, { raw: entry, folder });
}

function parsed<T>(schema: z.ZodType<T>, raw: unknown, where: string): T {
  const read = schema.safeParse(raw);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.join('.');
  throw new KubeconfigError(`${where} is not a kubeconfig${path ? `: ${path}` : ''}: ${issue?.message ?? 'wrong shape'}: correct the file`);
}

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** Paths in a kubeconfig start at its own folder. */
function absolute<T extends Record<string, unknown>>(entry: T, folder: string): T {
  const changes = PATHS.map((key) => [key, entry[key]] as const)
    .filter((pair): pair is readonly [string, string] => typeof pair[1] === 'string' && pair[1] !== '' && !isAbsolute(pair[1]))
    .map(([key, path]) => [key, resolve(folder, path)]);
  const exec = ExecConfig.safeParse(entry.exec);
  // A command with a slash is a path. Other commands are searched on the PATH.
  const command =
    exec.success && /[\\/]/.test(exec.data.command) ? { exec: { ...exec.data, command: resolve(folder, exec.data.command) } } : {};
  return { ...entry, ...Object.fromEntries(changes), ...command };
}
