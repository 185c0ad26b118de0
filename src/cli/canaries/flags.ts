import { Argument, type Command, Option } from 'commander';
import { type ExitName, exitCodes } from '../output/exit-codes.ts';
import { outputFormats } from '../output/output-formats.ts';
import type { ClusterFlags, Session } from './session.ts';

/** Parts of a command's help, and of docs/cli.md, beside its flags. */
export interface CommandNotes {
  /** Command lines for a shell. Each is run by a test, test/integration/people.test.ts. */
  examples: readonly string[];
  /** Besides `done`, `unanswered`, `usage` and `fault`, which are possible for every command. */
  exits?: readonly ExitName[];
}

const notes = new WeakMap<Command, CommandNotes>();

/** Adds examples and exit codes to a command's help. */
export function noted(command: Command, { examples, exits = [] }: CommandNotes): Command {
  notes.set(command, { examples, exits });
  const codes = exits.map((name) => `  ${exitCodes[name].code}  ${exitCodes[name].says}`);
  const more =
    codes.length === 0 ? '' : `\n\nExit codes, beside 0 (success), 2 (no result) and 64 (wrong command line):\n${codes.join('\n')}`;
  return command.addHelpText('after', ({ command: asked }) => {
    // The reader's name for the program: `kubectl serin` for a plugin.
    const lines = examples.map((line) => `  ${line.replaceAll(/\bserin(?= )/g, calledNow(asked))}`);
    return `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.join('\n')}${more}`;
  });
}

function calledNow(command: Command): string {
  return command.parent ? calledNow(command.parent) : command.name();
}

/** The notes that `noted` has added. */
export function notesOf(command: Command): CommandNotes | undefined {
  return notes.get(command);
}

/** Names that a shell completes a word to, beside the choices of an option. */
export type CompletionKind = 'canaries' | 'knativeServices' | 'namespaces' | 'contexts' | 'files';

const known = new WeakMap<Argument, CompletionKind>();

/** An argument that is such a name. */
export function nameOf(what: CompletionKind, argument: string, description: string): Argument {
  const made = new Argument(argument, description);
  known.set(made, what);
  return made;
}

/** Makes the action of a command on the cluster that the flags choose. */
export type RunOnCluster = <F extends ClusterFlags>(act: (session: Session, flags: F) => Promise<ExitName>) => (flags: F) => Promise<void>;

/** Makes the action of a command on the object that its first argument names; the name is without its namespace then. */
export type RunOn = <F extends ClusterFlags>(
  act: (session: Session, name: string, flags: F) => Promise<ExitName>,
) => (text: string, flags: F) => Promise<void>;

/** A command on the one Canary that its argument names. */
export function canaryCommand(
  program: Command,
  name: string,
  { exits, examples = [`serin ${name} podinfo --namespace test`] }: Partial<CommandNotes> & { exits: readonly ExitName[] },
): Command {
  const command = noted(withKubectlFlags(program.command(name)), { examples, exits });
  return command.addArgument(nameOf('canaries', '<name>', 'name of the Canary, or NAMESPACE/NAME'));
}

/** Parses an option that can be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

/** Flags are matched by the name of their value. */
export function completionOf(thing: Option | Argument): CompletionKind | undefined {
  if (thing instanceof Argument) return known.get(thing);
  if (/<(file|folder)/.test(thing.flags)) return 'files';
  return thing.long === '--context' ? 'contexts' : thing.long === '--namespace' ? 'namespaces' : undefined;
}

/** The flags of kubectl that say which cluster and namespace is meant, and how the answer is shown. */
export function withKubectlFlags(command: Command): Command {
  return withOutput(withCluster(command)).option('-n, --namespace <name>', "namespace; default: the context's");
}

/** Adds the flags that choose the cluster. */
export function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig; default: $KUBECONFIG, the pod’s service account, ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig; default: the current one')
    .addOption(new Option('--request-timeout <duration>', 'timeout of one request to the API server').default('30s'));
}

/** Adds the flags of the output format. */
export function withOutput(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format; default: text').choices(outputFormats))
    .option('--no-color', 'no colour (as NO_COLOR and TERM=dumb)')
    .option('--plain', 'no colour, ASCII only, and no redrawing');
}
