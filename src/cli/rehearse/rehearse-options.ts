import { type Command, Option } from 'commander';
import type { CommandHost } from '../canaries/command-host.ts';
import { nameOf, noted, withCluster } from '../canaries/flags.ts';
import { type RehearseFlags, rehearsalFormats } from './rehearse-flags.ts';

const SAFE = `
The production controller releases a new version in virtual time, on a cluster inside this process. Nothing leaves the process: webhooks, alerts and
metric backends are simulated. --live first reads the objects from your cluster, and writes nothing. docs/rehearse.md says what is modelled.`;

/** `serin rehearse`. */
export function addRehearseCommand(program: Command, host: CommandHost): void {
  const examples = ['serin rehearse canary.yaml', 'serin rehearse --filename canary.yaml --scenario bad-5xx,slow --output json'];
  noted(withCluster(program.command('rehearse')), { examples, exits: ['no', 'notFound'] })
    .description('simulate a release of these manifests in virtual time: of a good version, of a bad one, and under faults')
    .addArgument(nameOf('files', '[file...]', 'files, folders, or - for standard input'))
    .option('-f, --filename <file...>', 'the same as FILE, as in kubectl')
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--canary <name>', 'only this Canary of the manifests; default: all')
    .option('--live', 'read objects that the manifests lack from the cluster; Secrets are not read')
    .option('--scenario <list>', 'built-in scenarios or scenario files, separated by commas; see docs/rehearse.md', 'good')
    .option('--matrix', 'run all built-in scenarios and show one table')
    .option('--seed <number>', 'seed of all randomness: the same seed gives the same output', '1')
    .option('--rate <requests>', 'requests of users per second', '10')
    .option('--provider <name>', 'traffic provider of Canaries without one: the same as --mesh-provider of the controller')
    .option('--assume <name=value...>', 'value of a check that the simulation cannot measure; NAME is the metric or its template')
    .addOption(new Option('-o, --output <format>', 'output format').choices(rehearsalFormats).default('text'))
    .option('--no-color', 'no colour (as NO_COLOR and TERM=dumb)')
    .option('--plain', 'no colour, ASCII only, and no redrawing')
    .addHelpText('after', SAFE)
    .action(async (words: string[], flags: RehearseFlags) => {
      const { runRehearse } = await import('./rehearse-command.ts');
      host.end(await runRehearse([...words, ...(flags.filename ?? [])], flags, host.around));
    });
}
