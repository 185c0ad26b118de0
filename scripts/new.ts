/** Begins a plug-in: `npm run new -- provider NAME`. Writes its first files and the entries of the tables that name it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kinds } from './new/kinds.ts';
import { planPlugin } from './new/plan.ts';

const root = join(import.meta.dirname, '..');
const [kind, name, ...more] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (kind === undefined || kind === '--help' || kind === '-h') {
  say(
    'npm run new -- KIND NAME begins a plug-in: its files, and the entries of the tables that name it. Failing tests then lead the way.\n',
  );
  for (const [each, { adds, name: form }] of Object.entries(kinds))
    say(`  ${each.padEnd(10)} ${adds} (npm run new -- ${each} ${form.example})`);
} else {
  try {
    if (more.length > 0) throw new Error(`${more.join(' ')} is more than one name: begin one plug-in at a time`);
    const { created, changed, next } = planPlugin(root, kind, name);
    for (const [path, text] of Object.entries({ ...created, ...changed })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const registries = execFileSync(process.execPath, [join(root, 'scripts', 'generate-registries.ts')], { encoding: 'utf8' });
    const paths = [...Object.keys(created), ...Object.keys(changed)];
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const code = paths.filter((path) => path.endsWith('.ts'));
    execFileSync(process.execPath, [biome, 'check', '--write', '--log-level=error', ...code], { cwd: root, stdio: 'inherit' });
    for (const path of Object.keys(created)) say(`created ${path}`);
    for (const path of Object.keys(changed)) say(`changed ${path}`);
    process.stdout.write(registries);
    say('\nNext:');
    for (const [index, step] of next.entries()) say(`${index + 1}. ${step}`);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
