import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addCanaryCommands } from './canary-commands.ts';
import { readObjectName } from './object-name.ts';

it.each([
  ['podinfo', undefined, { name: 'podinfo' }],
  ['podinfo', 'test', { name: 'podinfo', namespace: 'test' }],
  ['test/podinfo', undefined, { name: 'podinfo', namespace: 'test' }],
  ['test/podinfo', 'test', { name: 'podinfo', namespace: 'test' }],
  ['canary/podinfo', 'test', { name: 'podinfo', namespace: 'test' }],
  ['canaries.flagger.app/podinfo', undefined, { name: 'podinfo' }],
  ['canary/test/podinfo', undefined, { name: 'podinfo', namespace: 'test' }],
])('%s with --namespace %s is %j', (text, flag, named) => expect(readObjectName(text, flag)).toEqual(named));

it.each(['', '/', 'test/', '/podinfo', 'a/b/c', 'canary/'])('%j names no Canary', (text) =>
  expect(readObjectName(text, undefined)).toEqual({ problem: expect.stringContaining('the argument NAME is') }),
);

it('two namespaces are refused', () =>
  expect(readObjectName('test/podinfo', 'prod')).toEqual({
    problem: 'the argument NAME is test/podinfo, and --namespace is prod: name one namespace',
  }));

const commands = [
  ...['promote', 'rollback', 'pause', 'resume', 'retry', 'undo', 'status', 'why', 'wait', 'history', 'diff', 'report'],
  ...['traffic show', 'traffic set'],
];
it.each(commands)('serin %s "" is a usage error that names the argument, and no cluster is asked', async (words) => {
  const err: string[] = [];
  const codes: number[] = [];
  const streams = { out: { write: () => true }, err: { write: (text: string) => err.push(text) } };
  const program = new Command('serin');
  addCanaryCommands(program, { around: { env: { KUBECONFIG: '/none' }, streams }, end: (exit) => void codes.push(exit) });
  await program.parseAsync([...words.split(' '), ''], { from: 'user' });
  expect({ codes, err: err.join('') }).toEqual({ codes: [64], err: expect.stringMatching(/^Error: the argument NAME is ""/) });
});
