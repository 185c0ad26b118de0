import { type Command, Option } from 'commander';

const ownLogger = 'logs are JSON, one object a line, on stderr';

/** Flags of Flagger that are ignored, and why: a command line that has them starts all the same. */
export const ignoredFlags: Readonly<Record<string, string>> = {
  'control-loop-interval': 'nothing is polled: changes wake Canaries',
  threadiness: 'each Canary has a queue of its own',
  'zap-encoding': ownLogger,
  'zap-replace-globals': ownLogger,
  v: 'use --log-level=debug',
  ...Object.fromEntries(
    [
      'add_dir_header',
      'alsologtostderr',
      'log_backtrace_at',
      'log_dir',
      'log_file',
      'log_file_max_size',
      'logtostderr',
      'one_output',
      'skip_headers',
      'skip_log_headers',
      'stderrthreshold',
      'vmodule',
    ].map((klog) => [klog, ownLogger]),
  ),
};

/** Takes these flags, with or without a value, and does not show them. */
export function acceptIgnoredFlags(command: Command): Command {
  for (const flag of Object.keys(ignoredFlags)) {
    const spelt = flag.length === 1 ? `-${flag}, --${flag}` : `--${flag}`;
    command.addOption(new Option(`${spelt} [value]`).hideHelp());
  }
  return command;
}

/** The ignored flags that were given, and why they are ignored. */
export function ignoredFlagsIn(options: Readonly<Record<string, unknown>>): { flag: string; reason: string }[] {
  return Object.entries(ignoredFlags).flatMap(([flag, reason]) => {
    const attribute = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return Object.hasOwn(options, attribute) ? [{ flag: `--${flag}`, reason }] : [];
  });
}
