import type { Command } from 'commander';
import { type CommandHost, inProcess } from '../canaries/command-host.ts';
import { noted, withCluster } from '../canaries/flags.ts';
import type { ClusterFlags, Session } from '../canaries/session.ts';

/** `serin crds`: the definitions of a cluster and those of this version. */
export function addCrdsCommands(program: Command, place: CommandHost = inProcess): void {
  const crds = noted(program.command('crds'), { examples: ['serin crds diff || serin crds apply'] }).description(
    'compare the CustomResourceDefinitions of a cluster with those of this version, or update them',
  );

  const ofCluster = (name: string) =>
    noted(withCluster(crds.command(name)), { examples: [`serin crds ${name}`], exits: ['no'] }).option(
      '--master <url>',
      'address of the API server, instead of the kubeconfig’s',
    );

  ofCluster('diff')
    .description('show the differences, one per line: + only this version has it, ~ changed, - only the cluster has it')
    .action((flags: ClusterFlags) => run('diffCrds', flags, place));

  ofCluster('apply')
    .description('apply the definitions of this version; nothing is changed if that would drop a field or a served version')
    .action((flags: ClusterFlags) => run('applyCrds', flags, place));
}

async function run(verb: 'diffCrds' | 'applyCrds', flags: ClusterFlags, { around, end }: CommandHost): Promise<void> {
  const [{ onCluster }, commands] = await Promise.all([import('../canaries/session.ts'), import('./crds-command.ts')]);
  const act = ({ cluster, output }: Session) => commands[verb](cluster, (line) => output.write(`${line}\n`));
  end(await onCluster(flags, act, around));
}
