import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureEnvoy } from './e2e-envoy.ts';
import { cacheFolder, isExecutable, MissingToolError, makeFolder, programOnPath, run } from './e2e-tools.ts';

/** Names of the programs and the Go packages that they are built from. */
const PROGRAMS = {
  etcd: 'go.etcd.io/etcd/server/v3',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
} as const;
const MODULE = join(import.meta.dirname, '..', 'test', 'e2e', 'binaries');
/** A lock is left behind by a run that was killed hard; one that lives touches it all the time. */
const LOCK_STALE_MS = 60_000;
const LOCK_LOOK_MS = 1000;
/** So often somebody who waits hears that the build goes on. */
const TELL_EVERY_MS = 30_000;

/**
 * The folder that holds etcd, kube-apiserver, kube-controller-manager and kubectl: `KUBEBUILDER_ASSETS`, or a cache folder that is
 * filled once with `go build`.
 */
export async function ensureBinaries(say: (line: string) => void = () => undefined): Promise<{ dir: string }> {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets) {
    const missing = missingIn(assets);
    if (missing.length > 0)
      throw new MissingToolError(`KUBEBUILDER_ASSETS is ${assets}, where ${missing.join(', ')} is missing: add it, or unset the variable`);
    return { dir: assets };
  }
  const version = kubernetesVersion();
  const dir = cacheFolder(`kubernetes-${version}`);
  if (missingIn(dir).length === 0) return { dir };
  if (!programOnPath('go'))
    throw new MissingToolError(
      'the end-to-end tests run on a real control plane: install Go (https://go.dev/dl) so that it can be built, ' +
        'or set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kube-controller-manager and kubectl',
    );
  makeFolder(dir);
  await withLock(join(dir, '.lock'), say, async () => {
    removeLeftovers(dir);
    const missing = missingIn(dir);
    if (missing.length === 0) return;
    say(`The end-to-end tests run on a real control plane: ${missing.join(', ')} of Kubernetes ${version} are built once, with Go.`);
    say(`That takes 6 to 20 minutes and, the first time, downloads about 250 MB of sources. They go into`);
    say(`${dir} (300 MB); Go's own caches grow by about 3.6 GB, which go clean -cache -modcache frees.`);
    say('It may be interrupted: the next run goes on with what is missing.');
    for (const [index, name] of missing.entries())
      await build(name, version, dir, (line) => say(`[${index + 1}/${missing.length}] ${line}`));
  });
  return { dir };
}

/** Half-written programs of a run that was cut off. */
function removeLeftovers(dir: string): void {
  const begun = Object.keys(PROGRAMS).map((name) => `.${name}.`);
  for (const file of readdirSync(dir)) if (begun.some((start) => file.startsWith(start))) rmSync(join(dir, file), { force: true });
}

/** Path of a Prometheus server. */
export function ensurePrometheus(say?: (line: string) => void): Promise<string> {
  const why = 'the end-to-end tests compare with a real Prometheus: put `prometheus` on the PATH (https://prometheus.io/download)';
  return ensurePackaged('prometheus', why, say);
}

/** Path of an nginx. */
export function ensureNginx(say?: (line: string) => void): Promise<string> {
  return ensurePackaged(
    'nginx',
    'the end-to-end tests send requests through a real nginx: put `nginx` on the PATH (https://nginx.org)',
    say,
  );
}

/** Path of a program; as root on Debian the package of its name is installed, but its service is not started. */
async function ensurePackaged(name: string, howTo: string, say: (line: string) => void = () => undefined): Promise<string> {
  const found = programOnPath(name);
  if (found) return found;
  if (process.getuid?.() !== 0 || !programOnPath('apt-get')) throw new MissingToolError(howTo);
  say(`installing ${name} with apt-get`);
  const isInstalled = await withoutServices(() =>
    run('apt-get', ['install', '-y', '--no-install-recommends', name], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }),
  );
  const installed = programOnPath(name);
  if (!installed) throw new MissingToolError(`${howTo}; apt-get said:\n${isInstalled.output.slice(-2000)}`);
  return installed;
}

type Program = keyof typeof PROGRAMS;

function missingIn(dir: string): Program[] {
  return (Object.keys(PROGRAMS) as Program[]).filter((name) => !isExecutable(join(dir, name)));
}

