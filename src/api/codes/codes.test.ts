import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serinProgram } from '../../cli/program.ts';
import { type About, actors, type Code } from './code.ts';
import { actorOf, blockerCodes, type CodeName, causes, isBlockerCode, needsNoOne, otherActor, remedyOf } from './codes.ts';
import { codes } from './list.ts';

const names = Object.keys(codes) as CodeName[];
const codeOf = (name: CodeName): Code => codes[name];
const object = { kind: 'Deployment', name: 'podinfo', namespace: 'test' };
const abouts: readonly About[] = [
  {},
  { object },
  { object, field: 'spec.a', webhook: 'freeze', metric: 'errors', detail: 'why' },
  { detail: '' },
];

// A code without an actor, or without a remedy, does not compile.
// @ts-expect-error: no actor
({ kinds: ['event'], meaning: 'a meaning', remedy: 'a remedy' }) satisfies Code;
// @ts-expect-error: no remedy
({ kinds: ['event'], meaning: 'a meaning', actor: 'byItself' }) satisfies Code;
// @ts-expect-error: no such actor
({ kinds: ['event'], meaning: 'a meaning', actor: 'someone', remedy: 'a remedy' }) satisfies Code;

describe('the list of codes', () => {
  it.each(names)('%s has a place, a meaning, an actor and a remedy', (name) => {
    const { kinds, meaning, actor } = codeOf(name);
    expect([kinds.length > 0, new Set(kinds).size === kinds.length, Object.hasOwn(actors, actor)]).toEqual([true, true, true]);
    expect(meaning).toMatch(/^\S.{9,}[^.\s]$/);
    for (const about of abouts) {
      expect(remedyOf(name, about)).toMatch(/^\S.*[^.\s]$/s);
      expect(remedyOf(name, about)).not.toMatch(/undefined|: $/);
    }
  });

  it('only a code that needs no one has the remedy to do nothing, and a code without action has no command', () => {
    const empty = names.filter((name) => remedyOf(name) === 'none needed');
    expect(empty.filter((name) => !needsNoOne(name))).toEqual([]);
    expect(names.filter((name) => codeOf(name).actor === 'noAction' && codeOf(name).command !== undefined)).toEqual([]);
  });

  // Its detail is a text of Serin that says which definition to install.
  it.each(names.filter((name) => name !== 'KindNotFound'))('%s says what to do, and not the detail once more', (name) => {
    for (const about of abouts) if (about.detail) expect(remedyOf(name, about)).not.toBe(about.detail);
  });

  it.each(blockerCodes)('%s names no owner of an object where there is none', (name) => {
    expect(actorOf(name, {})).not.toBe(actors.objectOwner);
    expect(otherActor(name, {})).not.toBe(actors.objectOwner);
    expect(actorOf(name, { object })).toBe(actors[codes[name].actor]);
  });

  it.each(blockerCodes)('%s needs no one only where its remedy is to wait', (name) => {
    if (needsNoOne(name)) expect(remedyOf(name)).toMatch(/^(wait|none needed)/);
    else expect(remedyOf(name)).not.toMatch(/^(wait\b|none needed|nothing to do)/);
  });

  it('two codes have different meanings', () => {
    expect(new Set(names.map((name) => codes[name].meaning)).size).toBe(names.length);
  });

  it('the list of codes knows the codes of blockers and causes, and no others', () => {
    expect(['Paused', 'Initialized', 'FromTheFuture', 'toString'].map(isBlockerCode)).toEqual([true, false, false, false]);
    expect(blockerCodes.filter((code) => !causes.some((cause) => cause === code))).toEqual(['SecretNotFound', 'SecretRejected']);
  });
});

it('docs/reasons.md has one row for each code, with its meaning, its actor and its remedy', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'reasons.md'), 'utf8');
  const [listed = ''] = page.split('# Former names');
  const rows = Map.groupBy([...listed.matchAll(/^\| `([A-Z][A-Za-z]+)` \|.*$/gm)], ([, name]) => name);
  expect([...rows].filter(([, found]) => found.length > 1).map(([name]) => name)).toEqual([]);
  expect([...rows.keys()]).toEqual(names.toSorted());
  for (const name of names) {
    const row = rows.get(name)?.[0]?.[0];
    for (const said of [codes[name].meaning, actors[codes[name].actor], remedyOf(name)]) expect(row).toContain(said);
  }
});

