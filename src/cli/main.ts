#!/usr/bin/env node
import { calledAs } from './called-as.ts';
import { LIKE_GO, withTwoDashes } from './go-flags.ts';
import { serinProgram } from './program.ts';

const program = serinProgram(calledAs(process.argv[1]));
const words = process.argv.slice(2);
// What the scripts of `serin completion` ask; kubectl asks a program of this name what can follow `kubectl serin`.
const isOfKubectl = /kubectl_complete-serin(\.\w+)?$/.test(process.argv[1] ?? '');
if (isOfKubectl || words[0] === '__complete') {
  const { answerShell } = await import('./completion/answer.ts');
  const answer = await answerShell(program, isOfKubectl ? words : words.slice(1), process.env);
  // A credential plugin that nobody waits for any more would hold the process.
  process.stdout.write(answer, () => process.exit(0));
} else {
  await program.parseAsync(LIKE_GO.has(words[0] ?? '') ? withTwoDashes(words) : words, { from: 'user' });
}
