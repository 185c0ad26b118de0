import { type Command, Option } from 'commander';
import type { Verb } from '../../api/verb-request.ts';
import { addCompletionCommand } from '../completion/completion-command.ts';
import { addJournalCommands } from '../journal/journal-commands.ts';
import { addNotifyCommand } from '../notify/notify-options.ts';
import type { Output } from '../output/output.ts';
import { addPreflightCommand } from '../preflight/preflight-options.ts';
import { addRehearseCommand } from '../rehearse/rehearse-options.ts';
import { addReportCommand } from '../report/report-commands.ts';
import { addTrafficCommands } from '../traffic/traffic-commands.ts';
import { type CommandHost, inProcess } from './command-host.ts';
import { canaryCommand, noted, type RunOn, type RunOnCluster, withCluster, withKubectlFlags, withOutput } from './flags.ts';
import { readObjectName } from './object-name.ts';
import type { ClusterFlags } from './session.ts';
import { addVerbCommands } from './verb-commands.ts';

/** The commands for users of a cluster; docs/cli.md is generated from their descriptions. */
export function addCanaryCommands(program: Command, host: CommandHost = inProcess): void {
  /** A command's own module is loaded when it is called: a newcomer's first line must not wait for a Kubernetes client. */
  const run: RunOnCluster = (act) => async (flags) => {
    const { onCluster } = await import('./session.ts');
    host.end(await onCluster(flags, (session) => act(session, flags), host.around));
  };

  /** The same for the one object that the first argument names. */
  const runOn: RunOn = (act) => async (text, flags) => {
    const named = readObjectName(text, flags.namespace);
    if (!('problem' in named)) return run((session) => act(session, named.name, flags))({ ...flags, ...named });
    const [{ guarded }, { usageError }] = await Promise.all([import('./session.ts'), import('../output/exit-codes.ts')]);
    const refuse = () => Promise.reject(usageError(named.problem));
    host.end(await guarded(flags, host.around, refuse));
  };

  addListCommand(program, run);
  addReadingCommands(program, runOn);
  addDashboardCommand(program, run);
  addJournalCommands(program, { run, runOn, host });
  addPreflightCommand(program, host);
  addRehearseCommand(program, host);
  addReportCommand(program, run, runOn);
  addVersionCommand(program, host);
  addCompletionCommand(program, host);
  addVerbCommands(program, runOn);
  addNotifyCommand(program, runOn);
  addTrafficCommands(program, runOn);
}

function addListCommand(program: Command, run: RunOnCluster): void {
  noted(withKubectlFlags(program.command('list')), { examples: ['serin list --all-namespaces'] })
    .alias('get')
    .description('list Canaries: phase, traffic, failed checks')
    .option('-A, --all-namespaces', 'Canaries of all namespaces')
    .option('-l, --selector <selector>', 'only Canaries with these labels, like team=shop')
    .option('-w, --watch', 'follow them until q or Ctrl-C; without a terminal, or with --plain, a line for each change')
    .action(
      run(async (session, flags: ClusterFlags & { selector?: string; watch?: boolean }) => {
        if (flags.watch !== true) return (await import('./list-command.ts')).listCommand(session, flags);
        const [{ liveList }, { processKeyboard }] = await Promise.all([import('../view/live-list.ts'), import('../view/keys.ts')]);
        return liveList(session, flags, processKeyboard());
      }),
    );
}

