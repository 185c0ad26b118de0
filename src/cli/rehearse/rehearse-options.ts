import { type Command, Option } from 'commander';
import type { CommandHost } from '../canaries/command-host.ts';
import { nameOf, noted, withCluster } from '../canaries/flags.ts';
import type { RehearseFlags } from './rehearse-command.ts';

export const rehearsalFormats = ['text', 'wide', 'json', 'yaml', 'html', 'junit', 'sarif'] as const;

const SAFE = `
The production controller releases a new version in virtual time, on a cluster inside this process. Nothing leaves the process: webhooks, alerts and
metric backends are answered by stand-ins. --live first reads the objects from your cluster, and writes nothing. docs/rehearse.md says what is modelled.`;

/** `serin rehearse`. */
export function addRehearseCommand(program: Command, host: CommandHost): void {
  const examples = ['serin rehearse canary.yaml', 'serin rehearse --filename canary.yaml --scenario bad-5xx,slow --output json'];
  noted(withCluster(program.command('rehearse')), { examples, exits: ['no', 'notFound'] })
    .description('a release of these manifests in virtual time: what happens to a good version, to a bad one, and under faults')
    .addArgument(nameOf('files', '[file...]', 'files, folders, or - for standard input'))
    .option('-f, --filename <file...>', 'the same, as kubectl has it')
    .option('-n, --namespace <name>', 'namespace of objects that name none')
    .option('--canary <name>', 'only this Canary of the manifests; default: all of them')
    .option('--live', 'read the Canary and what belongs to it from the cluster, where the manifests lack it; Secrets are not read')
    .option('--scenario <list>', 'scenarios, or files of one, separated by commas; see docs/rehearse.md', 'good')
    .option('--matrix', 'all built-in scenarios, as one table')
    .option('--seed <number>', 'of all that is random: the same seed gives the same output', '1')
    .option('--rate <requests>', 'requests of users in a second', '10')
    .option('--provider <name>', 'traffic provider of Canaries that name none, as the controller has it')
    .option('--assume <name=value...>', 'value of a check that the model cannot measure, by the name of the metric or its template')
    .addOption(new Option('-o, --output <format>', 'how the answer is written').choices(rehearsalFormats).default('text'))
    .option('--no-color', 'no colour (as NO_COLOR and TERM=dumb)')
    .option('--plain', 'no colour, no characters beyond ASCII, and nothing is redrawn')
    .addHelpText('after', SAFE)
    .action(async (words: string[], flags: RehearseFlags) => {
      const { runRehearse } = await import('./rehearse-command.ts');
      host.end(await runRehearse([...words, ...(flags.filename ?? [])], flags, host.around));
    });
}
