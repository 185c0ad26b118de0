import type { Command } from 'commander';
import { type CommandHost, inProcess } from '../canaries/command-host.ts';
import { noted } from '../canaries/flags.ts';
import { readObjectName } from '../canaries/object-name.ts';

interface RightsFlags {
  filename: string[];
  namespace?: string;
  serviceAccount: string;
}

const TAKING = `
Files are values of the chart, or the manifests that Helm or Kustomize has rendered, and the Canaries with what they refer to: targets, MetricTemplates,
AlertProviders. Nothing is read from a cluster. docs/rights.md says how the chart and Kustomize take what is printed.`;

/** `serin rights`. */
export function addRightsCommand(program: Command, host: CommandHost = inProcess): void {
  const examples = ['serin rights --filename values.yaml --filename canary.yaml > rights.yaml'];
  noted(program.command('rights'), { examples, exits: ['no', 'notFound'] })
    .description('print the least Roles and ClusterRole that the controller needs for these Canaries, with the reason of each rule')
    .requiredOption('-f, --filename <file...>', 'values of the chart and manifests: files, folders, or - for standard input')
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--service-account <namespace/name>', 'account of the controller, where the files do not name it', 'serin/serin')
    .addHelpText('after', TAKING)
    .action(async ({ filename: files, namespace, serviceAccount }: RightsFlags, command: Command) => {
      const named = readObjectName(serviceAccount, undefined);
      if ('problem' in named || named.namespace === undefined)
        return command.error(`error: --service-account ${serviceAccount} must be NAMESPACE/NAME, like serin/serin`);
      const account = { namespace: named.namespace, name: named.name };
      const [{ guarded }, { rightsCommand }, { readStdin }] = await Promise.all([
        import('../canaries/session.ts'),
        import('./rights-command.ts'),
        import('../validate/sources.ts'),
      ]);
      const stdin = files.includes('-') ? await readStdin() : undefined;
      host.end(await guarded({}, host.around, (output) => rightsCommand(output, { files, stdin, namespace, account })));
    });
}
