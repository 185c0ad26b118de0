import { existsSync, writeFileSync } from 'node:fs';
import type { KubeObject } from '../../api/kube-object.ts';
import { getCanary, listCanaries, resourceName } from '../../reading/canary-reading.ts';
import type { Session } from '../canaries/session.ts';
import type { ReportContents, RevertRequest } from '../output/documents.ts';
import { type CommandError, type ExitName, usageError } from '../output/exit-codes.ts';
import type { CommandAnswer } from '../output/output.ts';
import { cleaned, inAscii } from '../output/text.ts';
import { gatherReport, type ReadingCluster } from './gather-report.ts';
import type { RevertPart } from './revert-parts.ts';

/** Flags of `serin report`. */
export interface ReportFlags {
  file?: string;
  force?: boolean;
  meshProvider: string;
  /** `true` means the usual number of lines. */
  controllerLogs?: boolean | string;
  controllerSelector?: string;
  /** `true` means title and body. */
  revert?: boolean | RevertPart;
}

const STDOUT = '-';
const LOG_LINES = 2_000;
const MOST_LOG_LINES = 20_000;

/** `serin report [NAME]`: one redacted archive of a Canary, or of those of a namespace or of all. */
export async function reportCommand(
  { cluster, namespace, output }: Pick<Session, 'namespace' | 'output'> & { cluster: ReadingCluster },
  name: string | undefined,
  flags: ReportFlags,
  nowMs = Date.now(),
): Promise<ExitName> {
  const { file = defaultName(namespace, name, nowMs), force = false, meshProvider, controllerSelector } = flags;
  if (file === STDOUT && output.format !== undefined)
    throw usageError('-o and -f - exclude each other, since both write to stdout: leave one out');
  if (name !== undefined && namespace === undefined) throw usageError('one Canary is in one namespace: leave out --all-namespaces');
  if (flags.revert !== undefined && flags.revert !== false) {
    if (name === undefined) throw usageError('--revert is about one Canary: give its NAME');
    if (flags.file !== undefined) throw usageError('--revert writes to stdout: leave out --file');
    const { revertRequest } = await import('./revert-request.ts');
    const document = revertRequest(await getCanary(cluster, namespace ?? '', name));
    await output.show(revertAnswer(document, flags.revert));
    return 'done';
  }
  // Before everything is read from the cluster.
  if (file !== STDOUT && !force && existsSync(file)) throw exists(file);
  const logLines = linesOf(flags.controllerLogs);
  const canaries: KubeObject[] =
    name === undefined ? await listCanaries(cluster, namespace) : [await getCanary(cluster, namespace ?? '', name)];
  if (canaries.length === 0)
    output.note(
      `No Canary found in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}: the report has only the controller and the definitions.`,
    );
  const { contents, bytes } = await gatherReport(cluster, canaries, {
    meshProvider,
    logLines,
    nowMs,
    ...(controllerSelector && { controllerSelector }),
    progress: (what) => output.note(what),
  });
  if (file === STDOUT) output.write(bytes);
  else {
    write(file, bytes, force);
    await output.show(reportAnswer({ ...contents, file }));
  }
  if (contents.notRead.length > 0)
    output.note(`Not read: ${contents.notRead.length} of the objects; README.txt in the archive names them.`);
  output.note('Review it before you send it: it contains names of objects, hosts and images.');
  return 'done';
}

function defaultName(namespace: string | undefined, name: string | undefined, nowMs: number): string {
  const time = new Date(nowMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '');
  return `serin-report-${[namespace ?? 'all', ...(name === undefined ? [] : [name])].join('-')}-${time}.tar.gz`;
}

function linesOf(asked: boolean | string | undefined): number {
  if (asked === undefined || asked === false) return 0;
  const lines = asked === true ? LOG_LINES : Number(asked);
  if (Number.isInteger(lines) && lines > 0 && lines <= MOST_LOG_LINES) return lines;
  throw usageError(`--controller-logs ${asked}: give a number of lines from 1 to ${MOST_LOG_LINES}`);
}

/** Readable only by its owner. */
function write(file: string, bytes: Buffer, force: boolean): void {
  try {
    writeFileSync(file, bytes, { mode: 0o600, flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'EEXIST') throw exists(file);
    throw usageError(`${file} cannot be written (${code}): choose another place with --file`, { cause });
  }
}

const exists = (file: string): CommandError => usageError(`${file} exists: choose another name with --file, or overwrite it with --force`);

/** As a message of Git: the title, an empty line, the body. */
function revertAnswer(document: RevertRequest, part: true | RevertPart): CommandAnswer<RevertRequest> {
  const { title, body } = document;
  const lines = body.trimEnd().split('\n');
  const shown = { title: [title], body: lines, all: [title, '', ...lines] }[part === true ? 'all' : part];
  return { document, names: [resourceName(document)], lines: (terminal) => (terminal.unicode ? shown : shown.map(inAscii)) };
}

function reportAnswer(contents: ReportContents): CommandAnswer<ReportContents> {
  const { file = '', canaries, files, valuesHidden } = contents;
  return {
    document: contents,
    names: [file],
    lines: (terminal, wide) => [
      cleaned(
        `${file}: ${canaries.length} ${canaries.length === 1 ? 'Canary' : 'Canaries'}, ${files.length} files, ${valuesHidden} values hidden`,
        terminal,
      ),
      ...(wide ? files.map(({ path, says }) => cleaned(`  ${path}: ${says}`, terminal)) : []),
    ],
  };
}
