import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { journalRecords, partsOf } from '../../../test/fakes/model/journals.ts';
import { initializedLab, release } from '../../../test/fakes/model/released.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import { type Journal, readJournals } from '../../reading/journals/read-journals.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import { Output } from '../output/output.ts';
import { replayCommand, replayOf } from './replay-command.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let canary: KubeObject;
let record: KubeObject;
let part: JournalPart;

beforeAll(async () => {
  const lab = await initializedLab();
  await release(lab, '2');
  canary = lab.canary() as KubeObject;
  record = journalRecords(lab)[0] as KubeObject;
  part = partsOf([record])[0] as JournalPart;
});

const packed = (value: unknown) => ({
  encoding: 'zlib+base64',
  text: deflateSync(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64'),
});
const withData = (data: unknown, name = record.metadata.name): KubeObject => ({ ...record, metadata: { ...record.metadata, name }, data });
const text = (): string => (record.data as { text: string }).text;

async function read(...records: KubeObject[]): Promise<Journal[]> {
  const { namespace = '', name, uid = '' } = canary.metadata;
  return readJournals(new HeldCluster([canary, ...records]), { namespace, name, uid });
}

describe('I16: a record that cannot be used is named, with the reason and a remedy', () => {
  it.each<[string, () => unknown, string]>([
    ['that is not packed', () => ({ template: {} }), 'data is not a packed journal'],
    ['that is cut in half', () => ({ encoding: 'zlib+base64', text: text().slice(0, text().length / 2) }), 'cannot be unpacked'],
    ['that unpacks to 10 MB', () => packed(`{"version":1,"x":"${' '.repeat(10_000_000)}"}`), 'holds more than 1024 KiB'],
    [
      'that unpacks to 50 MB',
      () => ({ encoding: 'zlib+base64', text: deflateSync(Buffer.alloc(50_000_000)).toString('base64') }),
      'holds more than 1024 KiB',
    ],
    ['that is nested without end', () => packed('['.repeat(100_000)), 'nested'],
    ['that is not JSON', () => packed('release'), 'not JSON'],
    [
      'that is too long before it is unpacked',
      () => ({ encoding: 'zlib+base64', text: 'A'.repeat(300 * 1024) }),
      'data is not a packed journal',
    ],
    ['whose field is of another type', () => packed({ ...part, beganMs: 'now' }), 'beganMs'],
    [
      'whose snapshot is of another type',
      () => packed({ ...part, segments: [{ from: { value: 'x', context: {} }, entries: [] }] }),
      'segments[0].from.context',
    ],
    [
      'with more entries than a part has',
      () => packed({ ...part, segments: [{ ...part.segments[0], entries: Array(10_000).fill({}) }] }),
      'segments[0].entries',
    ],
    [
      'with polls without end',
      () => {
        const [segment] = part.segments;
        const [entry] = segment?.entries ?? [];
        const poll = { times: [0, 0, null, null], unknown: '' };
        return packed({ ...part, segments: [{ ...segment, entries: Array(2).fill({ ...entry, polls: Array(3_000).fill(poll) }) }] });
      },
      'segments',
    ],
    ['of another Canary', () => packed({ ...part, canary: { ...part.canary, name: 'other' } }), 'another Canary, test/other'],
    ['of another release than it is marked with', () => packed({ ...part, run: 9 }), 'holds release 9'],
  ])('%s', async (_, data, word) => {
    const [journal] = await read(withData(data()));
    expect(journal?.problems).toHaveLength(1);
    expect(journal?.problems[0]).toContain(word);
    expect(journal?.problems[0]).toContain(`ControllerRevision test/${record.metadata.name}`);
    expect(journal?.problems[0]).toContain(`kubectl delete controllerrevision ${record.metadata.name} --namespace test`);
  });

  it('of another format: the version of Serin that reads it', async () => {
    const [journal] = await read(withData(packed({ version: 2, engine: '9.9.9' })));
    expect(journal?.problems[0]).toContain('has format 2, and this Serin reads format 1: read it with Serin 9.9.9');
  });

  it('of two processes at the same time: both records', async () => {
    const other = { ...part, writer: 'other', beganMs: part.beganMs + 1 };
    const [journal] = await read(record, withData(packed(other), `${record.metadata.name}x`));
    expect(journal?.problems).toHaveLength(1);
    for (const word of [record.metadata.name, `${record.metadata.name}x`, part.writer, 'other', 'one lease'])
      expect(journal?.problems[0]).toContain(word);
  });

  it('leaves a replay unanswered', async () => {
    const output = new Output({}, {}, { out: { write: () => true }, err: { write: () => undefined } });
    const cluster = new HeldCluster([canary, withData({})]);
    const replayed = replayCommand({ cluster, namespace: 'test', output }, 'podinfo', undefined, {});
    await expect(replayed).rejects.toThrow(ReadingError);
    await expect(replayed).rejects.toMatchObject({ why: 'unanswered' });
  });
});

it('a record that only has the label is ignored', async () => {
  const { annotations: _, ...metadata } = record.metadata;
  expect(await read({ ...record, metadata: { ...metadata, name: 'podinfo-serin-journal-x' } })).toEqual([]);
  expect(await read({ ...record, metadata: { ...record.metadata, name: 'mysql-5d8' } })).toEqual([]);
});

describe('I16: a journal that fits its schema and that Serin did not write', () => {
  const changed = (change: (copy: JournalPart) => void): JournalPart => {
    const copy = structuredClone(part);
    change(copy);
    return copy;
  };
  const outcomeOf = (copy: JournalPart) => replayOf({ namespace: 'test', name: 'podinfo', run: 1, parts: [copy], bytes: 0, problems: [] });
  const firstFacts = (copy: JournalPart) => copy.segments[0]?.entries[0]?.facts as Record<string, Record<string, unknown>>;

  it.each<[string, (copy: JournalPart) => void]>([
    ['with a state that is not in the chart', (copy) => Object.assign(copy.segments[0]?.from ?? {}, { value: { Progressing: 'flying' } })],
    ['with a state that is not a state', (copy) => Object.assign(copy.segments[0]?.from ?? {}, { value: { a: { b: { c: 'd' } } } })],
    ['whose facts have no Canary', (copy) => Object.assign(firstFacts(copy), { canary: null })],
    ['whose first step is gone', (copy) => copy.segments[0]?.entries.shift()],
    ['without a step', (copy) => copy.segments[0]?.entries.splice(0)],
    [
      'that reaches for the prototype',
      (copy) => Object.assign(firstFacts(copy), JSON.parse('{"__proto__":{"canary":1}}'), { target: null }),
    ],
  ])('%s does not end the program', (_, change) => {
    const { outcome, unknown, difference } = outcomeOf(changed(change));
    expect(outcome).not.toBe('same');
    expect(unknown ?? difference).toBeDefined();
    expect(({} as { canary?: unknown }).canary).toBeUndefined();
  });

  it('with the lines of a step exchanged differs, or cannot be followed', () => {
    const copy = changed((one) => one.segments[0]?.entries.splice(2, 2, ...(one.segments[0]?.entries.slice(2, 4).toReversed() ?? [])));
    expect(outcomeOf(copy).outcome).not.toBe('same');
  });
});
