import type { Command } from 'commander';
import type { CommandHost } from '../canaries/command-host.ts';
import { nameOf, noted, type RunOn, type RunOnCluster, withKubectlFlags } from '../canaries/flags.ts';
import type { ClusterFlags } from '../canaries/session.ts';
import type { BacktestFlags } from './backtest-command.ts';
import type { ReplayFlags } from './replay-command.ts';

const WITH = 'decide as with this JSON merge patch (RFC 7386) of spec.analysis; lists are replaced as a whole';
const WITH_FILE = 'the same from a file, or from a Canary manifest with another spec.analysis';

/** `serin replay` and `serin backtest`, on the journals of releases (docs/journal.md). */
export function addJournalCommands(program: Command, { run, runOn, host }: { run: RunOnCluster; runOn: RunOn; host: CommandHost }): void {
  noted(withKubectlFlags(program.command('replay')), {
    examples: ['serin replay podinfo --namespace test', `serin replay podinfo --namespace test --with '{"threshold":2}'`],
    exits: ['no', 'notFound'],
  })
    .description('replay the journal of a release in this version of Serin, and show the first decision that differs')
    .addArgument(nameOf('canaries', '[name]', 'name of the Canary, NAME/RELEASE or NAMESPACE/NAME/RELEASE; without a release the last one'))
    .option('-f, --file <file>', 'read a journal that serin history --journal=RELEASE -o json printed, without a cluster')
    .option('--with <patch>', WITH)
    .option('--with-file <file>', WITH_FILE)
    .action(async (text: string | undefined, flags: ClusterFlags & ReplayFlags & { file?: string }) => {
      const { noNameError, replayCommand, replayFileCommand, splitRelease } = await import('./replay-command.ts');
      const { file } = flags;
      if (text !== undefined && file === undefined) {
        const { canary, release } = splitRelease(text);
        return runOn((session, name) => replayCommand(session, name, release, flags))(canary, flags);
      }
      const { guarded } = await import('../canaries/session.ts');
      host.end(
        await guarded(flags, host.around, (output) => {
          if (file === undefined || text !== undefined) throw noNameError();
          return replayFileCommand(output, file, flags);
        }),
      );
    });

  noted(withKubectlFlags(program.command('backtest')), {
    examples: [`serin backtest --namespace test --with '{"threshold":2}'`],
    exits: ['no'],
  })
    .description('show how each recorded release of a namespace would have ended with a changed analysis')
    .option('--with <patch>', WITH)
    .option('--with-file <file>', WITH_FILE)
    .option('-l, --selector <selector>', 'only Canaries with these labels, like team=shop')
    .action(
      run(async (session, flags: ClusterFlags & BacktestFlags) => (await import('./backtest-command.ts')).backtestCommand(session, flags)),
    );
}