/** kubectl commands that a remedy can use, each with its flags: true if a value follows. */
const KUBECTL: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  annotate: { '-n': true, '--overwrite': false },
  'auth can-i': { '-n': true },
  describe: { '-n': true },
  edit: { '-n': true },
  get: { '-n': true, '-o': true, '-w': false, '-A': false, '-l': true, '--show-managed-fields': false, '--show-labels': false },
  logs: { '-n': true, '--previous': false },
  patch: { '-n': true, '--type': true, '-p': true },
  'rollout resume': { '-n': true },
  'rollout status': { '-n': true },
  scale: { '-n': true, '--replicas': true },
};

/** The words of a command as a shell splits them; single quotes keep words together. */
const wordsOf = (line: string): string[] => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

/** Reason for which kubectl would reject these words; undefined if it accepts them. */
function kubectlProblem(words: readonly string[]): string | undefined {
  const verb = Object.keys(KUBECTL).find((one) => words.slice(0, one.split(' ').length).join(' ') === one);
  const flags = verb === undefined ? undefined : KUBECTL[verb];
  if (verb === undefined || flags === undefined) return `unknown verb in: ${words.join(' ')}`;
  const rest = words.slice(verb.split(' ').length);
  let operands = 0;
  for (let index = 0; index < rest.length; index += 1) {
    const [flag = '', value] = (rest[index] ?? '').split(/=(.*)/s);
    if (!flag.startsWith('-')) operands += 1;
    else if (!Object.hasOwn(flags, flag)) return `unknown flag ${flag} in: ${words.join(' ')}`;
    else if (flags[flag] === true && value === undefined) {
      index += 1;
      if (rest[index] === undefined) return `no value of ${flag} in: ${words.join(' ')}`;
    }
  }
  return operands === 0 ? `no object in: ${words.join(' ')}` : undefined;
}

/** Reason for which serin would reject these words; undefined if it accepts them. */
function serinProblem(words: readonly string[]): string | undefined {
  let command = serinProgram('serin');
  let rest = [...words];
  for (;;) {
    const [next] = rest;
    const sub = command.commands.find((one) => one.name() === next || (next !== undefined && one.aliases().includes(next)));
    if (sub === undefined) break;
    command = sub;
    rest = rest.slice(1);
  }
  if (command.parent === null) return `unknown command in: serin ${words.join(' ')}`;
  const { operands, unknown } = command.parseOptions(rest);
  const [least, most] = [command.registeredArguments.filter(({ required }) => required).length, command.registeredArguments.length];
  if (unknown.length > 0) return `unknown flag ${unknown.join(' ')} in: serin ${words.join(' ')}`;
  return operands.length < least || operands.length > most ? `${operands.length} operands in: serin ${words.join(' ')}` : undefined;
}

function problemOf(line: string): string | undefined {
  const [program, ...words] = wordsOf(line);
  if (program === 'kubectl') return kubectlProblem(words);
  return program === 'serin' ? serinProblem(words) : `unknown program in: ${line}`;
}

describe('the commands of a remedy', () => {
  const commands = names.flatMap((name) =>
    [codeOf(name).command, codeOf(name).look].flatMap((line) => (line === undefined ? [] : [[name, line] as const])),
  );

  it.each(commands)('of %s can be run: %s', (_, line) => {
    expect(problemOf(line)).toBeUndefined();
    const known = new Set(['CANARY', 'NAMESPACE', 'KIND', 'KINDs', 'OBJECT', 'VERSION']);
    expect([...line.matchAll(/\b[A-Z]{4,}s?\b/g)].map(([word]) => word).filter((word) => !known.has(word))).toEqual([]);
  });

  it.each(names)('%s names only commands of serin that exist, also in words', (name) => {
    const texts = [...abouts.map((about) => remedyOf(name, about)), ...(codeOf(name).usualCauses?.match(/`[^`]*`/g) ?? [])];
    const said = texts.flatMap((text) => [...text.replaceAll('`', '').matchAll(/\bserin ([a-z]+)/g)].map(([, verb = '']) => verb));
    const verbs = serinProgram('serin').commands.map((one) => one.name());
    expect(said.filter((verb) => !verbs.includes(verb))).toEqual([]);
  });

  it.each([
    ['kubectl frobnicate canary CANARY', 'unknown verb'],
    ['kubectl edit canary CANARY --namespaces=a', 'unknown flag'],
    ['kubectl patch canary CANARY --type', 'no value of --type'],
    ['kubectl edit -n NAMESPACE', 'no object'],
    ['serin unpause CANARY', 'unknown command'],
    ['serin resume', '0 operands'],
    ['serin resume CANARY --forcefully', 'unknown flag'],
    ['helm rollback', 'unknown program'],
  ])('a mistake is found: %s (%s)', (line, problem) => {
    expect(problemOf(line)).toContain(problem);
  });
});
