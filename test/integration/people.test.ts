import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Canary } from '../../src/api/canary.ts';
import { crds } from '../../src/api/crds.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { requestAnnotation } from '../../src/api/names.ts';
import { parseStatus } from '../../src/api/parse-status.ts';
import { readRequest } from '../../src/api/verb-request.ts';
import { Documents, ReportContents } from '../../src/cli/output/documents.ts';
import { exitCodes } from '../../src/cli/output/exit-codes.ts';
import { notesOf } from '../../src/cli/people/flags.ts';
import { addPeopleCommands } from '../../src/cli/people/people-commands.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { acknowledged } from '../../src/engine/verbs.ts';
import type { WatchHandle } from '../../src/kube/cluster.ts';
import { isAlreadyExists, isNotFound } from '../../src/kube/errors.ts';
import { renderTemplateRevision } from '../../src/workloads/anchor.ts';
import { deployment } from '../../src/workloads/deployment/deployment.ts';
import { untar } from '../build/untar.ts';
import { aCanary, initialized } from '../build/world.ts';
import { eventually } from '../suite/eventually.ts';
import { serin as runSerin } from '../suite/serin.ts';
import { aDeployment } from '../suite/troubles/objects.ts';

const program = new Command('serin');
addPeopleCommands(program);
const examples = program.commands.flatMap((command) => (notesOf(command)?.examples ?? []).map((line) => ({ line, command })));

