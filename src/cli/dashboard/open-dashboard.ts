import { spawn } from 'node:child_process';
import { CanaryModel } from '../../dashboard/canary-model.ts';
import { startDashboard } from '../../dashboard/dashboard-server.ts';
import { newSecret } from '../../dashboard/sessions.ts';
import { canaryRow, watchKeptRows } from '../../dashboard/views/canary-row.ts';
import { clusterViews } from '../../dashboard/views/cluster-views.ts';
import type { Session } from '../canaries/session.ts';
import { CommandError } from '../output/exit-codes.ts';

/** A dashboard on this machine. */
export interface OpenDashboard {
  /** With its token: it works once. */
  address: string;
  stop(): Promise<void>;
}

/** Serves the dashboard of a cluster on the loopback address. `meshProvider`: of Canaries that name none. */
export async function openDashboard(
  session: Omit<Session, 'output'>,
  { port, meshProvider }: { port: number; meshProvider: string },
): Promise<OpenDashboard> {
  const token = newSecret();
  const model = new CanaryModel(session.cluster, session.namespace, canaryRow);
  const kept = watchKeptRows(session.cluster)(session.namespace, (rows) => model.setKept(rows));
  const stopWatching = () => {
    kept.stop();
    model.stop();
  };
  try {
    const server = await startDashboard({ port, token, model, views: clusterViews(session, meshProvider) });
    const stop = async () => {
      await server.stop();
      stopWatching();
    };
    return { address: `http://127.0.0.1:${server.port}/login?token=${token}`, stop };
  } catch (error) {
    stopWatching();
    throw new CommandError('unanswered', `--port ${port} cannot be opened on this machine: choose another, or 0`, { cause: error });
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Starts the user's browser; `note` gets a line if none can be started. */
export function openInBrowser(address: string, note: (line: string) => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  opener.once('error', () => note('Note: no browser could be started: open the address yourself.'));
  opener.unref();
}
