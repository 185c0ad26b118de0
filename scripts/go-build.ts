import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MissingToolError, programOnPath, run } from './e2e-tools.ts';

/** Interval of the lines that say that the build goes on. */
const TELL_EVERY_MS = 30_000;

export interface GoProgram {
  name: string;
  /** Path of its main package. */
  package: string;
  /** Folder of the go.mod that pins it. */
  module: string;
  /** `-X` of the linker: a program's own name and version. */
  stamps: readonly string[];
  /** Files that are built as if they existed: the files that contain their text. */
  overlay?: ReadonlyMap<string, string> | undefined;
  /** The variable that names a folder or program to use instead. */
  insteadSet: string;
}

/** Builds a program into the folder, with the Go on the PATH; throws `MissingToolError` with the ways out. */
export async function buildProgram(program: GoProgram, dir: string, say: (line: string) => void): Promise<void> {
  const { name, module, stamps } = program;
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  say(`building ${name}`);
  const telling = setInterval(() => say(`building ${name}: ${seconds()} s so far`), TELL_EVERY_MS);
  const making = join(dir, `.${name}.${process.pid}`);
  const ldflags = ['-s -w', ...stamps.map((stamp) => `-X ${stamp}`)].join(' ');
  const laid = program.overlay ? ['-overlay', writeOverlay(program.overlay, join(dir, `.${name}.overlay.json`))] : [];
  const go = [programOnPath('go') ?? 'go', 'build', ...laid, '-trimpath', '-ldflags', ldflags, '-o', making, program.package];
  const [command = '', ...args] = programOnPath('nice') ? ['nice', '-n', '10', ...go] : go;
  const built = await run(command, args, { cwd: module, env: { ...process.env, CGO_ENABLED: '0' } }).finally(() => clearInterval(telling));
  if (built.code !== 0) {
    rmSync(making, { force: true });
    const said = built.output.slice(-4000).trim();
    throw new MissingToolError(`go build of ${name} failed (code ${built.code}):\n${said}\n${wayOutOf(built.output, program.insteadSet)}`);
  }
  // Renamed when whole, so that a build that was cut off is never taken for a program.
  renameSync(making, join(dir, name));
  say(`built ${name} in ${seconds()} s`);
}

function writeOverlay(overlay: ReadonlyMap<string, string>, file: string): string {
  writeFileSync(file, JSON.stringify({ Replace: Object.fromEntries(overlay) }));
  return file;
}

/** Remedies for failures on a new machine. */
function wayOutOf(output: string, insteadSet: string): string {
  if (/no space left on device/.test(output))
    return 'The disk is full: free 5 GB, or set XDG_CACHE_HOME, GOCACHE and GOMODCACHE to folders on a larger one.';
  if (
    /dial tcp|no such host|i\/o timeout|TLS handshake|connection refused|proxyconnect|module lookup disabled|40[347] |50[234] /.test(output)
  )
    return `The Go module proxy cannot be reached: connect this machine, set GOPROXY or HTTPS_PROXY, or set ${insteadSet}.`;
  if (/requires go >=|toolchain/.test(output))
    return 'This Go is too old: install a current one (https://go.dev/dl), or allow GOTOOLCHAIN=auto.';
  return `Or set ${insteadSet}.`;
}
