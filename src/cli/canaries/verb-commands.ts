import { type Command, Option } from 'commander';
import { verbDefinitions } from '../../api/verb-definitions.ts';
import type { Verb } from '../../api/verb-request.ts';
import { canaryCommand, type RunOn } from './flags.ts';
import type { ClusterFlags } from './session.ts';
import type { VerbFlags } from './verb-command.ts';

/** A request for each verb, recorded on the Canary and answered by the controller. */
export function addVerbCommands(program: Command, runOn: RunOn): void {
  for (const [verb, { does }] of Object.entries(verbDefinitions) as [Verb, { does: string }][]) {
    canaryCommand(program, verb, { exits: ['timedOut', 'notFound', 'refused'] })
      .description(does)
      .option('--no-wait', 'record the request without waiting for the answer of the controller')
      .addOption(new Option('--timeout <duration>', 'how long to wait for the answer of the controller').default('1m'))
      .action(
        runOn(async (session, name, flags: ClusterFlags & VerbFlags) =>
          (await import('./verb-command.ts')).verbCommand(session, verb, name, flags),
        ),
      );
  }
  canaryCommand(program, 'accept', {
    examples: ['serin accept shop --namespace test --no-wait'],
    exits: ['timedOut', 'notFound', 'refused'],
  })
    .description('hand the application of a deleted Canary over to its current target, although that was not promoted')
    .option('--no-wait', 'record the request without waiting until the target serves')
    .addOption(new Option('--timeout <duration>', 'how long to wait until the target serves').default('10m'))
    .action(
      runOn(async (session, name, flags: ClusterFlags & VerbFlags) =>
        (await import('./accept-command.ts')).acceptCommand(session, name, flags),
      ),
    );
}
