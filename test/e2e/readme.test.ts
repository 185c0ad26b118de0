import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { program } from '../fakes/program.ts';
import { type DocBlock, docBlocks, notShown, runScript } from '../scenarios/doc-commands.ts';
import { type DocTerminal, openTerminal } from '../scenarios/doc-terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = '../README.md';
/** Commands that the test has already run: a cluster runs, and the program is built. */
const DONE = ['kind create cluster\n', 'npm ci && npm run build\n'];

/** The reader's checkout, which has been built and also contains their home directory. */
let checkout: string;
let env: NodeJS.ProcessEnv;
let terminals: DocTerminal[];

beforeEach(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'serin-readme-'));
  symlinkSync(dirname(program()), join(checkout, 'dist'));
  for (const part of ['docs', 'examples', 'node_modules', 'package.json']) symlinkSync(join(ROOT, part), join(checkout, part));
  const path = `${(await ensureBinaries()).dir}:${dirname(process.execPath)}:${process.env.PATH}`;
  env = { ...process.env, KUBECONFIG: undefined, HOME: join(checkout, 'home'), PATH: path };
  terminals = [];
});
afterEach(async () => {
  await Promise.all(terminals.map((terminal) => terminal.close()));
  rmSync(checkout, { recursive: true, force: true });
});

const blocksOf = (heading: string): DocBlock[] => docBlocks(PAGE).filter((block) => block.heading === heading);
const blockOf = (heading: string, terminal: string | undefined): string => {
  const found = blocksOf(heading).find((block) => block.terminal === terminal)?.script;
  if (found === undefined) throw new Error(`README.md has no commands for the terminal ${terminal} under "${heading}"`);
  return DONE.reduce((script, line) => script.replace(line, ''), found);
};
const open = async (script: string): Promise<void> => void terminals.push(await openTerminal(script, env, checkout));
const shown = (): string => terminals.map((one) => one.output().slice(-3000)).join('\n---\n');

const ON_KIND = 'Quick start on kind';
/** A guard: each wait of the pages has a bound of its own. */
const LONGEST_MS = 600_000;
const REHEARSAL = 'npx node dist/serin.js rehearse examples/istio-canary.yaml';
const WITHOUT = 'Quick start without a cluster';

it('the quick start on kind is five commands, of which the first makes the cluster', () => {
  const [first, ...others] = blocksOf(ON_KIND)[0]?.script.trim().split('\n') ?? [];
  expect(first).toBe('kind create cluster');
  expect(others).toHaveLength(4);
});

it('a test runs every command of the README', () => {
  const headings = docBlocks(PAGE).map(({ heading }) => heading);
  expect([...new Set(headings)]).toEqual([ON_KIND, WITHOUT]);
  const inText = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/`(npx [^`]+)`/g)].map(([, command]) => command);
  expect(inText).toEqual(['npx node', REHEARSAL]);
});

it('the rehearsal that the README names shows a release', async () => {
  const { exit, output } = await runScript(REHEARSAL, env, checkout);
  expect(exit, output).toBe(0);
  expect(output).toContain('No mistake found.');
});

it(
  'the quick start without a cluster ends with a promoted release, and the page after it with one of an own application',
  async () => {
    await open(blockOf(WITHOUT, 'cluster'));
    await open(blockOf(WITHOUT, 'serin'));
    const { exit, output } = await runScript(`. ./cluster.env\n${blockOf(ON_KIND, undefined)}`, env, checkout);
    expect(exit, `${output}\n${shown()}`).toBe(0);
    expect(output).toContain('Canary quick-start/shop: Succeeded');
    const next = docBlocks('quick-start.md');
    expect(next).toHaveLength(4);
    for (const { heading, script, shows = '' } of next) {
      const shown = await runScript(`. ./cluster.env\n${script}`, env, checkout);
      expect(shown.exit, `${heading}\n${shown.output}`).toBe(0);
      expect(notShown(shows, shown.output), `${heading}\n${shown.output}`).toEqual([]);
    }
  },
  LONGEST_MS,
);

it('the quick start on kind ends with a promoted release, on a cluster that the kubeconfig of the home means', async () => {
  await open(blockOf(WITHOUT, 'cluster'));
  const [, kubeconfig = ''] = /^export KUBECONFIG=(.+)$/m.exec(readFileSync(join(checkout, 'cluster.env'), 'utf8')) ?? [];
  mkdirSync(join(checkout, 'home', '.kube'), { recursive: true });
  copyFileSync(kubeconfig, join(checkout, 'home', '.kube', 'config'));
  await open(blockOf(ON_KIND, 'serin'));
  const { exit, output } = await runScript(blockOf(ON_KIND, undefined), env, checkout);
  expect(exit, `${output}\n${shown()}`).toBe(0);
  expect(output).toContain('Canary quick-start/shop: Succeeded');
});
