import type { Argument, Command, Option } from 'commander';
import { type CompletionKind, completionOf } from '../canaries/flags.ts';

/** Candidates. With `files`, names of files are also candidates. */
export interface Completions {
  candidates: readonly Candidate[];
  files: boolean;
}

/** One word that a shell can complete to, with its description. */
export interface Candidate {
  value: string;
  says?: string;
}

/** The flags that were given so far, by long name; of those without a value `true`. */
export type GivenFlags = ReadonlyMap<string, string | true>;

/** Queries the kubeconfig or the cluster; empty if neither answers. */
export type FindNames = (what: CompletionKind, given: GivenFlags) => Promise<readonly string[]>;

const NOTHING: Completions = { candidates: [], files: false };

/** Candidates for the last word, which can be empty. The words begin after the name of the program. */
export async function completions(program: Command, words: readonly string[], findNames: FindNames): Promise<Completions> {
  const last = words.at(-1) ?? '';
  const { command, given, waiting, place, isOver } = read(program, words.slice(0, -1));
  const only = ({ candidates, files }: Completions): Completions => ({
    candidates: candidates.filter(({ value }) => value.startsWith(last)),
    files,
  });
  if (waiting) return only(await valuesOf(waiting, given, findNames));
  const [, flag = '', begun] = isOver ? [] : (/^(--[\w-]+)=(.*)$/s.exec(last) ?? []);
  const option = begun === undefined ? undefined : optionOf(command, flag);
  if (option) {
    const { candidates, files } = await valuesOf(option, given, findNames);
    return only({ candidates: candidates.map(({ value, ...rest }) => ({ value: `${flag}=${value}`, ...rest })), files });
  }
  if (last.startsWith('-') && !isOver) return only({ candidates: flagsOf(command), files: false });
  if (place === 0 && command.commands.length > 0) return only({ candidates: commandsOf(command), files: false });
  const list = command.registeredArguments;
  const argument = list[place] ?? (list.at(-1)?.variadic ? list.at(-1) : undefined);
  return argument ? only(await valuesOf(argument, given, findNames)) : NOTHING;
}

interface Read {
  command: Command;
  given: GivenFlags;
  /** The flag whose value comes next. */
  waiting?: Option | undefined;
  /** Index of the next word among the arguments. */
  place: number;
  /** After `--` nothing is a flag any more. */
  isOver: boolean;
}

function read(program: Command, words: readonly string[]): Read {
  const given = new Map<string, string | true>();
  const state: Read = { command: program, given, place: 0, isOver: false };
  for (const word of words) {
    const { waiting } = state;
    if (waiting) {
      given.set(waiting.long ?? '', word);
      state.waiting = undefined;
    } else if (word === '--') state.isOver = true;
    else if (word.startsWith('-') && word !== '-' && !state.isOver) {
      const [name = '', value] = word.split(/=(.*)/s);
      const option = optionOf(state.command, name);
      if (option?.required && value === undefined) state.waiting = option;
      else if (option) given.set(option.long ?? '', value ?? true);
    } else {
      const below =
        state.place === 0 ? state.command.commands.find((one) => one.name() === word || one.aliases().includes(word)) : undefined;
      if (below) state.command = below;
      else state.place += 1;
    }
  }
  return state;
}

function optionOf({ options }: Command, name: string): Option | undefined {
  return options.find(({ short, long }) => name === long || name === short);
}

async function valuesOf(thing: Option | Argument, given: GivenFlags, findNames: FindNames): Promise<Completions> {
  const { argChoices = [] } = thing;
  if (argChoices.length > 0) return { candidates: argChoices.map((value) => ({ value })), files: false };
  const known = completionOf(thing);
  if (known === 'files') return { candidates: [], files: true };
  return known ? { candidates: (await findNames(known, given)).map((value) => ({ value })), files: false } : NOTHING;
}

/** Only long names: each flag has one, which describes it. */
function flagsOf(command: Command): Candidate[] {
  const own = command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, description }) => (long ? [{ value: long, says: description }] : []));
  return [...own, { value: '--help', says: 'display help for command' }];
}

function commandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), says: one.description() }));
}
