import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.ts';

/** A process group that ends with us, however we end: not even `kill -9` of a test run leaves a cluster behind. */
const WATCHED = `( while kill -0 "$READER" 2>/dev/null; do sleep 2; done; kill -KILL 0 ) &
`;
/** Output of the pages' commands once the next terminal can be opened. */
const IS_READY = /ready|started/;

export interface DocTerminal {
  /** All that was printed. */
  output(): string;
  /** As closing the window does. */
  close(): Promise<void>;
}

/** A terminal in which a page leaves a command running; resolves when that says that it is ready. */
export async function openTerminal(script: string, env: NodeJS.ProcessEnv, cwd: string): Promise<DocTerminal> {
  const child = spawn('bash', ['-c', WATCHED + script], {
    cwd,
    env: { ...env, READER: String(process.pid) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => {
      output += part;
    });
  }
  const ended = once(child, 'exit');
  const terminal: DocTerminal = {
    output: () => output,
    async close() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
  try {
    await eventually(`"${script.trim()}" is ready`, terminal.output, (text) => IS_READY.test(text));
  } catch (error) {
    await terminal.close();
    throw error;
  }
  return terminal;
}
