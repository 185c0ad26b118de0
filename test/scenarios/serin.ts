import { Command } from 'commander';
import { addCanaryCommands } from '../../src/cli/canaries/canary-commands.ts';
import { addCrdsCommands } from '../../src/cli/crds/crds-commands.ts';
import { surroundings } from './world.ts';

export interface Said {
  code: number;
  said: string;
  complained: string;
}

/** A command for people as the program runs it, in this process: so many processes would take minutes on a busy machine. */
export async function serin(kubeconfigFile: string, ...args: string[]): Promise<Said> {
  const [out, err]: [string[], string[]] = [[], []];
  const streams = {
    out: { write: (text: string | Uint8Array) => out.push(String(text)) },
    err: { write: (text: string) => err.push(text) },
  };
  let code = -1;
  const place = {
    around: { ...surroundings(), env: { KUBECONFIG: kubeconfigFile, LC_ALL: 'C' }, streams },
    end(given: number) {
      code = given;
    },
  };
  const program = new Command('serin').exitOverride();
  addCanaryCommands(program, place);
  addCrdsCommands(program, place);
  await program.parseAsync(args, { from: 'user' });
  return { code, said: out.join(''), complained: err.join('') };
}
