import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MissingToolError, run } from '../e2e-tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Makes images in a store of its own. */
export class Buildah {
  readonly #store: string;

  constructor(store: string) {
    this.#store = store;
  }

  run(...words: string[]): Promise<string> {
    const where = ['--root', join(this.#store, 'root'), '--runroot', join(this.#store, 'run'), '--storage-driver', 'overlay'];
    return mustRun('buildah', [...where, ...words], ROOT);
  }

  /** An image of a folder, which is removed with its parent. */
  async ofTree(tag: string, tree: string, config: readonly string[]): Promise<void> {
    await this.#commit(tag, tree, '/', config);
    rmSync(join(tree, '..'), { recursive: true, force: true });
  }

  /** An archive of an image that is one program. */
  async ofProgram(tag: string, program: string, args: readonly string[], user: string, file: string): Promise<void> {
    await this.#commit(tag, program, '/program', ['--entrypoint', JSON.stringify(['/program', ...args]), '--cmd', '', '--user', user]);
    await this.save(tag, file);
  }

  async #commit(tag: string, from: string, to: string, config: readonly string[]): Promise<void> {
    const container = (await this.run('from', 'scratch')).trim();
    await this.run('add', '-q', container, from, to);
    await this.run('config', ...config, container);
    await this.run('commit', '-q', container, tag);
    await this.run('rm', container);
  }

  /** Only into an archive: the store keeps the bases, and no image of a build that the next one replaces. */
  async save(tag: string, file: string, name = tag): Promise<void> {
    await this.run('push', '-q', tag, `docker-archive:${file}:${name}`);
    await this.run('rmi', tag);
    await this.run('rmi', '--prune');
  }
}

/** Standard output and error; throws what it said where it failed. */
export async function mustRun(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new MissingToolError(`${command} ${args.slice(0, 3).join(' ')} … failed (code ${code}):\n${output.slice(-4000)}`);
  return output;
}
