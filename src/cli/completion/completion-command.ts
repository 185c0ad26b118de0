import { Argument, type Command } from 'commander';
import type { CommandHost } from '../canaries/command-host.ts';
import { noted } from '../canaries/flags.ts';
import { installHelp, type Shell, scriptFor, shells } from './scripts.ts';

/** `serin completion SHELL`. Calls of its scripts are answered before the command line is parsed: their words belong to another command line. */
export function addCompletionCommand(program: Command, { around, end }: CommandHost): void {
  noted(program.command('completion'), { examples: ['serin completion bash'] })
    .description('print the completion script of a shell: commands, flags, values, and names of Canaries, namespaces and contexts')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', installHelp)
    .action(async (shell: Shell) => {
      const { guarded } = await import('../canaries/session.ts');
      const print = async (output: { write(text: string): void }) => {
        output.write(scriptFor(shell));
        return 'done' as const;
      };
      end(await guarded({}, around, print));
    });
}
