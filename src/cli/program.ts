import { Command, Option } from 'commander';
import { version } from '../base/version.ts';
import { addCanaryCommands } from './canaries/canary-commands.ts';
import { noted } from './canaries/flags.ts';
import { addControllerCommand } from './controller/controller-options.ts';
import { addCrdsCommands } from './crds/crds-commands.ts';
import { LIKE_GO, withTwoDashes } from './go-flags.ts';
import { addLoadTesterCommand } from './loadtester/loadtester-options.ts';
import { exitCodes } from './output/exit-codes.ts';
import { calledAs } from './own-program.ts';
import { addRightsCommand } from './rights/rights-options.ts';
import { addValidateCommand } from './validate/validate-options.ts';

/**
 * All commands, under the name that the user called the program by. Each loads its own modules when it is called: a newcomer's first line must
 * not wait for a Kubernetes client.
 */
export function serinProgram(name: string): Command {
  const program = noted(new Command(name), { examples: ['serin list --all-namespaces'] })
    .description('Progressive delivery for Kubernetes that never hurts the application it releases.')
    .version(version, '--version', 'print the version')
    .showHelpAfterError('(--help lists commands and flags)');
  addControllerCommand(program, async (options) => {
    const { controllerCommand } = await import('./controller/controller-command.ts');
    process.exitCode = await controllerCommand(options, process.env);
  });
  addLoadTesterCommand(program, async (options) => {
    const { loadTesterCommand } = await import('./loadtester/loadtester-command.ts');
    process.exitCode = await loadTesterCommand(options, process.env);
  });
  addValidateCommand(program);
  addRightsCommand(program);
  addCrdsCommands(program);
  addTrialCommands(program);
  addCanaryCommands(program);
  exitWithUsageCode(program);
  return program;
}

/** Runs the command line, given as `process.argv`; it ends when the command does. */
export async function runSerin(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietly);
  const program = serinProgram(calledAs(argv[1]));
  const words = withoutHelpOfUnknown(program, argv.slice(2));
  // The scripts of `serin completion` call this; kubectl calls a program of this name to complete `kubectl serin`.
  const isOfKubectl = /kubectl_complete-serin(\.\w+)?$/.test(argv[1] ?? '');
  if (isOfKubectl || words[0] === '__complete') {
    const { answerShell } = await import('./completion/answer.ts');
    const answer = await answerShell(program, isOfKubectl ? words : words.slice(1), process.env);
    // A credential plugin that still runs would keep the process alive.
    process.stdout.write(answer, () => process.exit(0));
  } else {
    await program.parseAsync(LIKE_GO.has(words[0] ?? '') ? withTwoDashes(words) : words, { from: 'user' });
  }
}

/** An unknown command is an error also with `--help`, which commander would answer with the help of the program. */
export function withoutHelpOfUnknown(program: Command, words: readonly string[]): readonly string[] {
  const named = words[0] === 'help' ? words.slice(1) : words;
  let command = program;
  for (const word of named) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (word.startsWith('-') || (next === undefined && command.commands.length === 0)) break;
    if (next === undefined) return named.filter((one) => one !== '--help' && one !== '-h');
    command = next;
  }
  return words;
}

/** The exit code that shells give a program that SIGPIPE ended, which Node ignores. */
const BROKEN_PIPE = 141;

/** A reader that has seen enough, as `head`, ends a command without a stack trace. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(BROKEN_PIPE);
}

/** Commands that need no cluster. */
function addTrialCommands(program: Command): void {
  noted(program.command('chart'), { examples: ['serin chart > release.mmd'] })
    .description('print the statechart of a release as a Mermaid diagram')
    .action(async () => {
      const { mermaid } = await import('../engine/diagram.ts');
      process.stdout.write(`${mermaid()}\n`);
    });

  noted(program.command('cluster'), { examples: ['serin cluster --env cluster.env'] })
    .description('run a cluster inside this process to try Serin on, for kubectl and serin controller, until Ctrl-C')
    .option('--env <file>', 'write KUBECONFIG, PROMETHEUS and PROXY to this file, for a shell to source')
    .action(async (options: { env?: string }) => {
      const { clusterCommand } = await import('./cluster-command.ts');
      process.exitCode = await clusterCommand(options, (line) => void process.stdout.write(`${line}\n`));
    });

  noted(program.command('demo'), { examples: ['serin demo --provider smi'] })
    .description('watch one release promoted and one rolled back, on a cluster inside this process')
    .addOption(new Option('--provider <name>', 'how traffic is routed').choices(['istio', 'smi', 'kubernetes']).default('istio'))
    .option('--keep', 'keep the cluster running and print how to reach it')
    .option('--open', 'open the dashboard of its cluster in the browser, and keep both running until Ctrl-C')
    .option('--json', 'print the summary as JSON, and everything else to stderr')
    .action(async (options) => {
      const { demoCommand } = await import('./demo/demo-command.ts');
      process.exitCode = await demoCommand({ keep: false, open: false, json: false, ...options });
    });
}

/** The controller and the load tester keep the code that a container ends with. */
function exitWithUsageCode(command: Command): void {
  if (LIKE_GO.has(command.name())) return;
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage.code));
  for (const one of command.commands) exitWithUsageCode(one);
}
