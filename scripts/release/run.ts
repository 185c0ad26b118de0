import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** Runs a program in the checkout, and shows what it says; throws where it fails. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  process.stdout.write(`$ ${[program, ...args].join(' ')}\n`);
  execFileSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
}

/** The same, and returns what it says on both outputs. */
export function output(program: string, args: readonly string[]): string {
  process.stdout.write(`$ ${[program, ...args].join(' ')}\n`);
  const said = execFileSync('sh', ['-c', 'exec "$@" 2>&1', 'sh', program, ...args], { cwd: root, encoding: 'utf8' });
  process.stdout.write(said);
  return said;
}

/** Time of a commit, in seconds since 1970: its artefacts have no other time. */
export const timeOf = (commit: string): number =>
  Number(execFileSync('git', ['show', '--no-patch', '--format=%ct', commit], { cwd: root, encoding: 'utf8' }));
