import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shardOf } from '../../../src/kube/shards/shard-of.ts';
import { NAMESPACE, nameOf } from '../../bench/applications.ts';
import { type ControllerRun, startProgram } from '../controller.ts';
import { fetchText, nowMs } from '../world.ts';

export const LEASE_NAMESPACE = 'kube-system';

/** One process of `serin controller`. */
export interface ShardReplica {
  readonly shards: number;
  readonly run: ControllerRun;
  /** Shards whose Canaries it reconciles; 0 if there is only one shard. */
  held(): number[];
  /** Text of its metrics. */
  metrics(): Promise<string>;
}

interface Turn {
  replica: ShardReplica;
  atMs: number;
  shard: number;
  isStart: boolean;
}

/** Replicas of Serin with numbers of shards of their own, and when each of them looked after which Canary. */
export class ShardedSerin {
  readonly #kubeconfigFileOf: (process: number) => string;
  readonly #folder: string;
  readonly #flags: readonly string[];
  readonly #replicas: ShardReplica[] = [];
  /** Ended processes. */
  readonly #ends: Turn[] = [];

  /** `kubeconfigFileOf`: for the process with this number; they are counted from 0. */
  constructor(kubeconfigFileOf: (process: number) => string, folder: string, flags: readonly string[] = []) {
    this.#kubeconfigFileOf = kubeconfigFileOf;
    this.#folder = folder;
    this.#flags = flags;
  }

  get alive(): ShardReplica[] {
    return this.#replicas.filter(({ run }) => !run.hasExited());
  }

  start(shards: number): ShardReplica {
    const own = [`--shards=${shards}`, '--enable-leader-election', `--leader-election-namespace=${LEASE_NAMESPACE}`];
    const number = this.#replicas.length;
    const fixed = ['--port=0', '--min-analysis-interval=1s', '--scale-down-delay=1s', `--kubeconfig=${this.#kubeconfigFileOf(number)}`];
    const run = startProgram([...fixed, ...own, ...this.#flags], join(this.#folder, `replica-${number}.log`));
    const held = () => {
      const now = new Set<number>();
      for (const { shard, isStart } of turnsOf(replica)) now[isStart ? 'add' : 'delete'](shard);
      return run.hasExited() ? [] : [...now].sort();
    };
    const metrics = async () => {
      const [, port] = linesOf(run).flatMap((line) => /"port":(\d+),"msg":"serin controller started"/.exec(line) ?? []);
      return (await fetchText(`http://127.0.0.1:${port}/metrics`)).text;
    };
    const replica: ShardReplica = { shards, run, held, metrics };
    this.#replicas.push(replica);
    return replica;
  }

  async end(replica: ShardReplica, signal: 'TERM' | 'KILL'): Promise<void> {
    const atMs = nowMs();
    for (const shard of replica.held()) this.#ends.push({ replica, atMs, shard, isStart: false });
    await replica.run.stop(signal);
  }

  async stop(): Promise<void> {
    await Promise.all(this.alive.map(({ run }) => run.stop('TERM')));
  }

  /** The longest time that any Canary was without a process that reconciles it, in milliseconds. */
  longestGapMs(canaries: number): number {
    const turns = this.#replicas.flatMap(turnsOf);
    const starts = turns.filter(({ isStart }) => isStart);
    const gaps = [...this.#ends, ...turns.filter(({ isStart }) => !isStart)].flatMap((end) =>
      Array.from({ length: canaries }, (_, index) => ({ namespace: NAMESPACE, name: nameOf(index) }))
        .filter((canary) => covers(end, canary))
        .map((canary) =>
          Math.min(...starts.filter((start) => start.atMs >= end.atMs && covers(start, canary)).map((start) => start.atMs - end.atMs)),
        ),
    );
    return Math.max(0, ...gaps);
  }

  /** Warnings and errors in the logs. */
  complaints(): string[] {
    return this.#replicas.flatMap(({ run }) => linesOf(run).filter((line) => /"level":"(error|fatal)"/.test(line)));
  }
}

const covers = ({ replica, shard }: Turn, canary: { namespace: string; name: string }): boolean =>
  shardOf(canary, replica.shards) === shard;

const linesOf = ({ logFile }: ControllerRun): string[] => readFileSync(logFile, 'utf8').split('\n');

function turnsOf(replica: ShardReplica): Turn[] {
  return linesOf(replica.run).flatMap((line) => {
    const isStart = line.includes('"reconciling Canaries"');
    if (!isStart && !/"(shard is handed over|shard lost|lease lost: on standby)"/.test(line)) return [];
    const { time, shard = 0 } = JSON.parse(line);
    return [{ replica, atMs: Date.parse(time), shard, isStart }];
  });
}