describe('the commands for people, on the embedded cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-people-'));
  const before = process.cwd();
  let embedded: EmbeddedCluster;
  let answering: WatchHandle | undefined;

  const serin = (...args: string[]) => runSerin(join(folder, 'kubeconfig'), ...args);

  /** The Canary `podinfo` in `test`, whose second version has just been promoted; no controller is needed to look at it. */
  async function set(): Promise<void> {
    const { cluster } = embedded;
    for (const crd of crds()) await cluster.apply(crd);
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' } });
    const target = await cluster.create(aDeployment('test', 'podinfo'));
    const world = initialized(aCanary({ stepWeight: 50 }));
    const revision = deployment.revision(target);
    world.push(revision);
    world.tickUntil(({ phase }) => phase === 'Succeeded');
    const { metadata, status, ...rest } = JSON.parse(JSON.stringify(world.canary));
    const canary = { ...rest, metadata: { name: metadata.name, namespace: metadata.namespace } };
    // The definition is there some time before it is served.
    const stored = await eventually('Canaries are served', async () => {
      try {
        return await cluster.create(canary);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (isAlreadyExists(error)) return cluster.get(refOf(canary));
        throw error;
      }
    });
    if (stored === undefined) throw new Error('there is no Canary');
    const release = { ...status.release, targetUid: target.metadata.uid, observedGeneration: target.metadata.generation };
    const answer = await cluster.patch(refOf(stored), { status: { ...status, release } }, { subresource: 'status' });
    await makePrimary(target, { ...world.canary, metadata: { ...world.canary.metadata, uid: String(answer.metadata.uid) } }, revision);
  }

  async function makePrimary(target: KubeObject, canary: Canary, revision: string): Promise<void> {
    const options = { selector: { key: 'app', value: 'podinfo' }, includeLabelPrefix: [], selectorLabels: ['app'], revision, replicas: 1 };
    await embedded.cluster.create(deployment.renderPrimary(canary, target, options));
    const record = renderTemplateRevision(canary, deployment.primaryTemplate(canary, target, options), revision, 2);
    await embedded.cluster.create(record);
  }

  /** In the place of a controller that has nothing against what it is asked. */
  async function answer(canary: KubeObject): Promise<void> {
    const text = canary.metadata.annotations?.[requestAnnotation];
    const release = parseStatus(canary.status)?.release;
    if (text === undefined || release === undefined) return;
    const request = readRequest(text);
    if (release.requests?.some(({ id }) => id === request.id)) return;
    const status = { release: acknowledged(release, request, Date.now()) };
    await embedded.cluster.patch(refOf(canary), { status }, { subresource: 'status' });
  }

  beforeAll(async () => {
    // An example writes a file where it is run.
    process.chdir(folder);
    embedded = await startEmbeddedCluster();
    writeFileSync(join(folder, 'kubeconfig'), embedded.kubeconfig);
    await set();
    answering = embedded.cluster.watch(
      { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
      { onEvent: ({ object }) => void answer(object), onList: (items) => items.map(answer) },
    );
  });
  afterAll(async () => {
    answering?.stop();
    await embedded?.stop();
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });

  it('each command has an example', () => {
    const leaves = program.commands.filter(({ commands }) => commands.length === 0);
    expect(leaves.filter((command) => (notesOf(command)?.examples ?? []).length === 0).map((one) => one.name())).toEqual([]);
  });
  it.each(examples)('the example of its help runs: $line', async ({ line }) => {
    const { code, said, complained } = await serin(...line.split(' ').slice(1));
    expect(code, complained).toBe(0);
    expect(said + complained).not.toBe('');
    expect(complained).not.toContain('Error');
  });

  it('-o json is the document that its schema says, of each command', async () => {
    const lines = ['list', 'status podinfo', 'why podinfo', 'wait podinfo', 'history podinfo', 'diff podinfo', 'version'];
    const kinds = await Promise.all(
      lines.map(async (line) => {
        const own = line === 'version' ? [] : ['-n', 'test'];
        return Documents.parse(parse((await serin(...line.split(' '), ...own, '-ojson')).said)).kind;
      }),
    );
    expect(kinds).toEqual(['CanaryList', 'CanaryReport', 'Why', 'WaitResult', 'History', 'Difference', 'VersionReport']);
  });
  it('status shows one screen in ASCII and 80 columns', async () => {
    const { said } = await serin('status', 'podinfo', '-n', 'test');
    expect(said).toMatch(/^Canary test\/podinfo: Succeeded since \d{4}-.*Z\n {2}Succeeded: /);
    expect(said).toMatch(/ {2}target {3}Deployment\/podinfo .* of 1 ready +s1:[0-9a-f]{12}\n {2}primary +Deployment\/podinfo-primary /);
    expect(said).toContain('primary  [####################] 100 %');
    expect(said).toMatch(/^[\x20-\x7e\n]*$/);
    expect(Math.max(...said.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
  it('the exit code tells what is not there, and what does not come', async () => {
    const [nobody, late, missing] = await Promise.all([
      serin('status', 'nobody', '-n', 'test'),
      serin('wait', 'podinfo', '-n', 'test', '--for=succeeded', '--revision=s1:0123456789', '--timeout=1s'),
      serin('wait', 'nobody', '-n', 'test'),
    ]);
    expect(nobody).toEqual({
      code: exitCodes.notFound.code,
      said: '',
      complained: 'Error: there is no Canary nobody in namespace test (see serin list -A)\n',
    });
    expect(late).toMatchObject({ code: exitCodes.timedOut.code, said: expect.stringContaining('timed out') });
    expect(missing).toMatchObject({ code: exitCodes.notFound.code, said: expect.stringContaining('not found') });
  });
  it('status --watch ends with Ctrl-C, by its signal, and has shown every change until then', async () => {
    const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
    const args = [main, 'status', 'podinfo', '--namespace', 'test', '--watch', '--kubeconfig', join(folder, 'kubeconfig')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (said += part));
    const ended = once(child, 'exit');
    try {
      await eventually(
        'the first screen',
        () => said.includes('100 %'),
        Boolean,
        () => said,
      );
      const ref = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'podinfo', namespace: 'test' };
      await embedded.cluster.patch(ref, { status: { iterations: 7 } }, { subresource: 'status' });
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
    await embedded.cluster.patch(ref, [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:3' }]);
    const { code, said } = await serin('diff', 'podinfo', '-n', 'test');
    expect(code).toBe(exitCodes.no.code);
    expect(said).toMatch(/^template\.spec\.containers\[web\]\.image\n {2}- "web:\d"\n {2}\+ "web:3"\n$/);
  });
});
