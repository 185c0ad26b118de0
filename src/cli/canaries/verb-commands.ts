import { type Command, Option } from 'commander';
import type { Verb } from '../../api/verb-request.ts';
import { canaryCommand, type RunOn } from './flags.ts';
import type { ClusterFlags } from './session.ts';
import type { VerbFlags } from './verb-command.ts';

/** docs/verbs.md describes each verb in each phase. */
const verbs = {
  promote: 'skip the rest of the analysis and promote, or approve the gate that the release waits for',
  rollback: 'roll the release back: route all traffic to the primary',
  pause: 'pause the release at its current weight until it is resumed',
  resume: 'resume a paused release',
  retry: 'release the failed revision again',
  undo: 'return to the revision before the last promotion',
  restart: 'restart the pods of the primary, without an analysis',
} as const satisfies Record<Verb, string>;

/** A request for each verb, recorded on the Canary and answered by the controller. */
export function addVerbCommands(program: Command, runOn: RunOn): void {
  for (const [verb, description] of Object.entries(verbs) as [Verb, string][]) {
    canaryCommand(program, verb, { exits: ['timedOut', 'notFound', 'refused'] })
      .description(description)
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
