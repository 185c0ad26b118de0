/**
 * Runs the generators, scripts/generate-*.ts, and writes all files or none; with `--check` fails when a committed file differs from the generated one.
 * `--changed` runs only generators that a change since HEAD can affect, or since the commit of `--base`. Types are checked first, unless `--skip-types` says
 * that this was done.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { changedFiles } from './changed-files.ts';
import { generate as registries } from './generate-registries.ts';
import { generateAll } from './generation/generate-all.ts';
import type { Generate } from './generation/generated-file.ts';
import { observe } from './generation/observe.ts';
import { settle } from './generation/settle.ts';
import { tables } from './generation/tables.ts';
import { generatorsTouchedBy, moduleOf } from './generation/touched.ts';
import { undeclared, unlisted, unused } from './generation/undeclared.ts';
import { importGraph } from './import-graph.ts';
import { typesAreRight } from './type-check.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    base: { type: 'string' },
    'skip-types': { type: 'boolean', default: false },
  },
});

process.exitCode = await run();

async function run(): Promise<number> {
  const { check, changed, base, 'skip-types': skipTypes } = values;
  if (base !== undefined && !changed) return failed(['--base needs --changed']);
  const graph = importGraph(root);
  const all = Object.keys(tables.writes);
  const names = changed ? generatorsTouchedBy(changedFiles(root, base), graph) : all;
  if (changed)
    console.log(`generate: ${names.length} of ${all.length} generators are affected${names.map((name) => `\n  ${name}`).join('')}`);
  if (names.length === 0) return 0;
  // The types of a new plug-in are right when its registry has it.
  if (!check) settle(await registries(), { check });
  if (!skipTypes && !typesAreRight()) return failed(['correct the types first'], check);

  const end = observe(root);
  const { written, faults } = await generateAll(new Map(names.map((name) => [name, () => generatorIn(name)])), {
    root,
    check,
    faultsOf: (files) => {
      const ran = { root, files, observed: end() };
      return [...undeclared(ran, graph, tables), ...(changed ? [] : [...unused(ran, tables), ...unlisted(root, tables)])];
    },
  });
  if (faults.length > 0) return failed(faults, check);
  for (const path of written) console.log(`wrote ${path}`);
  return 0;
}

async function generatorIn(name: string): Promise<Generate> {
  const module: { generate?: Generate } = await import(pathToFileURL(join(root, moduleOf(name))).href);
  if (module.generate === undefined) throw new Error(`scripts/${name}.ts exports no function generate`);
  return module.generate;
}

function failed(faults: readonly string[], check = false): number {
  for (const fault of faults) console.error(fault);
  if (!check) console.error('generate: nothing was written');
  return 1;
}
