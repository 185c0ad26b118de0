import { type Command, Option } from 'commander';
import { nameOf, noted, type RunOn, type RunOnCluster, withKubectlFlags } from '../canaries/flags.ts';
import type { ClusterFlags } from '../canaries/session.ts';
import type { ReportFlags } from './report-command.ts';
import { revertParts } from './revert-parts.ts';

/** `serin report`: the data that a bug report needs, without secrets. */
export function addReportCommand(program: Command, run: RunOnCluster, runOn: RunOn): void {
  noted(withKubectlFlags(program.command('report')), {
    examples: ['serin report podinfo --namespace test --file podinfo-report.tar.gz'],
    exits: ['no', 'notFound'],
  })
    .description('write an archive for a bug report: a Canary and its objects, without credentials; its README says what is left out')
    .addArgument(nameOf('canaries', '[name]', 'name of the Canary, or NAMESPACE/NAME; without it all Canaries of the namespace'))
    .option('-A, --all-namespaces', 'the Canaries of all namespaces')
    .option('-f, --file <file>', 'file to write, - for stdout; default: serin-report-NAMESPACE-NAME-TIME.tar.gz')
    .option('--force', 'overwrite the file')
    .addOption(
      new Option(
        '--revert [part]',
        'instead of the archive: after a failed release, the text of a revert request in Markdown, title first, or one part of it',
      ).choices(revertParts),
    )
    .option(
      '--controller-logs [lines]',
      'add the last lines of the controller’s logs, 2000 of each container; they also mention other Canaries',
    )
    .option('--controller-selector <selector>', 'labels of the controller’s pods, if not those of Serin’s chart')
    .option('--mesh-provider <name>', 'traffic provider of Canaries without one: the same as the flag of the controller', 'istio')
    .action(async (name: string | undefined, flags: ClusterFlags & ReportFlags) => {
      const { reportCommand } = await import('./report-command.ts');
      if (name !== undefined) return runOn((session, bare) => reportCommand(session, bare, flags))(name, flags);
      return run((session) => reportCommand(session, name, flags))(flags);
    });
}
