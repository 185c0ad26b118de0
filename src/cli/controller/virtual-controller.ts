import { Command } from 'commander';
import { randomUid } from '../../embedded/apiserver/generate-name.ts';
import { VirtualProcess } from '../../embedded/virtual/virtual-process.ts';
import type { VirtualWorld } from '../../embedded/virtual/virtual-world.ts';
import { connectionTo } from '../../kube/connect.ts';
import { readKubeconfig } from '../../kube/kubeconfig.ts';
import type { ControllerHost } from '../../process/controller-host.ts';
import { withTwoDashes } from '../go-flags.ts';
import { controllerCommand } from './controller-command.ts';
import { addControllerCommand } from './controller-options.ts';

/** The exit code that shells give a killed program. */
const KILLED = 137;

/** A controller in virtual time, inside this process. */
export interface VirtualController {
  readonly exited: Promise<number>;
  hasExited(): boolean;
  /** Halts it where it is, or lets it go on. */
  send(signal: 'STOP' | 'CONT'): void;
  stop(signal?: 'TERM' | 'KILL'): Promise<void>;
}

/** The URL of an API server, by the flags `--kubeconfig` and `--master`. */
type ServerOf = (kubeconfig: string, master: string | undefined) => string;

const serverInFile: ServerOf = (kubeconfig, master) => readKubeconfig({ kubeconfig, ...(master && { master }), env: {} }).cluster.server;

/** The controller's own command in a virtual process: the same flags, log and signals as one of its own. */
export function startVirtualController(
  world: VirtualWorld,
  args: readonly string[],
  log: (text: string) => void,
  serverOf: ServerOf = serverInFile,
): VirtualController {
  const process = new VirtualProcess(world);
  const ending = Promise.withResolvers<string>();
  const exited = Promise.withResolvers<number>();
  const agents = new Map<string, ReturnType<VirtualProcess['network']['agent']>>();
  const calls = process.network.agent();
  let isOver = false;
  const over = (code: number): void => {
    isOver = true;
    for (const agent of [...agents.values(), calls]) agent.destroy();
    exited.resolve(code);
  };
  const write = (text: string): void => {
    if (!isOver) log(text);
  };
  // A file that exists from the start, like the log file of a process.
  write('');
  const host: ControllerHost = {
    identity: `virtual_${randomUid(world.random)}`,
    clock: process.clock,
    random: world.random,
    word: () => Array.from({ length: 16 }, () => Math.floor(world.random() * 16).toString(16)).join(''),
    log: { write },
    complain: write,
    async connect(kubeconfig, master) {
      const server = serverOf(kubeconfig, master);
      const agent = process.network.agent({ keepAlive: true });
      agents.set(server, agent);
      return { ...connectionTo(server, { userAgent: 'serin-controller' }), agent };
    },
    // `https` is spoken without TLS here: both ends are this process.
    agents: { http: calls, https: calls as never },
    listen: (server, port) => process.network.listen(server, port),
    ended: () => ending.promise,
    release: () => undefined,
  };
  const program = new Command('serin').exitOverride().configureOutput({ writeErr: write });
  addControllerCommand(program, async (options) => over(await controllerCommand(options, {}, host)));
  // Arguments in the form of `process.argv`: the program and its file come first.
  program.parseAsync(withTwoDashes(['node', 'serin', 'controller', ...args])).catch((error: unknown) => {
    write(`${error}\n`);
    over(1);
  });
  return {
    exited: exited.promise,
    hasExited: () => isOver,
    async stop(signal = 'KILL') {
      if (isOver) return;
      if (signal === 'KILL') {
        process.kill();
        over(KILLED);
      } else ending.resolve(`SIG${signal}`);
      await exited.promise;
    },
    send: (signal) => (signal === 'STOP' ? process.halt() : process.resume()),
  };
}
