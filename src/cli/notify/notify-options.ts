import { type Command, Option } from 'commander';
import { canaryCommand, type RunOn } from '../canaries/flags.ts';
import type { ClusterFlags } from '../canaries/session.ts';
import { alertKinds } from './alert-kinds.ts';
import type { NotifyFlags } from './notify-command.ts';

/** `serin notify`. */
export function addNotifyCommand(program: Command, runOn: RunOn): void {
  canaryCommand(program, 'notify', { examples: ['serin notify podinfo --namespace test --dry-run'], exits: ['no', 'notFound'] })
    .description(
      'send a test alert to the receivers of a Canary, or show what each would get; values that need a release are made up, and the message says that it is a test',
    )
    .option('--dry-run', 'show what each receiver would get, and send nothing')
    .option('--provider <name>', 'only the AlertProvider of this name')
    .addOption(new Option('--reason <kind>', 'kind of alert').choices(Object.keys(alertKinds)).default('Failed'))
    .option('--yes', 'send without a confirmation')
    .option('--dashboard-url <url>', 'the same as the flag of the controller')
    .option('--cluster-name <name>', 'the same as the flag of the controller')
    .option('--message-templates-file <file>', 'the same as the flag of the controller')
    .action(
      runOn(async (session, name, flags: ClusterFlags & NotifyFlags) => {
        const { askOnTerminal, notifyCommand } = await import('./notify-command.ts');
        return notifyCommand(session, name, flags, { ask: askOnTerminal, environment: process.env });
      }),
    );
}