/** Commands that read one Canary. */
function addReadingCommands(program: Command, runOn: RunOn): void {
  canaryCommand(program, 'status', { exits: ['notFound'] })
    .description('show one Canary: both workloads, traffic, checks with their limits, gates and events')
    .option(
      '-w, --watch',
      'follow it until q or Ctrl-C; on a terminal a screen with pods and keys: p promote, r rollback, space pause, w why',
    )
    .action(
      runOn(async (session, name, flags) => {
        const [{ statusCommand }, { requestVerb }, { processKeyboard }] = await Promise.all([
          import('./status-command.ts'),
          import('../../reading/request-verb.ts'),
          import('../view/keys.ts'),
        ]);
        const ask = (verb: Verb) => requestVerb(session, verb, name, { wait: true, timeout: '1m' });
        return statusCommand(session, name, flags, { keyboard: processKeyboard(), ask });
      }),
    );

  canaryCommand(program, 'why', { exits: ['notFound'] })
    .description('say why a Canary does not go on: the cause, the field that proves it, and the remedy')
    .action(runOn(async (session, name) => (await import('../why/why-command.ts')).whyCommand(session, name)));

  canaryCommand(program, 'wait', {
    examples: ['serin wait podinfo --namespace test --for=succeeded --revision=target --timeout=30m'],
    exits: ['no', 'timedOut', 'notFound'],
  })
    .description('wait for a release and exit with its result, for pipelines')
    .addOption(
      new Option('--for <goal>', 'state to wait for; settled: any end of a release')
        .choices(['succeeded', 'initialized', 'waiting-promotion', 'settled'])
        .default('succeeded'),
    )
    .option(
      '--revision <revision>',
      'wait for the release of this revision, in full or its first 7 characters; "target" is the revision of the target when the command starts. Without it any release counts, also an earlier one',
    )
    .option('--timeout <duration>', 'how long to wait', '30m')
    .action(runOn(async (session, name, flags) => (await import('./wait-command.ts')).waitCommand(session, name, flags)));

  canaryCommand(program, 'history', {
    examples: ['serin history podinfo --namespace test', 'serin history podinfo --namespace test --journal'],
    exits: ['notFound'],
  })
    .description('list promoted revisions, and the last releases that ended without a promotion with their end, the newest first')
    .option('--journal [release]', 'list the journals of releases instead, or print the one of this release number')
    .action(
      runOn(async (session, name, { journal }: ClusterFlags & { journal?: string | true }) => {
        if (journal === undefined) return (await import('./history-command.ts')).historyCommand(session, name);
        return (await import('../journal/journal-command.ts')).journalCommand(session, name, journal);
      }),
    );

  canaryCommand(program, 'diff', { exits: ['no', 'notFound'] })
    .description(
      'show which fields of the primary a promotion of the target would change now; of its ConfigMaps and Secrets only the keys that differ, and of the scaler of the primary what it takes over then',
    )
    .option('--selector-labels <list>', 'the same as the flag of the controller', 'app,name,app.kubernetes.io/name')
    .action(runOn(async (session, name, flags) => (await import('./diff-command.ts')).diffCommand(session, name, flags)));
}

function addVersionCommand(program: Command, host: CommandHost): void {
  noted(withOutput(withCluster(program.command('version'))), { examples: ['serin version --client'] })
    .description('print the versions of this program, of its output format, and of the Kubernetes API server')
    .option('--client', 'only of this program, without a cluster')
    .action(async (flags) => {
      const [{ clientVersionCommand, versionCommand }, { connected, guarded }] = await Promise.all([
        import('./version-command.ts'),
        import('./session.ts'),
      ]);
      const { around } = host;
      const show = (output: Output) =>
        flags.client === true ? clientVersionCommand(output) : versionCommand(output, (read) => connected(flags, { around, output }, read));
      host.end(await guarded(flags, around, show));
    });
}

/** `serin dashboard`. */
function addDashboardCommand(program: Command, run: RunOnCluster): void {
  noted(withCluster(program.command('dashboard')), { examples: ['serin dashboard --all-namespaces'] })
    .description('serve a page in the browser on this machine: all Canaries, one release live, history and verbs, until Ctrl-C')
    .option('-n, --namespace <name>', "namespace; default: the context's")
    .option('-A, --all-namespaces', 'Canaries of all namespaces')
    .option('--port <port>', 'port on the loopback address; 0: any that is free', '0')
    .option('--mesh-provider <name>', 'traffic provider of Canaries without one: the same as the flag of the controller', 'istio')
    .option('--open', 'open it in the browser')
    .action(run(async (session, flags) => (await import('../dashboard/dashboard-command.ts')).dashboardCommand(session, flags)));
}
