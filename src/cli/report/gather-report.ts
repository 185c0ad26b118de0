import type { KubeObject } from '../../api/kube-object.ts';
import { redactText } from '../../base/redact-text.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { outputVersion } from '../../reading/documents/output-version.ts';
import { clientVersion, serverVersion } from '../canaries/version-command.ts';
import type { ReportContents } from '../output/documents.ts';
import { Archive, fileText } from './archive.ts';
import { canaryFiles, type ReportFile } from './canary-files.ts';
import { controllerFiles } from './controllers.ts';
import { readDefinitions } from './definitions.ts';
import { leftOut, readme } from './left-out.ts';
import { Redaction } from './redaction.ts';
import { ReportReader } from './report-reader.ts';
import { SecretTraces } from './secret-traces.ts';

/** The part of a cluster that a report uses: it never writes. */
export type ReadingCluster = ClusterReader & Pick<KubeCluster, 'raw' | 'ask'>;

/** Scope of a report. */
export interface ReportOptions {
  /** Traffic provider of Canaries that name none. */
  meshProvider: string;
  /** Lines of each container of the controller; 0: no logs. */
  logLines: number;
  /** Label selector of the controller's Deployments, by default the labels of the chart. */
  controllerSelector?: string;
  nowMs: number;
  /** Called with the name of the next part. */
  progress(what: string): void;
  /** Most characters of all files together. */
  largest?: number;
}

/** Contents and bytes of the archive. */
export interface Report {
  contents: ReportContents;
  /** A gzipped tar. */
  bytes: Buffer;
}

const FULL = 'the report has reached its largest size';
/** Most Canaries whose credentials are searched in the logs of the controller: each is searched in many forms. */
const MOST_SEARCHED = 20;

/** One archive of these Canaries, for strangers to read. It names the parts that cannot be read. */
export async function gatherReport(cluster: ReadingCluster, canaries: readonly KubeObject[], options: ReportOptions): Promise<Report> {
  const { nowMs, progress, meshProvider, logLines, controllerSelector } = options;
  const traces = new SecretTraces();
  const ofAll = new Redaction(traces);
  const redactions = [ofAll];
  const reader = new ReportReader(cluster, ofAll);
  const archive = new Archive(options.largest);
  /** Returns false if some of the files do not fit. */
  const add = (files: readonly ReportFile[], without: readonly Redaction[]): boolean => {
    const left = files.filter(({ path, says, content }) => {
      const text = without.reduce((shown, redaction) => redaction.text(shown), fileText(path, content));
      return !archive.add(path, says, text);
    });
    for (const { path } of left) reader.notRead.set(path, FULL);
    return left.length === 0;
  };

  const server = await reader.attempt('version of the API server', () => serverVersion(cluster));
  const definitions = await readDefinitions(cluster, reader);
  const versions = { ...clientVersion(), ...(server ? { server } : {}) };
  add([{ path: 'versions.json', says: 'as serin version says', content: versions }], [ofAll]);
  add([{ path: 'definitions.json', says: 'the resource definitions, beside those of this version', content: definitions }], [ofAll]);
  const done: ReportContents['canaries'] = [];
  for (const { metadata } of canaries) {
    const { name, namespace = '' } = metadata;
    progress(`${done.length + 1} of ${canaries.length}: Canary ${namespace}/${name}`);
    const own = new Redaction(traces);
    redactions.push(own);
    done.push({ namespace, name });
    const files = await orTheFault(reader, `${namespace}/${name}`, () => canaryFiles(reader.with(own), { namespace, name }, meshProvider));
    if (add(files, [own])) continue;
    const others = canaries.length - done.length;
    if (others > 0) reader.notRead.set(`${others} more Canaries`, FULL);
    break;
  }
  progress('the controller');
  const ofController = await controllerFiles(cluster, reader, {
    logLines,
    ...(controllerSelector ? { selector: controllerSelector } : {}),
  });
  // Its log can contain values that the pods of a Canary got.
  add(ofController, redactions.slice(0, MOST_SEARCHED));

  const contents: ReportContents = {
    apiVersion: outputVersion,
    kind: 'ReportContents',
    created: timestamp(nowMs),
    client: versions.client,
    canaries: done,
    files: archive.listed,
    notRead: [...reader.notRead].map(([what, why]) => ({ what, why })),
    leftOut: [...leftOut],
    valuesHidden: redactions.reduce((sum, { count }) => sum + count, 0),
  };
  const head = new Map([
    ['README.txt', readme(contents)],
    ['contents.json', fileText('contents.json', contents)],
  ]);
  return { contents, bytes: archive.bytes(head, nowMs) };
}

/** Notes a failure instead of throwing it: the report can be about this very failure. */
async function orTheFault(reader: ReportReader, what: string, gather: () => Promise<ReportFile[]>): Promise<ReportFile[]> {
  try {
    return await gather();
  } catch (error) {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    reader.notRead.set(`Canary ${what}`, redactText(`a bug in serin report: ${fault}`));
    return [];
  }
}
