import type { Command } from 'commander';
import type { CommandHost } from '../canaries/command-host.ts';
import { nameOf, noted, withKubectlFlags } from '../canaries/flags.ts';
import { readObjectName } from '../canaries/object-name.ts';
import type { ClusterFlags } from '../canaries/session.ts';

interface PreflightFlags extends ClusterFlags {
  filename?: string[];
  selector?: string;
  manifests?: boolean;
  meshProvider?: string;
  selectorLabels: string;
  companions: string;
}

const SAFE = `
Nothing is written. In the text, + is made, ~ changes, ! would be lost, and ? could not be read. docs/arrival.md says what is checked.`;

/** `serin preflight`. */
export function addPreflightCommand(program: Command, host: CommandHost): void {
  const examples = [
    'serin preflight podinfo --namespace test',
    'serin preflight --all-namespaces',
    'serin preflight --filename canary.yaml',
  ];
  noted(withKubectlFlags(program.command('preflight')), { examples, exits: ['no', 'notFound'] })
    .description(
      'show what a Canary does to a living application as it arrives: what it writes, what stays, what follows, and what would be lost',
    )
    .addArgument(nameOf('canaries', '[name]', 'name of the Canary, or NAMESPACE/NAME; default: all of the namespace'))
    .option('-A, --all-namespaces', 'Canaries of all namespaces')
    .option('-l, --selector <selector>', 'only Canaries with these labels, like team=shop')
    .option('-f, --filename <file...>', 'Canaries and applications of these files or folders (- is standard input), and no cluster')
    .option('--manifests', 'print the objects that keep what would be lost, and nothing else')
    .option('--mesh-provider <name>', 'traffic provider of Canaries without one: the same as the flag of the controller')
    .option('--selector-labels <list>', 'the same as the flag of the controller', 'app,name,app.kubernetes.io/name')
    .option('--companions <list>', 'the same as the flag of the controller', 'podDisruptionBudgets,networkPolicies,verticalPodAutoscalers')
    .addHelpText('after', SAFE)
    .action(async (text: string | undefined, flags: PreflightFlags, command: Command) => {
      const [{ guarded, onCluster }, { preflightCommand, preflightFiles }, { readPreflightSettings }, { readStdin }] = await Promise.all([
        import('../canaries/session.ts'),
        import('./preflight-command.ts'),
        import('./read-settings.ts'),
        import('../validate/sources.ts'),
      ]);
      const settings = readPreflightSettings(flags);
      if ('problem' in settings) return command.error(`error: ${settings.problem}`);
      const { manifests, selector, filename: files } = flags;
      if (files !== undefined) {
        if (text !== undefined) return command.error('error: name a Canary of the cluster, or files with -f, and not both');
        const stdin = files.includes('-') ? await readStdin() : undefined;
        const { namespace } = flags;
        return host.end(
          await guarded(flags, host.around, (output) => preflightFiles(output, { files, stdin, namespace, manifests }, settings)),
        );
      }
      const named = text === undefined ? undefined : readObjectName(text, flags.namespace);
      if (named !== undefined && 'problem' in named) return command.error(`error: ${named.problem}`);
      const choice = { name: named?.name, selector, manifests };
      host.end(await onCluster({ ...flags, ...named }, (session) => preflightCommand(session, choice, settings), host.around));
    });
}
