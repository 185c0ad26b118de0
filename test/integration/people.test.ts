import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { addCanaryCommands } from '../../src/cli/canaries/canary-commands.ts';
import { Documents, ReportContents } from '../../src/cli/output/documents.ts';
import { exitCodes } from '../../src/cli/output/exit-codes.ts';
import { serinProgram } from '../../src/cli/program.ts';
import { program } from '../fakes/program.ts';
import { untar } from '../fakes/untar.ts';
import { runScript, type Shown } from '../scenarios/doc-commands.ts';
import { eventually } from '../scenarios/eventually.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { callOf, commandsOf, examplesIn, helpOf } from '../scenarios/help-examples.ts';
import { keptApplication } from '../scenarios/kept-application.ts';
import { type PodinfoFixture, startPodinfoFixture } from '../scenarios/podinfo-fixture.ts';
import { serin as runSerin } from '../scenarios/serin.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Commands that run until a signal ends them. */
const staying: Readonly<Record<string, { flags?: string; says: RegExp; exit: number }>> = {
  // Default ports could be in use by another test.
  'serin controller': { flags: '--port 0', says: /"reconciling Canaries"/, exit: 0 },
  'serin loadtester': { flags: '--host 127.0.0.1 --port 0', says: /"serin loadtester started"/, exit: 0 },
  'serin cluster': { says: /^The cluster is ready/m, exit: 0 },
  'serin dashboard': { says: /^http:\/\/127\.0\.0\.1:\d+\/login\?token=/m, exit: 0 },
  'serin demo': { says: /^Start: /m, exit: 143 },
};

const commands = commandsOf(serinProgram('serin')).map((command) => ({ call: callOf(command), examples: examplesIn(helpOf(command)) }));
const examples = [...new Set(commands.flatMap((command) => command.examples))];
const stayers = examples.flatMap((line) => {
  const found = Object.entries(staying).find(([call]) => line.startsWith(`${call} `));
  return found ? [{ line, call: found[0], ...found[1] }] : [];
});
const others = examples.filter((line) => !stayers.some((one) => one.line === line));
const forPeople = new Command('serin');
addCanaryCommands(forPeople);
/**
 * Separate processes would take minutes on a busy machine: commands that need no shell, and no stream of the process, run in this one. A rehearsal seals the
 * network of its process, and the cluster of the fixture is in this one.
 */
const runsHere = (line: string): boolean =>
  !line.startsWith('serin rehearse ') &&
  /^serin [\w ./@=,:-]+$/.test(line) &&
  forPeople.commands.some((command) => line.split(' ')[1] === command.name());

