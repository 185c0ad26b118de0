import { type Command, Option } from 'commander';
import type { Verb } from '../../api/verb-request.ts';
import { noted, type RunOn, theCanary, withKubectlFlags } from './flags.ts';
import type { ClusterFlags } from './session.ts';
import type { VerbFlags } from './verb-command.ts';

/** What each verb is for; what it does in each phase is in docs/verbs.md. */
const verbs = {
  promote: 'leave out the rest of the analysis, or approve what waits for its gate',
  rollback: 'take the release back: its traffic goes home',
  pause: 'hold the release where it is, without limit',
  resume: 'let a paused release go on',
  retry: 'release a failed revision once more',
  undo: 'go back to the revision before the last promotion',
} as const satisfies Record<Verb, string>;

/** A request for each verb, recorded on the Canary and answered by the controller. */
export function addVerbCommands(program: Command, runOn: RunOn): void {
  for (const [verb, description] of Object.entries(verbs) as [Verb, string][]) {
    noted(withKubectlFlags(program.command(verb)), {
      examples: [`serin ${verb} podinfo --namespace test`],
      exits: ['timedOut', 'notFound', 'refused'],
    })
      .addArgument(theCanary('the Canary, or NAMESPACE/NAME'))
      .description(description)
      .option('--no-wait', 'record the request, and do not wait for its answer')
      .addOption(new Option('--timeout <duration>', 'how long the answer is waited for').default('1m'))
      .action(async (name: string, flags: ClusterFlags & VerbFlags) =>
        runOn(name, flags, async (session, bare) => (await import('./verb-command.ts')).verbCommand(session, verb, bare, flags)),
      );
  }
}
