import type { Command } from 'commander';
import { noted, type RunOnCluster, withCluster } from '../canaries/flags.ts';

/** `serin dashboard`. */
export function addDashboardCommand(program: Command, run: RunOnCluster): void {
  noted(withCluster(program.command('dashboard')), { examples: ['serin dashboard --all-namespaces'] })
    .description('serve a page in the browser on this machine: all Canaries, one release live, history and verbs, until Ctrl-C')
    .option('-n, --namespace <name>', "namespace; default: the context's")
    .option('-A, --all-namespaces', 'Canaries of all namespaces')
    .option('--port <port>', 'port on the loopback address; 0: any that is free', '0')
    .option('--mesh-provider <name>', 'traffic provider of Canaries without one: the same as the flag of the controller', 'istio')
    .option('--open', 'open it in the browser')
    .action(run(async (session, flags) => (await import('./dashboard-command.ts')).dashboardCommand(session, flags)));
}
