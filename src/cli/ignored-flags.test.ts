import { Command } from 'commander';
import { expect, it } from 'vitest';
import { logLevelOption, withTwoDashes } from './go-flags.ts';
import { acceptIgnoredFlags, ignoredFlagsIn } from './ignored-flags.ts';

function parse(words: readonly string[]): Record<string, unknown> {
  const command = acceptIgnoredFlags(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .option('--port <number>')
    .addOption(logLevelOption());
  return command.parse(withTwoDashes(words), { from: 'user' }).opts();
}

it.each([
  { words: ['-threadiness=4', '--port=0'], ignored: ['--threadiness'] },
  { words: ['--control-loop-interval', '10s', '--port=0'], ignored: ['--control-loop-interval'] },
  { words: ['-zap-encoding=console', '-zap-replace-globals', '--port=0'], ignored: ['--zap-encoding', '--zap-replace-globals'] },
  { words: ['-v=2', '-logtostderr', '-log_dir=/tmp', '--port=0'], ignored: ['--v', '--log_dir', '--logtostderr'] },
  { words: ['-v', '2', '--port=0'], ignored: ['--v'] },
  { words: ['--port=0'], ignored: [] },
])('$words starts, and reports $ignored as ignored', ({ words, ignored }) => {
  const options = parse(words);
  expect(options.port).toBe('0');
  expect(ignoredFlagsIn(options).map(({ flag }) => flag)).toEqual(ignored);
  for (const { reason } of ignoredFlagsIn(options)) expect(reason).toMatch(/\w/);
});

it.each([
  { word: 'debug', level: 'debug' },
  { word: 'warning', level: 'warn' },
  { word: 'panic', level: 'fatal' },
])('the log level $word is $level', ({ word, level }) => {
  expect(parse([`-log-level=${word}`]).logLevel).toBe(level);
});

it('an unknown log level is refused by name, and an unknown flag as well', () => {
  expect(() => parse(['--log-level=loud'])).toThrow(/loud.*one of debug, info/);
  expect(() => parse(['--threads=4'])).toThrow(/unknown option/);
});
