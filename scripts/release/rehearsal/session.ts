import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Transcript } from './transcript.ts';

/** Code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A folder and the programs that work in it. Both are gone at the end, however it comes. */
export class Session {
  readonly folder = mkdtempSync(join(tmpdir(), 'serin-rehearsal-'));
  readonly #children = new Set<ChildProcess>();
  readonly #transcript: Transcript;
  readonly #temporaryBefore: string | undefined;
  #end: Promise<void> | undefined;
  #isInterrupted = false;

  /** npm passes the signal on, so that it can come twice, and a user who waits for the removal may repeat it. */
  readonly #interrupted = (signal: NodeJS.Signals): void => {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    process.stdout.write(`${signal}: ending, and removing ${this.folder}, which can take minutes\n`);
    void this.end().then(() => process.exit(INTERRUPTED));
  };

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    // Temporary files of this process go with the session, as those of its children do.
    this.#temporaryBefore = process.env.TMPDIR;
    process.env.TMPDIR = join(this.folder, 'tmp');
    mkdirSync(process.env.TMPDIR);
    // The terminal interrupts its whole group, the children with it; each ends before its files are removed.
    for (const signal of SIGNALS) process.on(signal, this.#interrupted);
  }

  /** Starts a server in a group of its own, which ends with the session. Its output is in the file. */
  start(program: string, args: readonly string[], log: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
    const file = openSync(log, 'w');
    const child = this.#spawned(program, args, { cwd: this.folder, env, stdio: ['ignore', file, file] });
    closeSync(file);
    return child;
  }

  /** Runs a program to its end, and throws where it fails. */
  async run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
    const child = this.#spawned(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#transcript.said(line));
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}`);
  }

  #spawned(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    if (this.#end !== undefined) throw new Error(`${program} is not started: the rehearsal has ended`);
    const child = spawn(program, args, { ...options, detached: true });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  end(): Promise<void> {
    this.#end ??= this.#ended();
    return this.#end;
  }

  async #ended(): Promise<void> {
    await Promise.all([...this.#children].map(ended));
    for (const mount of mountsBelow(this.folder)) spawnSync('umount', ['--lazy', mount]);
    if (this.#temporaryBefore === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = this.#temporaryBefore;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    if (!this.#isInterrupted) for (const signal of SIGNALS) process.off(signal, this.#interrupted);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await gone;
}

/** The inner ones first. */
function mountsBelow(folder: string): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? []);
  return points.filter((point) => point.startsWith(`${folder}/`)).toReversed();
}
