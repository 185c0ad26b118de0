import type { Command } from 'commander';
import { noted, withCluster } from '../people/flags.ts';
import type { PeopleFlags } from '../people/session.ts';

/** `serin crds`: the definitions of a cluster and those of this version. */
export function addCrdsCommands(program: Command): void {
  const crds = noted(program.command('crds'), { examples: ['serin crds diff || serin crds apply'] }).description(
    'compare the resource definitions of a cluster with those of this version, or bring them forward',
  );

  const ofCluster = (name: string) =>
    noted(withCluster(crds.command(name)), { examples: [`serin crds ${name}`], exits: ['no'] }).option(
      '--master <url>',
      'address of the API server, instead of the kubeconfig’s',
    );

  ofCluster('diff')
    .description('one line a difference: + ours has it, ~ it changes, - only the cluster has it')
    .action((flags: PeopleFlags) => run('diffCrds', flags));

  ofCluster('apply')
    .description('apply them as the field manager serin, unless a field or a served version would be dropped; then nothing is changed')
    .action((flags: PeopleFlags) => run('applyCrds', flags));
}

async function run(verb: 'diffCrds' | 'applyCrds', flags: PeopleFlags): Promise<void> {
  const [{ onCluster }, commands] = await Promise.all([import('../people/session.ts'), import('./crds-command.ts')]);
  process.exitCode = await onCluster(flags, ({ cluster, output }) => commands[verb](cluster, (line) => output.write(`${line}\n`)));
}
