import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { untar } from '../../../test/fakes/untar.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { formsOf, Planted, plantedLog, plantedObjects } from '../../../test/scenarios/planted.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { CanaryReport, Why } from '../../reading/documents/canary-documents.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import { ReportContents, VersionReport } from '../output/documents.ts';
import { Output } from '../output/output.ts';
import type { OutputFormat } from '../output/output-formats.ts';
import { gatherReport } from './gather-report.ts';
import { type ReportFlags, reportCommand } from './report-command.ts';

const NOW = Date.UTC(2026, 10, 22, 5, 40);
const folder = mkdtempSync(join(tmpdir(), 'serin-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A release at 20% that a gate holds. */
function aRelease(): KubeObject {
  const world = initialized(aCanary({ stepWeight: 20 }));
  world.pushUntil('s1:b', ({ canary }) => canary.status?.canaryWeight === 20);
  return JSON.parse(JSON.stringify(world.canary));
}

function aCluster() {
  const planted = new Planted();
  const cluster = new HeldCluster(plantedObjects(planted, aRelease()));
  cluster.pages.set('/api/v1/namespaces/ops/pods/serin-1/log', plantedLog(planted));
  return { planted, cluster };
}

interface Asked extends Partial<ReportFlags> {
  name?: string | undefined;
  namespace?: string | undefined;
  output?: OutputFormat;
}

let files = 0;
async function report(cluster: HeldCluster, { name, namespace, output, ...flags }: Asked = {}) {
  const out: (string | Uint8Array)[] = [];
  const err: string[] = [];
  const streams = { out: { write: (data: string | Uint8Array) => out.push(data) }, err: { write: (text: string) => err.push(text) } };
  const session = { cluster, namespace, output: new Output({ output }, {}, streams) };
  files += 1;
  const file = join(folder, `${files}.tar.gz`);
  const exit = await reportCommand(session, name, { meshProvider: 'istio', file, ...flags }, NOW);
  return { exit, out, said: out.map(String).join(''), complained: err.join(''), file };
}

async function unpacked(cluster: HeldCluster, asked: Asked = { name: 'podinfo', namespace: 'test' }): Promise<Map<string, string>> {
  return untar(readFileSync((await report(cluster, asked)).file));
}

const read = (all: Map<string, string>, path: string): string =>
  all.get(`serin-report/${path}`) ?? `${path} not found in ${[...all.keys()]}`;
const contentsOf = (all: Map<string, string>): ReportContents => ReportContents.parse(JSON.parse(read(all, 'contents.json')));
const ofCanary = (all: Map<string, string>, path: string): string => read(all, `canaries/test/podinfo/${path}`);

describe('serin report', () => {
  it('has no credential in it, from any field and in any form', async () => {
    const { planted, cluster } = aCluster();
    const all = await unpacked(cluster, { namespace: undefined, controllerLogs: true });
    expect(all.size).toBeGreaterThan(15);
    const found = [...all].flatMap(([path, text]) =>
      [...planted.all].filter(([value]) => formsOf(value).some((form) => text.includes(form))).map(([, where]) => `${where}: in ${path}`),
    );
    expect(found).toEqual([]);
    expect([...all.values()].join('')).not.toContain('4711081500');
    expect(planted.all.size).toBeGreaterThan(120);
  });

  it('contains the parts that a report is for: versions, objects, answers, Events', async () => {
    const { cluster } = aCluster();
    const all = await unpacked(cluster);
    expect(VersionReport.parse(JSON.parse(read(all, 'versions.json')))).toMatchObject({ server: 'v1.36.3' });
    expect(Why.parse(JSON.parse(ofCanary(all, 'why.json')))).toMatchObject({ phase: 'Progressing' });
    expect(CanaryReport.parse(JSON.parse(ofCanary(all, 'status.json')))).toMatchObject({ traffic: { canary: 20 } });
    expect(JSON.parse(ofCanary(all, 'history.json')).items).toMatchObject([{ revision: 's1:aa', images: ['web:1'] }]);
    expect(parse(ofCanary(all, 'canary.yaml'))).toMatchObject({
      metadata: { managedFields: [{ manager: 'kubectl', fields: ['metadata.finalizers[]', 'spec.replicas'] }] },
      spec: {
        analysis: {
          stepWeight: 20,
          match: [{ headers: { cookie: { regex: '***' } } }],
          webhooks: [{ name: 'gate', url: 'https://***@hooks.example.org/***?***', metadata: { cmd: '***' } }],
        },
        service: { match: [{ uri: { prefix: '/api' } }] },
      },
      status: { phase: 'Progressing', canaryWeight: 20 },
    });
    expect(parse(ofCanary(all, 'routes.yaml').split('---')[0] ?? '').spec.http[0].route).toEqual([
      { destination: { host: 'podinfo-primary' }, weight: 80 },
      { destination: { host: 'podinfo-canary' }, weight: 20 },
    ]);
    const [target] = parseAllDocuments(ofCanary(all, 'workloads.yaml')).map((one) => one.toJS());
    expect(target.spec.template.spec.containers[0].env).toEqual([
      { name: 'DB_PASSWORD', value: '***' },
      { name: 'GREETING', value: '***' },
      { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'keys', key: 'db' } } },
    ]);
    expect(JSON.parse(ofCanary(all, 'pods.json'))).toMatchObject({
      replicaSets: [{ name: 'podinfo-6f7', images: ['web:1'] }],
      pods: [{ name: 'podinfo-6f7-abc', containers: [{ restarts: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }] }],
    });
    expect(JSON.parse(ofCanary(all, 'endpoints.json'))).toEqual([
      {
        name: 'podinfo-x1',
        service: 'podinfo',
        addressType: 'IPv4',
        endpoints: [{ of: 'Pod/podinfo-6f7-abc', ready: false, zone: 'a' }],
      },
    ]);
    expect(parse(ofCanary(all, 'quotas.yaml'))).toMatchObject({ spec: { hard: { pods: '4' } }, status: { used: { pods: '4' } } });
    expect(JSON.parse(ofCanary(all, 'events.json')).map(({ object }: { object: string }) => object)).toEqual([
      'Canary/podinfo',
      'Pod/podinfo-6f7-abc',
    ]);
    expect(read(all, 'controller/deployments.yaml')).toContain('-mesh-provider=istio');
    expect(read(all, 'controller/deployments.yaml')).toContain('-slack-url=***');
    expect([...all.keys()].filter((path) => path.includes('/logs/'))).toEqual([]);
    for (const name of ['services', 'scalers', 'metric-templates', 'alert-providers'])
      expect(ofCanary(all, `${name}.yaml`)).toContain('metadata:');
  });

  it('contents.json lists every file, the files that were left out, and unreadable objects with the reason', async () => {
    const { cluster } = aCluster();
    for (const kind of ['Pod', 'AlertProvider', 'CustomResourceDefinition']) cluster.forbidden.add(kind);
    cluster.absent.add('ScaledObject');
    cluster.remove({ apiVersion: 'v1', kind: 'Service', namespace: 'test', name: 'podinfo-canary' });
    cluster.pages.delete('/version');
    const all = await unpacked(cluster);
    const contents = contentsOf(all);
    expect(contents.files.map(({ path }) => `serin-report/${path}`)).toEqual(
      [...all.keys()].filter((path) => !/README.txt$|contents.json$/.test(path)),
    );
    for (const { path, bytes } of contents.files) expect(Buffer.byteLength(read(all, path))).toBe(bytes);
    expect(Object.fromEntries(contents.notRead.map(({ what, why }) => [what, why]))).toMatchObject({
      'Pod objects in test': 'cannot be read with these credentials',
      'AlertProvider test/chat': 'cannot be read with these credentials',
      'CustomResourceDefinition canaries.flagger.app': 'cannot be read with these credentials',
      'ScaledObject test/podinfo': 'does not exist',
      'Service test/podinfo-canary': 'does not exist',
      'DestinationRule test/podinfo-primary': 'does not exist',
      'version of the API server': 'cannot be read with these credentials',
    });
    expect(contents.leftOut.join()).toMatch(/Secrets and ConfigMaps/);
    for (const { what, why } of contents.notRead) expect(read(all, 'README.txt')).toContain(`- ${what}: ${why}\n`);
    for (const what of contents.leftOut) expect(read(all, 'README.txt')).toContain(`- ${what}\n`);
  });

  it('never reads a Secret or a ConfigMap', async () => {
    const { cluster } = aCluster();
    const asked = new Set<string>();
    const spied = Object.assign(Object.create(cluster) as HeldCluster, {
      get: (ref: { kind: string }) => asked.add(ref.kind) && cluster.get(ref as never),
      list: (kind: { kind: string }, selection: object) => asked.add(kind.kind) && cluster.list(kind as never, selection),
    });
    await report(spied, { namespace: 'test', controllerLogs: true });
    expect([...asked]).toContain('Canary');
    expect([...asked].filter((kind) => kind === 'Secret' || kind === 'ConfigMap')).toEqual([]);
  });

  it('the same cluster at the same time gives the same bytes', async () => {
    const [one, two] = await Promise.all(
      [aCluster(), aCluster()].map(({ cluster }) => report(cluster, { name: 'podinfo', namespace: 'test' })),
    );
    expect(readFileSync(one?.file ?? '').equals(readFileSync(two?.file ?? ''))).toBe(true);
  });

  it('-A has the Canaries of all namespaces; a broken one has what can be said of it', async () => {
    const { cluster } = aCluster();
    cluster.put({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'broken', namespace: 'other' }, spec: 'none' });
    const all = await unpacked(cluster, { namespace: undefined });
    expect(contentsOf(all).canaries).toEqual([
      { namespace: 'other', name: 'broken' },
      { namespace: 'test', name: 'podinfo' },
    ]);
    expect(parse(read(all, 'canaries/other/broken/canary.yaml'))).toMatchObject({ spec: 'none' });
    expect(Why.parse(JSON.parse(read(all, 'canaries/other/broken/why.json'))).diagnosis.cause).toBe('Unseen');
    expect(read(all, 'canaries/test/podinfo/canary.yaml')).toContain('podinfo');
  });

  it('is never larger than the limit for sending: files that do not fit are named', async () => {
    const { cluster } = aCluster();
    const canary = await cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: 'test', name: 'podinfo' });
    for (let number = 0; number < 5; number += 1)
      cluster.put({ ...canary, metadata: { name: `z${number}`, namespace: 'test' } } as KubeObject);
    const canaries = await cluster.list({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' });
    const options = { meshProvider: 'istio', logLines: 0, nowMs: NOW, progress: () => undefined };
    const whole = await gatherReport(cluster, canaries.items, options);
    const largest = whole.contents.files.reduce((sum, { bytes }) => sum + bytes, 0) / 2;
    const { contents, bytes } = await gatherReport(cluster, canaries.items, { ...options, largest });
    const sizes = [...untar(bytes)].filter(([path]) => !/README.txt$|contents.json$/.test(path)).map(([, text]) => Buffer.byteLength(text));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(largest);
    expect(contents.canaries.length).toBeLessThan(6);
    const left = contents.notRead.filter(({ why }) => why === 'the report has reached its largest size').map(({ what }) => what);
    expect(left).toContain(`${6 - contents.canaries.length} more Canaries`);
  });

  it('--controller-logs adds the end of them, without what looks like a credential', async () => {
    const { cluster } = aCluster();
    const all = await unpacked(cluster, { name: 'podinfo', namespace: 'test', controllerLogs: '50' });
    const log = read(all, 'controller/logs/ops/serin-1.serin.log');
    expect(log).toContain('{"level":30,"canary":"test/podinfo","msg":"weight advanced","weight":20}');
    expect(log).toContain('POST https://***@gate.test/***?***');
  });
  it.each(['0', '-1', 'many', '1000000'])('--controller-logs %s is refused before the first request', async (controllerLogs) => {
    const { cluster } = aCluster();
    await expect(report(cluster, { namespace: 'test', controllerLogs })).rejects.toMatchObject({ exit: 'usage' });
  });

  it('a log that cannot be read is named', async () => {
    const { cluster } = aCluster();
    cluster.pages.delete('/api/v1/namespaces/ops/pods/serin-1/log');
    const { notRead } = contentsOf(await unpacked(cluster, { namespace: 'test', controllerLogs: true }));
    expect(notRead).toContainEqual({ what: 'log of pod ops/serin-1, container serin', why: 'cannot be read with these credentials' });
  });

  it('writes a file that only its owner reads, and prints its name on stdout and notes on stderr', async () => {
    const { exit, said, complained, file } = await report(aCluster().cluster, { name: 'podinfo', namespace: 'test' });
    expect(exit).toBe('done');
    expect(said).toMatch(/1\.tar\.gz: 1 Canary, \d+ files, \d+ values hidden\n$|\.tar\.gz: 1 Canary, \d+ files/);
    expect(complained.replace(/\n/g, ' ')).toMatch(/1 of 1: Canary test\/podinfo .*Review it before you send it/);
    expect(statSync(file).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  });

  it('-f - writes the archive to the standard output, and nothing else there', async () => {
    const { out, file } = await report(aCluster().cluster, { name: 'podinfo', namespace: 'test', file: '-' });
    const bytes = Buffer.concat(out.map((part) => Buffer.from(part as Uint8Array)));
    expect(contentsOf(untar(bytes)).canaries).toEqual([{ namespace: 'test', name: 'podinfo' }]);
    expect(existsSync(file)).toBe(false);
    await expect(report(aCluster().cluster, { namespace: 'test', file: '-', output: 'json' })).rejects.toMatchObject({ exit: 'usage' });
  });

  it('overwrites nothing without --force', async () => {
    const { cluster } = aCluster();
    const file = join(folder, 'mine');
    writeFileSync(file, 'mine');
    await expect(report(cluster, { namespace: 'test', file })).rejects.toThrow(
      `${file} exists: choose another name with --file, or overwrite it with --force`,
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await report(cluster, { namespace: 'test', file, force: true });
    expect(contentsOf(untar(readFileSync(file))).canaries).toHaveLength(1);
  });

  it('a file that cannot be written is reported with its remedy', async () => {
    const file = join(folder, 'nowhere', 'a.tar.gz');
    await expect(report(aCluster().cluster, { namespace: 'test', file })).rejects.toThrow(
      /cannot be written \(ENOENT\): choose another place with --file/,
    );
  });

  it('-o json is the list of the contents, and -o name the file', async () => {
    const { said, file } = await report(aCluster().cluster, { namespace: 'test', output: 'json' });
    expect(ReportContents.parse(JSON.parse(said))).toMatchObject({ file, created: '2026-11-22T05:40:00Z' });
    const named = await report(aCluster().cluster, { namespace: 'test', output: 'name' });
    expect(named.said).toBe(`${named.file}\n`);
  });

  it('without a name for the file it is made of namespace, Canary and time', async () => {
    const before = process.cwd();
    const own = mkdtempSync(join(folder, 'cwd-'));
    process.chdir(own);
    try {
      await report(aCluster().cluster, { name: 'podinfo', namespace: 'test', file: undefined as never });
      await report(aCluster().cluster, { namespace: undefined, file: undefined as never });
    } finally {
      process.chdir(before);
    }
    expect(readdirSync(own).sort()).toEqual([
      'serin-report-all-20261122T054000Z.tar.gz',
      'serin-report-test-podinfo-20261122T054000Z.tar.gz',
    ]);
  });

  it('a Canary that is not found makes no report', async () => {
    const refused = report(new HeldCluster(), { name: 'absent', namespace: 'test' });
    await expect(refused).rejects.toBeInstanceOf(ReadingError);
    await expect(refused).rejects.toMatchObject({ why: 'notFound' });
  });
});