/** `1.36.3`, from the go.mod that pins it. */
function kubernetesVersion(): string {
  const version = /^\s*(?:require )?k8s\.io\/kubernetes v(\S+)/m.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${MODULE}/go.mod requires no k8s.io/kubernetes`);
  return version;
}

async function build(name: Program, version: string, dir: string, say: (line: string) => void): Promise<void> {
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  say(`building ${name}`);
  const telling = setInterval(() => say(`building ${name}: ${seconds()} s so far`), TELL_EVERY_MS);
  const making = join(dir, `.${name}.${process.pid}`);
  const [major, minor] = version.split('.');
  // Without these stamps kubectl and the server call themselves v0.0.0-master, and refuse to speak about version skew.
  const stamps = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
    `-X ${path}.gitVersion=v${version}`,
    `-X ${path}.gitMajor=${major}`,
    `-X ${path}.gitMinor=${minor}`,
    `-X ${path}.gitTreeState=clean`,
  ]);
  const go = [programOnPath('go') ?? 'go', 'build', '-trimpath', '-ldflags', ['-s -w', ...stamps].join(' '), '-o', making, PROGRAMS[name]];
  const [command = '', ...args] = programOnPath('nice') ? ['nice', '-n', '10', ...go] : go;
  const built = await run(command, args, { cwd: MODULE, env: { ...process.env, CGO_ENABLED: '0' } }).finally(() => clearInterval(telling));
  if (built.code !== 0) {
    rmSync(making, { force: true });
    throw new MissingToolError(
      `go build of ${name} failed (code ${built.code}):\n${built.output.slice(-4000).trim()}\n${wayOutOf(built.output)}`,
    );
  }
  // Renamed when whole, so that a build that was cut off is never taken for a program.
  renameSync(making, join(dir, name));
  say(`built ${name} in ${seconds()} s`);
}

/** What helps against the failures that a new machine has. */
function wayOutOf(output: string): string {
  if (/no space left on device/.test(output))
    return 'The disk is full: free 5 GB, or set XDG_CACHE_HOME, GOCACHE and GOMODCACHE to folders on a larger one.';
  if (
    /dial tcp|no such host|i\/o timeout|TLS handshake|connection refused|proxyconnect|module lookup disabled|40[347] |50[234] /.test(output)
  )
    return (
      'The Go module proxy cannot be reached: connect this machine, set GOPROXY or HTTPS_PROXY, ' +
      'or set KUBEBUILDER_ASSETS to a folder with the programs.'
    );
  if (/requires go >=|toolchain/.test(output))
    return 'This Go is too old: install a current one (https://go.dev/dl), or allow GOTOOLCHAIN=auto.';
  return 'Or set KUBEBUILDER_ASSETS to a folder with the programs.';
}

/** One builder at a time, across processes; the others wait and then find the programs. */
async function withLock(path: string, say: (line: string) => void, work: () => Promise<void>): Promise<void> {
  for (let isTold = false; !takeLock(path); isTold = true) {
    if (!isTold) say(`another run builds the same programs (lock ${path}): waiting for it`);
    await new Promise((resolve) => setTimeout(resolve, LOCK_LOOK_MS));
  }
  const touching = setInterval(() => touch(path), LOCK_STALE_MS / 6);
  const release = () => {
    clearInterval(touching);
    rmSync(path, { force: true });
  };
  process.once('exit', release);
  try {
    await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function takeLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = lockHolder(path);
  if (holder === undefined || isAlive(holder)) return false;
  rmSync(path, { force: true });
  return false;
}

function touch(path: string): void {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // somebody tidied the cache folder
  }
}

/** Undefined: nobody, or not written yet. */
function lockHolder(path: string): number | undefined {
  try {
    if (Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS) rmSync(path, { force: true });
    return Number(readFileSync(path, 'utf8')) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Debian's packages start their service when installed, unless this policy file forbids it. */
async function withoutServices<T>(work: () => Promise<T>): Promise<T> {
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await work();
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

if (import.meta.main) {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  try {
    const { dir } = await ensureBinaries(say);
    say(`control plane: ${dir}`);
    say(`prometheus: ${await ensurePrometheus(say)}`);
    say(`nginx: ${await ensureNginx(say)}`);
    say(`envoy: ${await ensureEnvoy(say)}`);
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
