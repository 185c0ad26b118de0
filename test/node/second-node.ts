import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { type Machine, type MachineOptions, startMachine } from './machine.ts';
import { ranCommand, until } from './started.ts';

/** A node beside the first one. */
export interface SecondNode extends Machine {
  /** Cuts its cable: the node goes on, and no one can reach it. */
  unplug(): Promise<unknown>;
}

const SCRIPT = join(import.meta.dirname, 'second-node.sh');

/** Starts a node in namespaces below those of the first node, whose folder is `folder`. */
export async function startSecondNode(options: Omit<MachineOptions, 'enter'>): Promise<SecondNode> {
  const { name, address, podRange } = options;
  const folder = mkdtempSync(join(options.folder, `${name}-`));
  const log = join(folder, 'namespaces.log');
  // Says the id of the process that the namespaces live by, and becomes it.
  const holder = startGuarded(`namespaces of ${name}`, ['bash', SCRIPT, folder, name, address, podRange], log);
  const stop = async (): Promise<void> => {
    await holder.stop();
    await ranCommand('bash', [SCRIPT, 'end', name]);
  };
  try {
    let pid = '';
    await until(holder, 'its namespaces are there', async () => {
      pid = /^ready (\d+)$/m.exec(readFileSync(log, 'utf8'))?.[1] ?? '';
      if (pid === '') throw new Error('not yet');
    });
    const machine = await startMachine({ ...options, folder, enter: ['bash', SCRIPT, 'enter', name, pid] });
    return {
      ...machine,
      unplug: () => ranCommand('ip', ['link', 'set', name, 'down']),
      async stop() {
        await machine.stop();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
