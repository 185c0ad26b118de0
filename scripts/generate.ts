/** Runs every generator, or with `--check` fails when a committed file differs from what it would write. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const generators = readdirSync(import.meta.dirname).filter((file) => file.startsWith('generate-') && file.endsWith('.ts'));
const failed = generators.filter(
  (file) => spawnSync(process.execPath, [join(import.meta.dirname, file), ...process.argv.slice(2)], { stdio: 'inherit' }).status !== 0,
);
process.exitCode = failed.length === 0 ? 0 : 1;
