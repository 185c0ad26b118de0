import type { KubeObject } from '../../api/kube-object.ts';
import { fieldPath } from '../../base/field-path.ts';
import { comparedCourse } from '../../engine/journal/compared-course.ts';
import { JournalPart, journalVersion } from '../../engine/journal/journal-part.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { recordKind } from '../../workloads/anchor.ts';
import { isJournalOf, type JournalHead, journalsOf, readJournal, runOf } from '../../workloads/journal-record.ts';
import type { EvidencePoint } from '../documents/compared-report.ts';
import { ReadingError } from '../reading-error.ts';

/** The journal of one release. */
export interface Journal {
  namespace: string;
  name: string;
  run: number;
  /** In the order of time. */
  parts: readonly JournalPart[];
  /** Stored size of the records. */
  bytes: number;
  /** Reasons for which records cannot be used, each with the record's name and a remedy. */
  problems: readonly string[];
}

/** A Canary by uid: another one of its name has other journals. */
export type CanaryIdentity = JournalHead['canary'];

export function canaryIdentity({ metadata: { namespace = '', name, uid = '' } }: KubeObject): CanaryIdentity {
  return { namespace, name, uid };
}

/** The journals of a Canary, the newest first. Records of a deleted Canary of the same name are not among them. */
export async function readJournals(cluster: Pick<Cluster, 'list'>, canary: CanaryIdentity): Promise<Journal[]> {
  const kind = { ...recordKind, namespace: canary.namespace };
  const { items } = await cluster.list(kind, { labelSelector: journalsOf(canary) });
  const own = items.filter((one) => isJournalOf(one, canary));
  const journals = [...Map.groupBy(own, runOf)].map(([run, records]) => journalOf(records, canary, Number(run)));
  return journals.sort((a, b) => b.run - a.run);
}

/** The journal of one release, or of the last one; the error that ends a command where it cannot be used. */
export async function readOneJournal(cluster: Pick<Cluster, 'list'>, canary: CanaryIdentity, run: number | undefined): Promise<Journal> {
  const journals = await readJournals(cluster, canary);
  const { namespace, name } = canary;
  const found = run === undefined ? journals[0] : journals.find((one) => one.run === run);
  if (found) return usable(found);
  const there =
    journals.length === 0 ? 'it has none: --journal-limit of the controller is 0, or nothing was released yet' : namesOf(journals);
  throw new ReadingError(
    'notFound',
    `Canary ${namespace}/${name} has no journal${run === undefined ? '' : ` of release ${run}`}: ${there}`,
  );
}

/** The journal, or an error that names its problems. */
export function usable(journal: Journal): Journal {
  const [problem] = journal.problems;
  if (problem !== undefined) throw new ReadingError('unanswered', problem);
  return journal;
}

const namesOf = (journals: readonly Journal[]): string => `there are those of releases ${journals.map(({ run }) => run).join(', ')}`;

function journalOf(records: readonly KubeObject[], canary: CanaryIdentity, run: number): Journal {
  const problems: string[] = [];
  const parts: { part: JournalPart; record: string }[] = [];
  for (const record of records) {
    const read = partIn(record, canary, run);
    if ('problem' in read) problems.push(`ControllerRevision ${canary.namespace}/${record.metadata.name} ${read.problem}`);
    else parts.push({ part: read.part, record: record.metadata.name });
  }
  parts.sort((a, b) => a.part.beganMs - b.part.beganMs);
  for (const [index, { part, record }] of parts.entries()) {
    const before = parts[index - 1];
    if (!before || part.beganMs >= before.part.endedMs) continue;
    const both = `ControllerRevisions ${before.record} and ${record} in ${canary.namespace} record the same time`;
    const remedy =
      'two controllers ran this Canary, or one record is forged: run one controller, or all with one lease, and delete the record';
    problems.push(`${both}, by the processes ${before.part.writer} and ${part.writer}; ${remedy} that is not of yours`);
  }
  const bytes = records.reduce((sum, record) => sum + JSON.stringify(record.data ?? null).length, 0);
  return { namespace: canary.namespace, name: canary.name, run, parts: parts.map(({ part }) => part), bytes, problems };
}

function partIn(record: KubeObject, canary: CanaryIdentity, run: number): { part: JournalPart } | { problem: string } {
  const remedy = `delete it with kubectl delete controllerrevision ${record.metadata.name} --namespace ${canary.namespace}`;
  const unpacked = readJournal(record);
  if ('problem' in unpacked) return { problem: `is damaged or forged: ${unpacked.problem}; ${remedy}` };
  const read = partOf(unpacked.json);
  if ('problem' in read) return { problem: read.isOther ? read.problem : `is damaged or forged: ${read.problem}; ${remedy}` };
  const { namespace, name, uid } = read.part.canary;
  if (namespace !== canary.namespace || name !== canary.name || uid !== canary.uid)
    return { problem: `holds a journal of another Canary, ${namespace}/${name} with uid ${uid}; ${remedy}` };
  if (read.part.run !== run) return { problem: `is marked as release ${run} and holds release ${read.part.run}; ${remedy}` };
  return read;
}

/** `isOther`: of another version of the format, which another Serin can read. */
export function partOf(json: unknown): { part: JournalPart } | { problem: string; isOther?: true } {
  const { version, engine } = typeof json === 'object' && json !== null ? (json as { version?: unknown; engine?: unknown }) : {};
  if (typeof version === 'number' && version !== journalVersion) {
    const writer = typeof engine === 'string' ? engine.slice(0, 100) : 'of another version';
    return { problem: `has format ${version}, and this Serin reads format ${journalVersion}: read it with Serin ${writer}`, isOther: true };
  }
  const parsed = JournalPart.safeParse(json);
  if (parsed.success) return { part: parsed.data };
  return { problem: `${fieldPath(parsed.error.issues[0]?.path ?? []) || 'it'} is not as Serin writes it` };
}

/** Growth of the evidence of a release, from its journal; empty without `analysis.comparison`. */
export function evidencePoints(parts: readonly JournalPart[]): EvidencePoint[] {
  const course = comparedCourse(parts);
  const [first] = course;
  return course.map(({ atMs, against, inFavour, ...point }) => ({
    ...point,
    seconds: (atMs - (first?.atMs ?? 0)) / 1000,
    against: Math.round(100 * against),
    inFavour: Math.round(100 * inFavour),
  }));
}
