import type { Command } from 'commander';
import type { ExitName } from '../output/exit-codes.ts';
import { asPeopleDo, noted } from './flags.ts';
import type { PeopleFlags, Session } from './session.ts';

/** A command's own module is loaded when it is called: a newcomer's first line must not wait for a Kubernetes client. */
async function run(flags: PeopleFlags, act: (session: Session) => Promise<ExitName>): Promise<void> {
  const { onCluster } = await import('./session.ts');
  process.exitCode = await onCluster(flags, act);
}

/** The commands for people at the controls; docs/cli.md is made from what is said here. */
export function addPeopleCommands(program: Command): void {
  noted(asPeopleDo(program.command('list')), { examples: ['serin list --all-namespaces'] })
    .alias('get')
    .description('Canaries, a line each: phase, traffic, failed checks')
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-l, --selector <selector>', 'only those with these labels, like team=shop')
    .action(async (flags) => run(flags, async (session) => (await import('./list-command.ts')).listCommand(session, flags)));
}
