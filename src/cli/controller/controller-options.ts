import { type Command, Option } from 'commander';
import { type Flag, flagEntries, writtenName } from '../../controller/flags.ts';
import { collect, noted } from '../canaries/flags.ts';
import { logLevelOption, switchOption } from '../go-flags.ts';
import { acceptIgnoredFlags } from '../ignored-flags.ts';

function optionOf(name: string, flag: Flag): Option {
  const { kind, value, fallback, shown, choices, env } = flag;
  const help = env === undefined ? flag.help : `${flag.help} ($${env} wins)`;
  if (kind === 'switch') return switchOption(`--${writtenName(name)}`, help, fallback === true);
  const option = new Option(`--${writtenName(name)} ${value}`, help);
  if (choices) option.choices(choices);
  if (kind === 'pairs') option.argParser(collect);
  if (fallback !== undefined) option.default(fallback, shown);
  return option.hideHelp(flag.isHidden ?? false);
}

/** `serin controller`, with the flags of `src/controller/flags.ts`. */
export function addControllerCommand(program: Command, run: (options: unknown) => Promise<void>): void {
  const command = noted(acceptIgnoredFlags(program.command('controller')), {
    examples: ['serin controller --namespaces test,staging --mesh-provider kubernetes --metrics-server http://prometheus.monitoring:9090'],
  }).description('run the controller: release the Canaries of a cluster until it is stopped');
  for (const [name, flag] of flagEntries) command.addOption(optionOf(name, flag));
  // For the demo: the controller ends when its parent does.
  command.addOption(new Option('--end-with-stdin', 'stop when the standard input ends').hideHelp()).addOption(logLevelOption()).action(run);
}
