/**
 * Users in the network of a pod, whose address their requests have. As a program, `node test/node/pod-users.ts ADMISSION URL` in that network: sends
 * requests until its input ends, and prints what came of them.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { versionOf } from './applications.ts';
import { processesIn, type RealNode } from './real-node.ts';
import { startUsers } from './users.ts';

/** Results of the users of a pod. */
export interface PodAsked {
  sent: number;
  /** Versions that have answered. */
  versions: string[];
  lost: string[];
}

/** Program and flags that begin a command in the network of a pod. */
export async function networkOf(node: RealNode, namespace: string, pod: string): Promise<readonly [string, ...string[]]> {
  const uid = await node.kubectl('get', 'pod', pod, '-n', namespace, '-o', 'jsonpath={.metadata.uid}');
  const [pid] = await processesIn(`/pod${uid}/`);
  if (pid === undefined) throw new Error(`no process of the pod ${namespace}/${pod} is found on this node`);
  return ['nsenter', `--net=/proc/${pid}/ns/net`];
}

/** Users whom a policy admits send continuously. Those whom it shuts out send one request after the other: most of them wait in vain. */
export type Admission = 'admitted' | 'shut out';

/** Starts users there; `stop` resolves when all that they sent has its end. */
export function startPodUsers(
  [enter, ...flags]: readonly [string, ...string[]],
  admission: Admission,
  url: string,
): { stop(): Promise<PodAsked> } {
  const child = spawn(enter, [...flags, process.execPath, import.meta.filename, admission, url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  return {
    async stop() {
      child.stdin.end();
      return JSON.parse(await said) as PodAsked;
    },
  };
}

const PATIENCE_MS = 1_000;

function startOneByOne(url: string): { stop(): Promise<PodAsked> } {
  const asked: PodAsked = { sent: 0, versions: [], lost: [] };
  let isOver = false;
  const sending = (async () => {
    while (!isOver) {
      asked.sent += 1;
      await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), headers: { connection: 'close' } })
        .then(async (answer) => asked.versions.push(versionOf(await answer.text())))
        .catch((error: Error) => asked.lost.push(error.message));
    }
    return asked;
  })();
  return {
    stop() {
      isOver = true;
      return sending;
    },
  };
}

function startContinuous(url: string): { stop(): Promise<PodAsked> } {
  const users = startUsers(url, versionOf);
  return {
    async stop() {
      const { sent, answers, lost } = await users.stop();
      return { sent, versions: [...answers.keys()].toSorted(), lost };
    },
  };
}

if (import.meta.main) {
  const [, , admission, url = ''] = process.argv;
  const users = admission === 'admitted' ? startContinuous(url) : startOneByOne(url);
  process.stdin.resume().once('end', async () => void process.stdout.write(JSON.stringify(await users.stop())));
}
