import type { Command } from 'commander';

/** A command and those below it that its users see. */
export function commandsOf(command: Command): readonly Command[] {
  const below = command.createHelp().visibleCommands(command);
  // `help` is commander's own.
  return [command, ...below.filter((one) => one.name() !== 'help').flatMap(commandsOf)];
}

/** The call of a command: `serin traffic set`. */
export function callOf(command: Command): string {
  return command.parent ? `${callOf(command.parent)} ${command.name()}` : command.name();
}

/** Output of `--help`. */
export function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** The command lines below the heading `Example:` of a help text. */
export function examplesIn(help: string): string[] {
  const [, block = ''] = /^Examples?:\n((?: {2}.+\n?)+)/m.exec(help) ?? [];
  return block.split('\n').flatMap((line) => line.trim() || []);
}
