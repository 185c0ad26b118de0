import { type Command, Option } from 'commander';
import { collect, noted } from '../canaries/flags.ts';
import { logLevelOption, switchOption } from '../go-flags.ts';
import { acceptIgnoredFlags } from '../ignored-flags.ts';

const EXAMPLES = [
  'serin loadtester --state-file gates.json   # hey and curl, as in webhooks; gates survive a restart',
  'serin loadtester --signing-key-file key    # only calls signed with it: webhooks[].secretRef with signingKey',
  // secrets/team-a.token or secrets/team-a.signingKey speaks for Canaries of team-a.
  "serin loadtester --credentials-dir secrets --allow-commands 'team-a|team-a-.*'   # commands for callers with credentials",
];
const MORE = '\nVariables: SERIN_LOADTESTER_TOKEN and SERIN_LOADTESTER_SIGNING_KEY, instead of the files. More: docs/loadtester.md';

/** `serin loadtester`: the flags of Flagger's load tester keep their names and meaning. */
export function addLoadTesterCommand(program: Command, run: (options: unknown) => Promise<void>): void {
  noted(acceptIgnoredFlags(program.command('loadtester')), { examples: EXAMPLES })
    .description('run the load tester: load, tests and gates for the webhooks of Canaries')
    .option('--port <number>', 'port to listen on; 0 picks one (--port 8080)', '9090')
    .addOption(new Option('--host <address>', 'address to listen on (--host 127.0.0.1)').default('', 'all'))
    .option('--timeout <duration>', 'timeout of one task (--timeout 10m)', '1h')
    .addOption(
      new Option(
        '--namespace-regexp <pattern>',
        "serve only Canaries of namespaces whose whole name matches (--namespace-regexp 'team-.*')",
      ).default('', 'all'),
    )
    .addOption(
      new Option(
        '--allow-commands <pattern>',
        'let Canaries of namespaces whose whole name matches run sh, bash, helm and kubectl; can be repeated (--allow-commands team-a)',
      ).argParser(collect),
    )
    .addOption(
      switchOption('--allow-unauthenticated-commands', 'let every client that reaches the port run commands, without credentials', false),
    )
    .option('--token-file <file>', 'file with the bearer token that callers must send (--token-file /secrets/token)')
    .option(
      '--signing-key-file <file>',
      'file with the key that callers must sign with, as webhooks with a signingKey do (--signing-key-file /secrets/key)',
    )
    .option(
      '--credentials-dir <folder>',
      'folder with files NAMESPACE.token and NAMESPACE.signingKey: the credentials of callers by namespace (--credentials-dir /secrets)',
    )
    .option('--state-file <file>', 'file that keeps open gates over a restart (--state-file /data/gates.json); default: none')
    .option('--max-tasks <number>', 'tasks at a time (--max-tasks 100)', '50')
    .option('--max-tasks-per-canary <number>', 'tasks of one Canary at a time (--max-tasks-per-canary 5)', '10')
    .option('--max-processes <number>', 'processes of one command at a time (--max-processes 64)', '128')
    .option('--max-memory <quantity>', 'memory of one command with all its processes (--max-memory 256Mi)', '512Mi')
    .option('--max-output <quantity>', 'output of one command; the last 64Ki are kept (--max-output 1Mi)', '16Mi')
    .option('--grace <duration>', 'how long blocking tasks continue after SIGTERM (--grace 60s)', '25s')
    .addOption(switchOption('--allow-local-addresses', 'allow requests to loopback addresses, for trials on one machine', false))
    .addOption(logLevelOption())
    .addHelpText('after', MORE)
    .action(run);
}
