import { Command, CommanderError } from 'commander';
import { CommandLine, type ControllerConfig } from '../../controller/config.ts';
import { writtenName } from '../../controller/flags.ts';
import { configOf } from '../../process/controller-settings.ts';
import { addControllerCommand } from '../controller/controller-options.ts';
import { withTwoDashes } from '../go-flags.ts';

/** A service account. */
export interface Account {
  namespace: string;
  name: string;
}

/** Choices of an installation that decide which requests its controller makes to the API server. */
export interface RightsSettings {
  config: ControllerConfig;
  account: Account;
  dashboard: boolean;
  /** Routing objects of meshes are in another cluster. */
  remoteRoutes: boolean;
  /** Copies that Flagger made are kept. */
  takeOver: boolean;
}

/** Those of a controller with these arguments, or why it would not start. */
export async function settingsOf(
  args: readonly string[],
  { account, takeOver }: Pick<RightsSettings, 'account' | 'takeOver'>,
): Promise<RightsSettings | { problem: string }> {
  const read = await commandLineOf(args);
  if ('problem' in read) return read;
  const { kubeconfigServiceMesh, dashboard } = read.flags;
  const config = configOf(read.flags, {});
  if (!config.success) {
    const [issue] = config.error.issues;
    return { problem: `--${writtenName(String(issue?.path[0]).replace(/Ms$/, ''))}: ${issue?.message}` };
  }
  return { config: config.data, account, takeOver, dashboard, remoteRoutes: (kubeconfigServiceMesh ?? '') !== '' };
}

async function commandLineOf(args: readonly string[]): Promise<{ flags: CommandLine } | { problem: string }> {
  let options: unknown;
  const program = new Command('serin').exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  addControllerCommand(program, async (given) => {
    options = given;
  });
  try {
    await program.parseAsync(withTwoDashes(['controller', ...args]), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { problem: error.message.replace(/^error: /, '') };
  }
  const flags = CommandLine.safeParse(options);
  if (flags.success) return { flags: flags.data };
  const [issue] = flags.error.issues;
  return { problem: `--${writtenName(String(issue?.path[0]))}: ${issue?.message}` };
}
