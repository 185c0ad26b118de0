import { expect, it } from 'vitest';
import { serinProgram, withoutHelpOfUnknown } from './program.ts';

it.each([
  ['nosuchverb --help', 'nosuchverb'],
  ['nosuchverb -n shop -h', 'nosuchverb -n shop'],
  ['help nosuchverb', 'nosuchverb'],
  ['crds nosuchverb --help', 'crds nosuchverb'],
  ['--help', '--help'],
  ['help', 'help'],
  ['help list', 'help list'],
  ['list --help', 'list --help'],
  ['get -h', 'get -h'],
  ['crds diff --help', 'crds diff --help'],
  ['status podinfo --help', 'status podinfo --help'],
])('%s is parsed as: serin %s', (line, parsed) => {
  expect(withoutHelpOfUnknown(serinProgram('serin'), line.split(' ')).join(' ')).toBe(parsed);
});
