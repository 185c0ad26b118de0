import type { Command } from 'commander';
import type { CommandHost } from '../canaries/command-host.ts';
import { nameOf, noted, type RunOn, withKubectlFlags } from '../canaries/flags.ts';
import type { ClusterFlags, Session } from '../canaries/session.ts';
import type { ExitName } from '../output/exit-codes.ts';
import type { BacktestFlags } from './backtest-command.ts';
import type { ReplayFlags } from './replay-command.ts';

type Run = (flags: ClusterFlags, act: (session: Session) => Promise<ExitName>) => Promise<void>;

const WITH = 'JSON merge patch (RFC 7386) of spec.analysis: what would a release with it have done; lists are replaced whole';
const WITH_FILE = 'the same from a file; or a Canary, whose spec.analysis is taken';

/** What is done with the journals of releases (docs/journal.md). */
export function addJournalCommands(program: Command, { run, runOn, host }: { run: Run; runOn: RunOn; host: CommandHost }): void {
  noted(withKubectlFlags(program.command('replay')), {
    examples: ['serin replay podinfo --namespace test', `serin replay podinfo --namespace test --with '{"threshold":2}'`],
    exits: ['no', 'notFound'],
  })
    .description('run the journal of a release through this version of the engine: the same decisions, or the first that differs')
    .addArgument(nameOf('canaries', '[name]', 'name of the Canary, NAME/RELEASE or NAMESPACE/NAME/RELEASE; without a release the last one'))
    .option('-f, --file <file>', 'a journal as serin history --journal=RELEASE -o json prints it; no cluster is asked')
    .option('--with <patch>', WITH)
    .option('--with-file <file>', WITH_FILE)
    .action(async (text: string | undefined, flags: ClusterFlags & ReplayFlags & { file?: string }) => {
      const { noNameError, replayCommand, replayFileCommand, splitRelease } = await import('./replay-command.ts');
      const { file } = flags;
      if (text !== undefined && file === undefined) {
        const { canary, release } = splitRelease(text);
        return runOn(canary, flags, (session, bare) => replayCommand(session, bare, release, flags));
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
    .description('what a changed analysis would have made of each release of a namespace whose journal is kept, in one table')
    .option('--with <patch>', WITH)
    .option('--with-file <file>', WITH_FILE)
    .option('-l, --selector <selector>', 'only Canaries with these labels, like team=shop')
    .action(async (flags: ClusterFlags & BacktestFlags) =>
      run(flags, async (session) => (await import('./backtest-command.ts')).backtestCommand(session, flags)),
    );
}
