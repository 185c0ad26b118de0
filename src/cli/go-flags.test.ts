import { Command } from 'commander';
import { expect, it } from 'vitest';
import { switchOption, withTwoDashes } from './go-flags.ts';

it.each([
  { given: ['-mesh-provider=istio'], read: ['--mesh-provider=istio'] },
  { given: ['--mesh-provider', 'istio'], read: ['--mesh-provider', 'istio'] },
  { given: ['-f', 'x.yaml', '-'], read: ['-f', 'x.yaml', '-'] },
  { given: ['-enable-leader-election'], read: ['--enable-leader-election'] },
])('$given is read as $read', ({ given, read }) => expect(withTwoDashes(given)).toEqual(read));

it.each([
  { words: [], on: false },
  { words: ['-enable-leader-election'], on: true },
  { words: ['-enable-leader-election=true'], on: true },
  { words: ['--enable-leader-election=1'], on: true },
  { words: ['-enable-leader-election=false'], on: false },
  { words: ['-enable-leader-election', '--port=0'], on: true },
])('a switch given as $words is $on', ({ words, on }) => {
  expect(parse(words).enableLeaderElection).toBe(on);
});

it.each([
  { words: [], on: false },
  { words: ['-no-cross-namespace-refs'], on: true },
  { words: ['-no-cross-namespace-refs=true'], on: true },
  { words: ['--no-cross-namespace-refs=false'], on: false },
])('a switch whose name begins with no-, given as $words, is $on', ({ words, on }) => {
  expect(parse(words)).toMatchObject({ noCrossNamespaceRefs: on });
});

it('a switch that is neither true nor false is refused by name', () => {
  expect(() => parse(['-enable-leader-election=maybe'])).toThrow(/--enable-leader-election.*maybe.*true or false/);
});

function parse(words: string[]): { enableLeaderElection?: unknown } {
  const command = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .addOption(switchOption('--no-cross-namespace-refs', '', false))
    .addOption(switchOption('--enable-leader-election', 'several replicas', false))
    .option('--port <number>');
  return command.parse(withTwoDashes(words), { from: 'user' }).opts();
}
