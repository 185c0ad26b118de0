#!/usr/bin/env node
import { exitCodes } from './output/exit-codes.ts';
import { nodeProblem } from './supported-node.ts';

const problem = nodeProblem(process.versions.node);
if (problem === undefined) {
  // Everything else may use what an older Node has not got.
  const { runSerin } = await import('./program.ts');
  await runSerin(process.argv);
} else {
  process.stderr.write(`Error: ${problem}\n`);
  process.exitCode = exitCodes.usage.code;
}
