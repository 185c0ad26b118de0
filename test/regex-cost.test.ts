import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { superLinear } from './fakes/regex-cost.ts';
import { regexesIn } from './fakes/regexes-in.ts';

/** Rooms that run beside every other tenant's release; the CLI and the embedded cluster work only for the user who started them. */
const ROOMS = ['api', 'controller', 'engine', 'kube', 'loadtester', 'metrics', 'notifiers', 'routers', 'server', 'webhooks', 'workloads'];
/** Patterns that are put together, and why a tenant cannot make them slow. */
const MADE: Readonly<Record<string, string>> = {
  'api/service-traffic.ts': 'constant, of three loops that a character parts from each other',
  'loadtester/loadtester.ts': 'given by the operator who starts the load tester',
  'routers/checked-regex.ts': 'compiled only, never run on a text',
  'routers/regex-text.ts': 'compiled only, never run on a text',
  'workloads/scalers/primary-queries.ts': 'the name of a workload, as a literal of at most 253 characters',
};

const src = join(import.meta.dirname, '..', 'src');
const files = ROOMS.flatMap((room) =>
  readdirSync(join(src, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
const found = files.map((file) => ({ file, ...regexesIn(readFileSync(join(src, file), 'utf8')) }));

describe('superLinear', () => {
  it.each([
    '^a+$',
    '^(a+)+',
    '\\s+',
    '^(?:a|ab)*$',
    'x\\s*\\(',
    '"[^"]*"',
    '^[a-z]([-a-z]*[a-z])?$',
    'a{1,64}$',
    '^\\s*\\{|\\n',
    '(?=a{3})b',
  ])('takes /%s/, which is linear', (source) => expect(superLinear(source, '')).toBeUndefined());

  it.each([
    ['a+$', 'polynomial'],
    ['\\s*\\(', 'polynomial'],
    ['^\\d+\\d+$', 'polynomial'],
    ['^a.*b.*c', 'polynomial'],
    ['"(?:\\\\.|[^"\\\\])*"', 'polynomial'],
    ['\\{\\{[^}]*\\}\\}', 'polynomial'],
    ['^(a+)+b', 'exponential'],
    ['^(a|a)*$', 'exponential'],
    ['^(a*)*$', 'exponential'],
    ['^(?:x{1,3})+$', 'exponential'],
    ['(a)\\1', 'refers back'],
    [',(?![^(]*\\))', 'without bound'],
  ])('refuses /%s/ as %s', (source, why) => expect(superLinear(source, '')).toContain(why));

  it('takes a sticky pattern, which is tried at one place, and no global one', () => {
    expect(superLinear('\\s*\\(', 'y')).toBeUndefined();
    expect(superLinear('\\s*\\(', 'g')).toContain('polynomial');
  });
});

describe('regular expressions of the controller', () => {
  it('need time proportional to the text', () => {
    const slow = found.flatMap(({ file, literals }) =>
      literals.flatMap(({ line, source, flags }) => {
        const why = superLinear(source, flags);
        return why === undefined ? [] : [`src/${file}:${line} /${source}/${flags}: ${why}`];
      }),
    );
    expect(slow).toEqual([]);
  });

  it('are put together only where a tenant has no part in it', () => {
    expect(found.filter(({ made }) => made).map(({ file }) => file)).toEqual(Object.keys(MADE).sort());
  });

  it('are found by this test', () => {
    expect(found.flatMap(({ literals }) => literals).length).toBeGreaterThan(100);
    expect(regexesIn("const a = (b: string) => b.replace(/x+$/g, ''); RegExp(a); // /y/")).toEqual({
      literals: [{ line: 1, source: 'x+$', flags: 'g' }],
      made: true,
    });
  });
});
