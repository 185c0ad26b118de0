import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './build-lock.ts';
import { ensureEnvoy } from './e2e-envoy.ts';
import { ensureHelm } from './e2e-go-tool.ts';
import { cacheFolder, isExecutable, MissingToolError, makeFolder, programOnPath, run } from './e2e-tools.ts';
import { buildProgram, type GoProgram } from './go-build.ts';

/** Names of the programs and the Go packages that they are built from. */
const PROGRAMS = {
  etcd: 'go.etcd.io/etcd/server/v3',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
} as const;
const MODULE = join(import.meta.dirname, '..', 'test', 'e2e', 'binaries');

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
    say('It can be interrupted: the next run continues with what is missing.');
    for (const [index, name] of missing.entries())
      await buildProgram(goProgram(name, version), dir, (line) => say(`[${index + 1}/${missing.length}] ${line}`));
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

/** Modules of nginx and Lua libraries that the Lua of ingress-nginx needs, by the file that shows that Debian's package is installed. */
export const NGINX_LUA = {
  'libnginx-mod-http-lua': '/usr/lib/nginx/modules/ngx_http_lua_module.so',
  'libnginx-mod-http-ndk': '/usr/lib/nginx/modules/ndk_http_module.so',
  'lua-resty-core': '/usr/share/lua/5.1/resty/core.lua',
  'lua-resty-lrucache': '/usr/share/lua/5.1/resty/lrucache.lua',
  'lua-cjson': '/usr/share/lua/5.1/cjson/util.lua',
} as const;

/** Path of an nginx that can run Lua. */
export async function ensureNginxWithLua(say: (line: string) => void = () => undefined): Promise<string> {
  const nginx = await ensureNginx(say);
  const howTo = "the tests of real data planes run Lua in nginx: install Debian's packages";
  for (const [name, file] of Object.entries(NGINX_LUA))
    await ensurePackaged(name, `${howTo} ${name}`, say, () => (existsSync(file) ? file : undefined));
  return nginx;
}

/** Paths of the shells whose completion scripts are tried; bash is assumed to exist. */
export function ensureZsh(say?: (line: string) => void): Promise<string> {
  return ensurePackaged('zsh', 'the end-to-end tests complete commands in zsh: put `zsh` on the PATH (https://www.zsh.org)', say);
}
export function ensureFish(say?: (line: string) => void): Promise<string> {
  return ensurePackaged('fish', 'the end-to-end tests complete commands in fish: put `fish` on the PATH (https://fishshell.com)', say);
}

/** Paths of the programs with which kube-proxy sets its rules. */
export function ensureNft(say?: (line: string) => void): Promise<string> {
  return ensurePackaged(
    'nftables',
    'kube-proxy sets rules of nftables: put `nft` on the PATH (https://netfilter.org/projects/nftables)',
    say,
    () => programOnPath('nft'),
  );
}
export function ensureIptables(say?: (line: string) => void): Promise<string> {
  return ensurePackaged(
    'iptables',
    'kube-proxy sets rules of iptables: put `iptables` on the PATH (https://netfilter.org/projects/iptables)',
    say,
  );
}

/** Path of a program; as root on Debian its package is installed, but its service is not started. */
export async function ensurePackaged(
  name: string,
  howTo: string,
  say: (line: string) => void = () => undefined,
  find = () => programOnPath(name),
): Promise<string> {
  const found = find();
  if (found) return found;
  if (process.getuid?.() !== 0 || !programOnPath('apt-get')) throw new MissingToolError(howTo);
  say(`installing ${name} with apt-get`);
  const aptGet = (...args: string[]) => run('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  const install = () => withoutServices(() => aptGet('install', '-y', '--no-install-recommends', name));
  let answer = await install();
  if (answer.code !== 0) {
    // An image without lists of packages, or with old ones.
    await aptGet('update');
    answer = await install();
  }
  const installed = find();
  if (!installed) throw new MissingToolError(`${howTo}; apt-get said:\n${answer.output.slice(-2000)}`);
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

/** Without them kubectl and the server call themselves v0.0.0-master, and refuse to speak about version skew. */
export function kubernetesStamps(version: string): string[] {
  const [major, minor] = version.split('.');
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => [
    `${path}.gitVersion=v${version}`,
    `${path}.gitMajor=${major}`,
    `${path}.gitMinor=${minor}`,
    `${path}.gitTreeState=clean`,
  ]);
}

function goProgram(name: Program, version: string): GoProgram {
  const stamps = kubernetesStamps(version);
  return { name, package: PROGRAMS[name], module: MODULE, stamps, insteadSet: 'KUBEBUILDER_ASSETS to a folder with the programs' };
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
    say(`zsh: ${await ensureZsh(say)}`);
    say(`fish: ${await ensureFish(say)}`);
    say(`envoy: ${await ensureEnvoy(say)}`);
    say(`helm: ${await ensureHelm(say)}`);
  } catch (error) {
    if (!(error instanceof MissingToolError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
