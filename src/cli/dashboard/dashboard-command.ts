import { spawn } from 'node:child_process';
import { CanaryModel } from '../../dashboard/canary-model.ts';
import { startDashboard } from '../../dashboard/dashboard-server.ts';
import { newSecret } from '../../dashboard/sessions.ts';
import type { ClusterFlags, Session } from '../canaries/session.ts';
import { CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import { canaryRow } from './canary-row.ts';
import { clusterViews } from './cluster-views.ts';

/** Flags of `serin dashboard`. */
export interface DashboardFlags extends ClusterFlags {
  port: string;
  open?: boolean;
  meshProvider: string;
}

/** `serin dashboard`: serves the page until a signal ends it. The address with its token goes to stdout alone. */
export async function dashboardCommand(session: Session, flags: DashboardFlags, ended = untilSignal()): Promise<ExitName> {
  const { cluster, namespace, output } = session;
  const port = /^\d{1,5}$/.test(flags.port) ? Number(flags.port) : Number.NaN;
  if (!(port <= 65_535)) throw usageError(`--port ${flags.port} must be a whole number from 0 to 65535`);
  const model = new CanaryModel(cluster, namespace, canaryRow);
  const token = newSecret();
  try {
    const server = await startDashboard({ port, token, model, views: clusterViews(session, flags.meshProvider) }).catch(
      (error: unknown) => {
        throw new CommandError('unanswered', `--port ${port} cannot be opened on this machine: choose another, or 0`, { cause: error });
      },
    );
    const address = `http://127.0.0.1:${server.port}/login?token=${token}`;
    output.write(`${address}\n`);
    output.note('Open this address: it works once, and in one browser. Ctrl-C ends the dashboard.');
    if (flags.open === true) openInBrowser(address, () => output.note('Note: no browser could be started: open the address yourself.'));
    await ended;
    await server.stop();
    return 'done';
  } finally {
    model.stop();
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

function openInBrowser(address: string, onFailure: () => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  opener.once('error', onFailure);
  opener.unref();
}
