import type { Command } from 'commander';
import { withCluster } from '../people/flags.ts';
import type { PeopleFlags } from '../people/session.ts';

/** `serin crds`: the definitions of a cluster and those of this version. */
export function addCrdsCommands(program: Command): void {
  const crds = program
    .command('crds')
    .description('compare the resource definitions of a cluster with those of this version, or bring them forward')
    .addHelpText('after', '\nExample:\n  serin crds diff || serin crds apply');

  const ofCluster = (name: string) =>
    withCluster(crds.command(name)).option('--master <url>', 'address of the API server, instead of the kubeconfig’s');

  ofCluster('diff')
    .description(
      'one line a difference: + ours has it, ~ it changes, - only the cluster has it; exit code 1 when there is one, 2 without an answer',
    )
    .action((flags: PeopleFlags) => run('diffCrds', flags));

  ofCluster('apply')
    .description('apply them as the field manager serin, unless a field or a served version would be dropped; then nothing is changed')
    .action((flags: PeopleFlags) => run('applyCrds', flags));
}

async function run(verb: 'diffCrds' | 'applyCrds', flags: PeopleFlags): Promise<void> {
  const [{ onCluster }, commands] = await Promise.all([import('../people/session.ts'), import('./crds-command.ts')]);
  process.exitCode = await onCluster(flags, ({ cluster, output }) => commands[verb](cluster, (line) => output.write(`${line}\n`)));
}
