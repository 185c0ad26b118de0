import type { Command } from 'commander';
import { nameOf, noted, type RunOn, withKubectlFlags } from '../canaries/flags.ts';
import type { ClusterFlags, Session } from '../canaries/session.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { ReportFlags } from './report-command.ts';

type Run = (flags: ClusterFlags, act: (session: Session) => Promise<ExitName>) => Promise<void>;

/** `serin report`: what a bug report needs, and nothing that strangers must not see. */
export function addReportCommand(program: Command, run: Run, runOn: RunOn): void {
  noted(withKubectlFlags(program.command('report')), {
    examples: ['serin report podinfo --namespace test --file podinfo-report.tar.gz'],
    exits: ['notFound'],
  })
    .description(
      'one archive for a bug report: a Canary and all that belongs to it, without credentials; what it leaves out is said inside',
    )
    .addArgument(nameOf('canaries', '[name]', 'name of the Canary, or NAMESPACE/NAME; without it all of the namespace'))
    .option('-A, --all-namespaces', 'the Canaries of all namespaces')
    .option('-f, --file <file>', 'where to write it, - is the standard output; default: serin-report-NAMESPACE-NAME-TIME.tar.gz')
    .option('--force', 'overwrite the file')
    .option(
      '--controller-logs [lines]',
      'also the end of the controller’s logs, 2000 lines of each container; they tell of other Canaries, too',
    )
    .option('--controller-selector <selector>', 'labels of the controller, where they are not those of our chart')
    .option('--mesh-provider <name>', 'traffic provider of Canaries that name none, as the controller has it', 'istio')
    .action(async (name: string | undefined, flags: ClusterFlags & ReportFlags) =>
      name === undefined
        ? run(flags, async (session) => (await import('./report-command.ts')).reportCommand(session, name, flags))
        : runOn(name, flags, async (session, bare) => (await import('./report-command.ts')).reportCommand(session, bare, flags)),
    );
}