describe('the commands for users, on the embedded cluster', () => {
  let fixture: PodinfoFixture;

  const serin = (...args: string[]) => runSerin(fixture.kubeconfigFile, ...args);

  beforeAll(async () => {
    fixture = await startPodinfoFixture();
    // Examples write files where they are run.
    process.chdir(fixture.folder);
  });
  afterAll(async () => {
    process.chdir(ROOT);
    await fixture?.stop();
  });

  const inFolder = (...path: string[]): string => join(fixture.folder, ...path);
  let env: Record<string, string>;

  /** Prerequisites of the examples: `serin` on the PATH, the files that they name, and a primary that outlives its Canary. */
  beforeAll(async () => {
    for (const object of keptApplication('test', 'shop')) await fixture.cluster.create(object);
    for (const folder of ['bin', 'secrets']) mkdirSync(inFolder(folder));
    writeFileSync(inFolder('bin', 'serin'), `#!/bin/sh\nexec '${process.execPath}' '${program()}' "$@"\n`);
    chmodSync(inFolder('bin', 'serin'), 0o755);
    copyFileSync(join(ROOT, 'examples', 'istio-canary.yaml'), inFolder('canary.yaml'));
    writeFileSync(inFolder('values.yaml'), 'namespaces: [test]\n');
    for (const file of ['key', join('secrets', 'team-a.token')]) writeFileSync(inFolder(file), 'pl4nted-secret-of-a-test\n');
    env = {
      PATH: `${inFolder('bin')}:${process.env.PATH}`,
      KUBECONFIG: fixture.kubeconfigFile,
      LC_ALL: 'C',
      // Many processes of one program share this cache.
      NODE_COMPILE_CACHE: inFolder('compiled'),
    };
  });

  describe('the help of every command, with its examples run in a shell', () => {
    const run = async (line: string): Promise<Shown> => {
      if (!runsHere(line)) return runScript(line, env, fixture.folder);
      const { code, said, complained } = await serin(...line.split(' ').slice(1));
      return { exit: code, output: said + complained };
    };

    it.each(commands)('$call: shows an example', ({ examples }) => expect(examples).not.toEqual([]));

    it.each(others)('the example runs: %s', async (line) => {
      const { exit, output } = await run(line);
      expect(exit, output).toBe(0);
      expect(output).not.toContain('Error');
    });
  });

  it('-o json is the document that its schema says, of each command', async () => {
    const change = '--with {"threshold":2}';
    const ofJournals = [
      'history podinfo --journal',
      'history podinfo --journal=1',
      'replay podinfo',
      `replay podinfo/1 ${change}`,
      `backtest ${change}`,
    ];
    const lines = [
      'list',
      'status podinfo',
      'why podinfo',
      'wait podinfo',
      'history podinfo',
      'diff podinfo',
      'notify podinfo --dry-run',
      'version',
      ...ofJournals,
    ];
    const kinds = await Promise.all(
      lines.map(async (line) => {
        const own = line === 'version' ? [] : ['-n', 'test'];
        return Documents.parse(parse((await serin(...line.split(' '), ...own, '-ojson')).said)).kind;
      }),
    );
    const journals = ['JournalList', 'Journal', 'ReplayResult', 'Supposition', 'Backtest'];
    expect(kinds).toEqual([
      'CanaryList',
      'CanaryReport',
      'Why',
      'WaitResult',
      'History',
      'Difference',
      'NotifyResult',
      'VersionReport',
      ...journals,
    ]);
  });
  it('status shows one screen in ASCII and 80 columns', async () => {
    const { said } = await serin('status', 'podinfo', '-n', 'test');
    expect(said).toMatch(/^Canary test\/podinfo: Succeeded since \d{4}-.*Z\n {2}Succeeded: /);
    expect(said).toMatch(/ {2}target {3}Deployment\/podinfo .* of 1 ready +s1:[0-9a-f]{12}\n {2}primary +Deployment\/podinfo-primary /);
    expect(said).toContain('primary  [####################] 100%');
    expect(said).toMatch(/^[\x20-\x7e\n]*$/);
    expect(Math.max(...said.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
  it('the exit code says what is not found, and what does not happen in time', async () => {
    const [absent, late, missing] = await Promise.all([
      serin('status', 'absent', '-n', 'test'),
      serin('wait', 'podinfo', '-n', 'test', '--for=succeeded', '--revision=s1:0123456789', '--timeout=1s'),
      serin('wait', 'absent', '-n', 'test'),
    ]);
    expect(absent).toEqual({
      code: exitCodes.notFound.code,
      said: '',
      complained: 'Error: Canary absent not found in namespace test: serin list -A lists all\n',
    });
    expect(late).toEqual({
      code: exitCodes.timedOut.code,
      said: expect.stringContaining('timed out'),
      complained: 'serin why podinfo -n test says what it waits for.\n',
    });
    expect(missing).toMatchObject({ code: exitCodes.notFound.code, said: expect.stringContaining('not found') });
  });
  it('status --watch ends with Ctrl-C, by its signal, and has shown every change until then', async () => {
    const args = [program(), 'status', 'podinfo', '--namespace', 'test', '--watch', '--kubeconfig', fixture.kubeconfigFile];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (said += part));
    const ended = once(child, 'exit');
    try {
      await eventually(
        'the first screen',
        () => said.includes('100%'),
        Boolean,
        () => said,
      );
      const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'podinfo', namespace: 'test' };
      await fixture.cluster.patch(ref, { status: { iterations: 7 } }, { subresource: 'status' });
      await eventually(
        'the change',
        () => said.includes('iteration 7'),
        Boolean,
        () => said,
      );
      expect(said).not.toContain('\x1b');
    } finally {
      child.kill('SIGINT');
    }
    expect(await ended).toEqual([null, 'SIGINT']);
  });
  it('report holds what the cluster says of a Canary, and of every file what its list says', async () => {
    const { code, said } = await serin('report', 'podinfo', '-n', 'test', '--file', 'one.tar.gz', '-ojson');
    expect(code).toBe(0);
    const files = untar(readFileSync('one.tar.gz'));
    const listed = ReportContents.parse(JSON.parse(said)).files.map(({ path }) => `serin-report/${path}`);
    expect([...files.keys()]).toEqual(['serin-report/README.txt', 'serin-report/contents.json', ...listed]);
    const of = (path: string) => files.get(`serin-report/canaries/test/podinfo/${path}`) ?? '';
    expect(parse(of('canary.yaml'))).toMatchObject({ status: { phase: 'Succeeded' }, metadata: { managedFields: expect.any(Array) } });
    expect(JSON.parse(of('history.json')).items).toHaveLength(1);
    expect(JSON.parse(of('pods.json')).pods.length).toBeGreaterThan(0);
    expect(JSON.parse(files.get('serin-report/definitions.json') ?? '')).toMatchObject([{ inCluster: true, differences: [] }, {}, {}]);
  });
  it('diff names the field that a promotion would change', async () => {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo', namespace: 'test' };
    await fixture.cluster.patch(ref, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:3' }]);
    const { code, said } = await serin('diff', 'podinfo', '-n', 'test');
    expect(code).toBe(exitCodes.no.code);
    expect(said).toMatch(/^template\.spec\.containers\[web\]\.image\n {2}- "web:\d"\n {2}\+ "web:3"\n$/);
  });

  // The last, since a controller is among them, which goes on with what it finds here.
  describe('the help of commands that stay', () => {
    it.each(stayers)('the example runs until a signal ends it: $line', async ({ line, call, flags = '', says, exit }) => {
      const logFile = inFolder(`${examples.indexOf(line)}.log`);
      const script = `cd '${fixture.folder}' && exec ${line.replace(call, `${call} ${flags}`)}`;
      const child = startGuarded(call, ['bash', '-c', script], logFile, { ...process.env, ...env });
      await eventually(
        `${call} is up`,
        () => child.hasExited() || says.test(readFileSync(logFile, 'utf8')),
        Boolean,
        () => child.logTail(),
      );
      await child.stop('TERM');
      expect(await child.exited, child.logTail()).toBe(exit);
    });

    it('every command that stays is tried', () => {
      expect(new Set(stayers.map(({ call }) => call))).toEqual(new Set(Object.keys(staying)));
    });
  });
});
