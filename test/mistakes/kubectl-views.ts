import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Output of kubectl for one Canary, and the time of the call. */
export interface KubectlView {
  atMs: number;
  get: string;
  /** Conditions and events of `kubectl describe`: its echo of the spec says nothing of a mistake. */
  describe: string;
}

export interface KubectlViews {
  of(namespace: string, name: string): KubectlView | undefined;
  stop(): Promise<void>;
}

const PAUSE_MS = 500;
const MOST_OUTPUT_BYTES = 20_000_000;

/** Calls `kubectl get` and `kubectl describe` again and again, for all Canaries of the cluster at once. */
export function startKubectlViews(kubectl: string, kubeconfigFile: string): KubectlViews {
  const run = async (...args: string[]): Promise<string> => {
    try {
      const { stdout } = await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfigFile, ...args], { maxBuffer: MOST_OUTPUT_BYTES });
      return stdout;
    } catch (error) {
      // A namespace that is being deleted beside it makes kubectl fail with part of the output.
      return String((error as { stdout?: string }).stdout ?? '');
    }
  };
  let views = new Map<string, KubectlView>();
  let isRunning = true;
  const look = async () => {
    while (isRunning) {
      const atMs = performance.now();
      const [listed, described] = await Promise.all([
        run('get', 'canaries', '--all-namespaces'),
        run('describe', 'canaries', '--all-namespaces', '--show-events=true'),
      ]);
      const lines = linesByName(listed);
      views = new Map(
        [...partsByName(described)].map(([name, part]) => [
          name,
          { atMs, get: lines.get(name) ?? '', describe: conditionsAndEvents(part) },
        ]),
      );
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  const looking = look();
  return {
    of: (namespace, name) => views.get(`${namespace}/${name}`),
    async stop() {
      isRunning = false;
      await looking;
    },
  };
}

function linesByName(listed: string): Map<string, string> {
  const [head = '', ...lines] = listed.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [namespace, name] = line.split(/ +/);
      return [`${namespace}/${name}`, `${head}\n${line}`];
    }),
  );
}

function partsByName(described: string): Map<string, string> {
  const parts = described.split(/^(?=Name: )/m).filter((part) => part.startsWith('Name:'));
  const field = (part: string, name: string) => new RegExp(`^${name}: +(\\S+)`, 'm').exec(part)?.[1];
  return new Map(parts.map((part) => [`${field(part, 'Namespace')}/${field(part, 'Name')}`, part]));
}

/** The block `Conditions` of the status, up to the next field beside it, and the table of events. */
export function conditionsAndEvents(described: string): string {
  const conditions = /^( +)Conditions:\n(?:\1 .*\n|\n)*/m.exec(described.slice(described.search(/^Status:/m)))?.[0] ?? '';
  const events = described.slice(described.search(/^Events:/m));
  return `${conditions}${events}`;
}
