import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changedFiles } from '../scripts/changed-files.ts';
import { type Observed, UNKNOWN } from '../scripts/generation/observe.ts';
import { tables } from '../scripts/generation/tables.ts';
import { generatorsTouchedBy } from '../scripts/generation/touched.ts';
import { undeclared, unlisted, unused } from '../scripts/generation/undeclared.ts';
import { importGraph } from '../scripts/import-graph.ts';

const root = join(import.meta.dirname, '..');
const graph = importGraph(root);
const touchedBy = (...changed: string[]) => generatorsTouchedBy(changed, graph);
const all = Object.keys(tables.writes);

describe('generators that a change touches', () => {
  it.each([
    { what: 'a module that it imports', changed: 'src/api/canary.ts', is: 'generate-crds' },
    { what: 'a module that it bundles', changed: 'src/dashboard/page/main.tsx', is: 'generate-dashboard' },
    { what: 'a module whose name is put together', changed: 'test/contracts/routers/istio.ts', is: 'generate-providers' },
    { what: 'a module that is new', changed: 'test/contracts/routers/new.ts', is: 'generate-providers' },
    { what: 'a file that it reads', changed: 'test/golden/alerts/slack.json', is: 'generate-alerts' },
    { what: 'the list of the rules that tests show', changed: 'test/rules.yaml', is: 'generate-conformance' },
    { what: 'a source whose log lines it reads', changed: 'src/judge/dispersion.ts', is: 'generate-observability' },
    { what: 'package.json', changed: 'package.json', is: 'generate-chart' },
    { what: 'the generator itself', changed: 'scripts/generate-verbs.ts', is: 'generate-verbs' },
    { what: 'a file that it writes', changed: 'kustomize/base/serin.yaml', is: 'generate-kustomize' },
    { what: 'a page of which it writes a part', changed: 'docs/validate.md', is: 'generate-validate' },
  ])('have it as an input or output: $what', ({ changed, is }) => {
    expect(touchedBy(changed)).toContain(is);
  });

  it.each([
    { changed: 'src/judge/dispersion.ts', not: ['generate-kustomize', 'generate-crds', 'generate-cli', 'generate-dashboard'] },
    { changed: 'src/cli/why/why-command.ts', not: ['generate-crds', 'generate-kustomize', 'generate-chart'] },
    { changed: 'docs/analysis.md', not: all },
    { changed: 'CHANGELOG.md', not: all },
  ])('do not include generators that do not use $changed', ({ changed, not }) => {
    expect(touchedBy(changed).filter((generator) => not.includes(generator))).toEqual([]);
  });

  it.each(['package-lock.json', '.gitattributes', 'scripts/generation/settle.ts'])('are all of them after a change of %s', (changed) => {
    expect(touchedBy(changed)).toEqual(all);
  });

  it('are those in scripts', () => {
    expect(unlisted(root, tables)).toEqual([]);
    expect(all.filter((generator) => !graph.files.includes(`scripts/${generator}.ts`))).toEqual([]);
  });
});

