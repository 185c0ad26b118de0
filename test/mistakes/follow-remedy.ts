import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commandLine } from '../../src/loadtester/words.ts';
import type { Diagnosis } from '../../src/reading/documents/canary-documents.ts';
import { serin } from '../scenarios/serin.ts';
import type { Mistake, MistakeFixture } from './mistake.ts';
import { newVersionOnly } from './table/corrections.ts';

export interface Reader {
  kubectl: string;
  kubeconfigFile: string;
}

/** The remedy that a finding of `serin why` names, in a line. */
export function askedOf({ command, change, action }: Diagnosis): string {
  if (command !== undefined) return command;
  if (change === undefined) return action;
  return `${change.verb} ${change.kind} ${change.name}${change.field === undefined ? '' : ` ${change.field}`}: ${action}`;
}

/** Does what the finding says and nothing else, and says what was done. */
export async function followRemedy(
  { remedies, hasGoodVersion }: Mistake,
  namespace: string,
  diagnosis: Diagnosis,
  fixture: MistakeFixture,
  reader: Reader,
): Promise<string> {
  if (diagnosis.command !== undefined) return ran(diagnosis.command, reader);
  // The name of the namespace is that of the mistake.
  const asked = askedOf(diagnosis).replaceAll(namespace, 'NAMESPACE');
  const remedy = remedies.find(({ says }) => says.test(asked));
  if (remedy === undefined) return `nothing: it does not say what to correct (${asked})`;
  const commands = commandsIn(diagnosis.action);
  // A choice by whether the version is good: the reader knows which.
  const isChoice = diagnosis.action.includes('if the version is good');
  if (isChoice && !hasGoodVersion) {
    await remedy.do(fixture, namespace);
    return `as ${remedy.says} says`;
  }
  const done: string[] = [];
  // A command that does the same is the shorter way.
  const isCommand = commands.some((line) => line.startsWith('kubectl'));
  if (!isCommand && !(isChoice && remedy === newVersionOnly)) {
    await remedy.do(fixture, namespace);
    done.push(`as ${remedy.says} says`);
  }
  for (const line of commands) done.push(await ran(line, reader));
  return done.join(', then ');
}

/** Complete commands in a sentence that is otherwise for people. */
const commandsIn = (action: string): string[] =>
  [...action.matchAll(/\b(serin (?:retry|promote|resume) [\w./-]+ -n [\w-]+|kubectl rollout resume [\w./-]+ -n [\w-]+)/g)].map(
    ([line]) => line,
  );

async function ran(line: string, { kubectl, kubeconfigFile }: Reader): Promise<string> {
  const read = commandLine(line);
  if ('beyond' in read) throw new Error(`${line}: ${read.beyond}`);
  const [[program, ...words] = []] = read.pipeline;
  if (program === 'kubectl') await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfigFile, ...words]);
  else {
    const { code, complained } = await serin(kubeconfigFile, ...words);
    if (code !== 0) return `${line} (exit code ${code}: ${complained.trim()})`;
  }
  return line;
}
