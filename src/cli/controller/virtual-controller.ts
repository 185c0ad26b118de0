import { appendFileSync } from 'node:fs';
import { Command } from 'commander';
import { controllerCommand } from '../../src/cli/controller/controller-command.ts';
import type { ControllerHost } from '../../src/cli/controller/controller-host.ts';
import { addControllerCommand } from '../../src/cli/controller/controller-options.ts';
import { withTwoDashes } from '../../src/cli/go-flags.ts';
import { randomUid } from '../../src/embedded/apiserver/generate-name.ts';
import { VirtualProcess } from '../../src/embedded/virtual/virtual-process.ts';
import type { VirtualWorld } from '../../src/embedded/virtual/virtual-world.ts';
import { connectionTo } from '../../src/kube/connect.ts';
import { readKubeconfig } from '../../src/kube/kubeconfig.ts';
import type { GuardedProcess } from './guarded-process.ts';

/** What a shell says of a program that was killed. */
const KILLED = 137;

/** The controller's own command in a virtual process: the same flags, log and signals as one of its own. */
export function startVirtualController(
  world: VirtualWorld,
  args: readonly string[],
  logFile: string,
): Omit<GuardedProcess, 'name' | 'logTail'> {
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
    if (!isOver) appendFileSync(logFile, text);
  };
  const host: ControllerHost = {
    identity: `virtual_${randomUid(world.random)}`,
    clock: process.clock,
    random: world.random,
    word: () => Array.from({ length: 16 }, () => Math.floor(world.random() * 16).toString(16)).join(''),
    log: { write },
    complain: write,
    async connect(kubeconfig, master) {
      const { cluster } = readKubeconfig({ kubeconfig, ...(master && { master }), env: {} });
      const agent = process.network.agent({ keepAlive: true });
      agents.set(cluster.server, agent);
      return { ...connectionTo(cluster.server, { userAgent: 'serin-controller' }), agent };
    },
    // `https` is spoken to no one here.
    agents: { http: calls, https: calls as never },
    listen: (server, port) => process.network.listen(server, port),
    ended: () => ending.promise,
    release: () => undefined,
  };
  const program = new Command('serin').exitOverride().configureOutput({ writeErr: write });
  addControllerCommand(program, async (options) => over(await controllerCommand(options, {}, host)));
  // As `process.argv` has them: the program and its file come first.
  program.parseAsync(withTwoDashes(['node', 'serin', 'controller', ...args])).catch((error: unknown) => {
    write(`${error}\n`);
    over(1);
  });
  return {
    logFile,
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
