import { parseDuration } from '../../api/duration.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { loadConnection } from '../../kube/connect.ts';
import { createCluster } from '../../kube/create-cluster.ts';
import { isOfCluster } from '../../kube/is-of-cluster.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import { CommandError, type ExitName, exitCodes, usageError } from '../output/exit-codes.ts';
import { Output, type OutputFlags, processStreams, type Streams } from '../output/output.ts';

/** Flags in the form of `withKubectlFlags`. */
export interface ClusterFlags extends OutputFlags {
  kubeconfig?: string;
  master?: string;
  context?: string;
  namespace?: string;
  allNamespaces?: boolean;
  requestTimeout?: string;
}

/** Input of a command on a cluster. */
export interface Session {
  cluster: KubeCluster;
  /** Absent for all namespaces. */
  namespace: string | undefined;
  /** The user's name in the kubeconfig. */
  user?: string | undefined;
  output: Output;
  /** Default: the machine's. */
  clock?: Clock;
  /** The flags that chose the cluster, for commands that are shown to be copied; kubectl has the same. */
  clusterFlags?: readonly string[];
}

/** The part of a session for commands that only read. */
export type ReadSession = Pick<Session, 'namespace' | 'output'> & { cluster: ClusterReader };

/** Around the process, for tests. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  streams: Streams;
  /** Where the cluster is not reached by TCP. */
  connect?: typeof loadConnection;
  clock?: Clock;
}

const ofProcess = (): Surroundings => ({ env: process.env, streams: processStreams() });

/** Runs a command against the cluster that the flags choose. An error is one line on stderr, and an exit code. */
export function onCluster(
  flags: ClusterFlags,
  act: (session: Session) => Promise<ExitName>,
  around: Surroundings = ofProcess(),
): Promise<number> {
  return guarded(flags, around, (output) => connected(flags, { around, output }, act));
}

/** Calls `act` with a session on the cluster that the flags choose. Throws if it cannot be chosen. */
export async function connected(
  flags: ClusterFlags,
  { around = ofProcess(), output }: { around?: Surroundings | undefined; output: Output },
  act: (session: Session) => Promise<ExitName>,
): Promise<ExitName> {
  const requestTimeoutMs = parseDuration(flags.requestTimeout ?? '30s');
  if (requestTimeoutMs === undefined || requestTimeoutMs <= 0)
    throw usageError(`--request-timeout ${flags.requestTimeout} must be a duration above 0, like 30s or 1m30s`);
  const chosen = flags.kubeconfig || around.env.KUBECONFIG || '';
  const { connect = loadConnection, clock = systemClock } = around;
  const connection = await connect({
    userAgent: 'serin-cli',
    env: around.env,
    ...(chosen && { kubeconfig: chosen }),
    ...(flags.master && { master: flags.master }),
    ...(flags.context && { context: flags.context }),
  });
  const cluster = createCluster(connection, { requestTimeoutMs, clock });
  try {
    const namespace = flags.allNamespaces === true ? undefined : flags.namespace || connection.namespace;
    return await act({ cluster, namespace, user: connection.userName, output, clock, clusterFlags: clusterFlagsOf(flags) });
  } finally {
    cluster.close();
  }
}

/** Flags in the form for a shell. */
function clusterFlagsOf({ kubeconfig, context }: ClusterFlags): string[] {
  const flag = (name: string, value: string | undefined) => (value ? [`--${name}=${forShell(value)}`] : []);
  return [...flag('kubeconfig', kubeconfig), ...flag('context', context)];
}

function forShell(word: string): string {
  return /^[\w./:@+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The same for a command without a cluster. */
export async function guarded(flags: OutputFlags, around = ofProcess(), act: (output: Output) => Promise<ExitName>): Promise<number> {
  const output = new Output(flags, around.env, around.streams);
  try {
    return exitCodes[await act(output)].code;
  } catch (error) {
    const exit = exitOf(error);
    output.note(`Error: ${error instanceof Error ? error.message : String(error)}`);
    if (exit === 'fault') output.note('This is a bug in Serin: please report it, and attach the archive of `serin report`.');
    return exitCodes[exit].code;
  }
}

function exitOf(error: unknown): ExitName {
  if (error instanceof CommandError) return error.exit;
  if (error instanceof ReadingError) return error.why;
  return isOfCluster(error) ? 'unanswered' : 'fault';
}