describe('tables of inputs and outputs', () => {
  const small = { writes: { 'generate-crds': ['charts/*.yaml'], 'generate-verbs': ['docs/verbs.md'] }, inputs: {}, carried: [] };
  const files = new Map([
    ['generate-crds', [{ path: join(root, 'charts/canary.yaml'), text: '', source: '' }]],
    ['generate-verbs', [{ path: join(root, 'docs/verbs.md'), text: '', source: '' }]],
  ]);
  const none: Observed = { reads: [], loads: [] };
  const faults = (observed: Partial<Observed>, inputs = {}, written = files) =>
    undeclared({ root, files: written, observed: { ...none, ...observed } }, graph, { ...small, inputs });
  const verbs = 'scripts/generate-verbs.ts';

  it('are complete when a generator imports what the graph has', () => {
    expect(faults({ loads: [{ module: 'src/api/crds.ts', imported: 'src/api/canary.ts' }] })).toEqual([]);
  });

  it('must have each file that is read', () => {
    const reads = [{ module: verbs, path: 'docs/cli.md', isListing: false }];
    expect(faults({ reads })).toEqual([
      `generate-verbs: ${verbs} reads docs/cli.md: add it to reads of '${verbs}' in scripts/generation/tables.ts`,
    ]);
    expect(faults({ reads }, { [verbs]: { reads: ['docs/*.md'] } })).toEqual([]);
  });

  it('cannot have what a package reads by itself', () => {
    const reads = [{ module: UNKNOWN, path: 'docs/cli.md', isListing: false }];
    expect(faults({ reads })).toEqual([
      'docs/cli.md is read by a package, out of sight of scripts/generation/tables.ts: read it in a module of the generator',
    ]);
    expect(faults({ reads, loads: [{ module: 'scripts/generate.ts', imported: 'docs/cli.md' }] })).toEqual([]);
  });

  it('must have the files of a folder that is listed', () => {
    const reads = [{ module: verbs, path: 'docs', isListing: true }];
    expect(faults({ reads })).toHaveLength(1);
    expect(faults({ reads }, { [verbs]: { reads: ['docs/tutorials/*.md'] } })).toHaveLength(1);
    expect(faults({ reads }, { [verbs]: { reads: ['docs/*.md'] } })).toEqual([]);
  });

  it('must have each module that is imported late', () => {
    const loads = [{ module: verbs, imported: 'src/cli/late.ts' }];
    expect(faults({ loads })).toEqual([
      `generate-verbs: ${verbs} imports src/cli/late.ts late: add it to loads of '${verbs}' in scripts/generation/tables.ts`,
    ]);
    expect(faults({ loads }, { [verbs]: { loads: ['src/cli/*.ts'] } })).toEqual([]);
  });

  it('must have each file that is written', () => {
    const written = new Map([['generate-verbs', [{ path: join(root, 'docs/nouns.md'), text: '', source: '' }]]]);
    expect(faults({}, {}, written)).toEqual([
      "generate-verbs writes docs/nouns.md: add it to writes of 'generate-verbs' in scripts/generation/tables.ts",
    ]);
  });

  it('must not let one generator read the output of another', () => {
    const reads = [{ module: verbs, path: 'charts/canary.yaml', isListing: false }];
    expect(faults({ reads }, { [verbs]: { reads: ['charts/*.yaml'] } })).toEqual([
      'generate-verbs uses charts/canary.yaml, which generate-crds writes: it sees the text of before',
    ]);
  });

  it('have nothing that is not used', () => {
    const inputs = { [verbs]: { reads: ['docs/cli.md'] } };
    const written = new Map([['generate-verbs', files.get('generate-verbs') ?? []]]);
    expect(unused({ root, files: written, observed: none }, { ...small, inputs })).toEqual([
      "scripts/generation/tables.ts: remove what nothing uses: writes of 'generate-crds': charts/*.yaml",
      `scripts/generation/tables.ts: remove what nothing uses: inputs of '${verbs}': docs/cli.md`,
    ]);
  });
});

describe('observing', () => {
  // In a process of its own, since it replaces functions of node:fs.
  const OBSERVE = `const [observer, folder] = process.argv.slice(1);
    const end = (await import(observer)).observe(folder);
    await import(folder + '/start.mjs');
    console.log(JSON.stringify(end()));`;
  const READER = `import { existsSync, readdirSync, readFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    const here = import.meta.dirname;
    readFileSync(new URL('a.txt', import.meta.url));
    export async function readMore() { await readFile(here + '/b.txt'); readdirSync(here + '/docs'); existsSync(here + '/absent'); }`;

  it('sees what modules read, list, look for and import, and not what Node reads to load them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'observed-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'docs'));
    const texts = {
      'start.mjs': `im${'port'} { readMore } fr${'om'} './reader.mjs'; await readMore();`,
      'reader.mjs': READER,
      'a.txt': '',
      'b.txt': '',
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const observer = join(root, 'scripts', 'generation', 'observe.ts');
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', OBSERVE, observer, folder], { encoding: 'utf8' });
    const module = 'reader.mjs';
    const { reads, loads }: Observed = JSON.parse(printed);
    // Node may read modules when none of ours is on the stack.
    expect(reads.filter((read) => read.module !== UNKNOWN)).toEqual([
      { module, path: 'a.txt', isListing: false },
      { module, path: 'b.txt', isListing: false },
      { module, path: 'docs', isListing: true },
      { module, path: 'absent', isListing: false },
    ]);
    expect(loads).toEqual([{ module: 'start.mjs', imported: module }]);
  });
});

describe('changed files', () => {
  it('are those of the commits since the base, uncommitted changes and new files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'changed-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder, encoding: 'utf8' });
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    git('init', '--quiet', '--initial-branch=main');
    for (const name of ['committed.ts', 'edited.ts', 'same.ts']) write(name, 'before');
    git('add', '.');
    git('commit', '--quiet', '--message=first');
    git('switch', '--quiet', '--create=branch');
    git('mv', 'committed.ts', 'renamed.ts');
    git('commit', '--quiet', '--message=second');
    write('edited.ts', 'after');
    write('ünknown.ts', 'new');
    expect(changedFiles(folder)).toEqual(['edited.ts', 'ünknown.ts']);
    expect(changedFiles(folder, 'main')).toEqual(['committed.ts', 'edited.ts', 'renamed.ts', 'ünknown.ts']);
  });
});
