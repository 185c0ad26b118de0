import type { ClusterFlags, Session } from '../canaries/session.ts';
import { type ExitName, usageError } from '../output/exit-codes.ts';
import { openDashboard, openInBrowser } from './open-dashboard.ts';

/** Flags of `serin dashboard`. */
export interface DashboardCommandFlags extends ClusterFlags {
  port: string;
  open?: boolean;
  meshProvider: string;
}

/** `serin dashboard`: serves the page until a signal ends it. The address with its token goes only to stdout. */
export async function dashboardCommand(session: Session, flags: DashboardCommandFlags, ended = untilSignal()): Promise<ExitName> {
  const { output } = session;
  const port = /^\d{1,5}$/.test(flags.port) ? Number(flags.port) : Number.NaN;
  if (!(port <= 65_535)) throw usageError(`--port ${flags.port} must be a whole number from 0 to 65535`);
  const { address, stop } = await openDashboard(session, { port, meshProvider: flags.meshProvider });
  output.write(`${address}\n`);
  output.note('Open this address: it works once, and in one browser. Ctrl-C ends the dashboard.');
  if (flags.open === true) openInBrowser(address, (line) => output.note(line));
  await ended;
  await stop();
  return 'done';
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
