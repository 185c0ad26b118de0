import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { journalRecords } from '../../../test/fakes/model/journals.ts';
import { aModelCanary } from '../../../test/fakes/model/lab.ts';
import { initializedLab, ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { untar } from '../../../test/fakes/untar.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { version } from '../../base/version.ts';
import { ReadingError } from '../../reading/reading-error.ts';
import type { ReadSession } from '../canaries/session.ts';
import { Documents } from '../output/documents.ts';
import { CommandError } from '../output/exit-codes.ts';
import { Output } from '../output/output.ts';
import { gatherReport } from '../report/gather-report.ts';
import { backtestCommand } from './backtest-command.ts';
import { journalCommand } from './journal-command.ts';
import { type ReplayFlags, replayCommand, replayFileCommand, splitRelease } from './replay-command.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const webhooks = [{ name: 'gate', type: 'confirm-promotion', url: 'http://gate.invalid/' }];

/** Release 1 is promoted with 4 orders at half of the traffic, release 2 is rolled back with 9 there. */
let objects: KubeObject[];
let releases = 0;

beforeAll(async () => {
  const lab = await initializedLab({}, aModelCanary({ ...ordersPlan, threshold: 1 }));
  const high = [4, 9];
  const weight = () => raw(lab.canary())?.status?.canaryWeight ?? 0;
  lab.externalMetric = () => ({ value: weight() >= 50 ? (high[releases] ?? 1) : 1, afterMs: 0 });
  await release(lab, '2');
  releases += 1;
  await release(lab, '3', 'Failed');
  objects = [lab.canary() as KubeObject, ...journalRecords(lab)];
});

type Act = (session: ReadSession) => Promise<string>;

/** The document that a command prints, and its exit. */
async function run(act: Act, cluster = new HeldCluster(objects)): Promise<{ exit: string; document: Documents; said: string }> {
  let text = '';
  const streams = { out: { write: (part: string | Uint8Array) => (text += part) }, err: { write: () => undefined } };
  const output = new Output({ output: 'json' }, {}, streams);
  const exit = await act({ cluster, namespace: 'test', output }).catch((error: unknown) => {
    if (error instanceof CommandError) return `${error.exit}: ${error.message}`;
    if (error instanceof ReadingError) return `${error.why}: ${error.message}`;
    throw error;
  });
  return { exit, document: text === '' ? (undefined as never) : Documents.parse(JSON.parse(text)), said: text };
}

const replaying = (number: number | undefined, flags: ReplayFlags = {}) =>
  run((session) => replayCommand(session, 'podinfo', number, flags));
const supposing = (number: number, patch: object) => replaying(number, { with: JSON.stringify(patch) });
const orders = (range: object, more: object = {}) => ({
  metrics: [{ name: 'orders', templateRef: { name: 'orders' }, thresholdRange: range, ...more }],
});

describe('serin replay', () => {
  it.each([
    { release: 'release 1', number: 1 },
    { release: 'release 2', number: 2 },
    { release: 'the last release, without a number', number: undefined },
  ])('decides the same in every step of $release', async ({ number }) => {
    const { exit, document } = await replaying(number);
    expect(exit).toBe('done');
    expect(document).toMatchObject({ kind: 'ReplayResult', release: number ?? 2, outcome: 'same' });
  });

  it('reads a journal from a file as serin history prints it, and shows the first decision that differs', async () => {
    const { said } = await run((session) => journalCommand(session, 'podinfo', '1'));
    const file = join(mkdtempSync(join(tmpdir(), 'serin-journal-')), 'journal.json');
    writeFileSync(file, said);
    const same = await run(({ output }) => replayFileCommand(output, file, {}));
    expect([same.exit, same.document]).toMatchObject(['done', { outcome: 'same' }]);
    const ofVersion = (engine: string) =>
      said.replaceAll(/"engine": "[^"]*"/g, `"engine": "${engine}"`).replace('"weight": 25', '"weight": 24');
    writeFileSync(file, ofVersion(version));
    const edited = await run(({ output }) => replayFileCommand(output, file, {}));
    const difference = { cause: 'editedJournal', recorded: { weight: 24 }, decided: { weight: 25 } };
    expect([edited.exit, edited.document]).toMatchObject(['no', { outcome: 'differs', difference }]);
    writeFileSync(file, ofVersion('0.0.1'));
    const older = await run(({ output }) => replayFileCommand(output, file, {}));
    expect(older.document).toMatchObject({ recordedBy: ['0.0.1'], difference: { cause: 'engineVersion' } });
  });

  it('--with an analysis that changes nothing: the same', async () => {
    const { exit, document } = await supposing(1, orders({ max: 6 }));
    expect([exit, document]).toMatchObject([
      'done',
      { outcome: 'same', recorded: { verdict: 'promoted' }, supposed: { verdict: 'promoted' } },
    ]);
    expect(document).not.toHaveProperty('firstDifference');
  });

  it('--with a stricter limit: when the release would have been rolled back, and why', async () => {
    const { exit, document } = await supposing(1, orders({ max: 3 }));
    const reason = expect.stringContaining('orders: 4 is above the maximum of 3');
    expect([exit, document]).toMatchObject([
      'no',
      { outcome: 'differs', recorded: { verdict: 'promoted' }, supposed: { verdict: 'rolledBack', weight: 50, failedChecks: 1, reason } },
    ]);
    const { supposed, recorded } = document as { supposed: { at: string }; recorded: { at: string } };
    expect(supposed.at <= recorded.at).toBe(true);
  });

  it('--with more failed checks allowed: measurements after the rollback are not known', async () => {
    const { exit, document } = await supposing(2, { threshold: 3 });
    expect([exit, document]).toMatchObject(['unanswered', { outcome: 'unknown', recorded: { verdict: 'rolledBack' } }]);
    expect(document).not.toHaveProperty('supposed');
  });

  it('--with longer steps: goes on by the recorded values until the recorded verdict', async () => {
    const { document } = await supposing(1, { stepWeight: 50 });
    expect(document).toMatchObject({
      firstDifference: { recorded: { weight: 25 }, decided: { weight: 50 } },
      supposed: { verdict: 'promoted' },
    });
    const slower = await supposing(1, { stepWeight: 5 });
    expect(slower.document).toMatchObject({ outcome: 'unknown' });
  });

  it('--with a change, where steps of the release were not stored: only another verdict is certain', async () => {
    const { said } = await run((session) => journalCommand(session, 'podinfo', '1'));
    const file = join(mkdtempSync(join(tmpdir(), 'serin-journal-')), 'journal.json');
    writeFileSync(file, said.replace('"number": 1', '"number": 2'));
    const outcomes = [];
    for (const max of [6, 3]) {
      const { document } = await run(({ output }) => replayFileCommand(output, file, { with: JSON.stringify(orders({ max })) }));
      outcomes.push((document as { outcome: string }).outcome);
    }
    expect(outcomes).toEqual(['unknown', 'differs']);
  });

  it.each([
    ['a query that was not asked', orders({ max: 5 }, { interval: '5m' }), 'interval'],
    ['a metric that was not measured', { metrics: [{ name: 'request-duration', thresholdRange: { max: 500 } }] }, 'request-duration'],
    ['a webhook that was not called', { webhooks }, undefined],
    ['another interval', { interval: '30s' }, 'analysis.interval'],
    ['a value of the primary that was not asked for', orders({ max: 5 }, { baseline: { maxRatio: 2 } }), 'primary'],
  ])('--with %s: it is not known', async (_, patch, word) => {
    const { exit, document } = await supposing(1, patch);
    expect([exit, document]).toMatchObject(['unanswered', { outcome: 'unknown' }]);
    if (word !== undefined) expect((document as { unknown: string }).unknown).toContain(word);
  });

  it.each([
    [{ with: '{"treshold":1}' }, 'threshold'],
    [{ with: '{"threshold":"a"}' }, 'spec.analysis.threshold'],
    [{ with: '[1]' }, '--with'],
    [{ with: 'threshold: 1' }, '--with'],
    [{ with: '{}', withFile: 'x' }, '--with-file'],
    [{ withFile: '/does/not/exist' }, '/does/not/exist'],
  ])('%j is refused, and its field is named', async (flags, word) => {
    const { exit } = await replaying(1, flags);
    expect(exit).toContain('usage: ');
    expect(exit).toContain(word);
  });

  it('--with-file takes the analysis of a Canary', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'serin-journal-')), 'canary.yaml');
    writeFileSync(file, JSON.stringify(aModelCanary({ ...ordersPlan, threshold: 1, ...orders({ max: 3 }) })));
    expect((await replaying(1, { withFile: file })).document).toMatchObject({ supposed: { verdict: 'rolledBack' } });
  });

  it('names the releases that have a journal if the wanted one has none', async () => {
    expect((await replaying(7)).exit).toBe('notFound: Canary test/podinfo has no journal of release 7: there are those of releases 2, 1');
  });

  it('the number of a release follows the last slash', () =>
    expect(['a', 'a/3', 'test/a', 'test/a/12'].map(splitRelease)).toEqual([
      { canary: 'a' },
      { canary: 'a', release: 3 },
      { canary: 'test/a' },
      { canary: 'test/a', release: 12 },
    ]));
});

it('serin history --journal lists the journals, the newest first', async () => {
  const { document } = await run((session) => journalCommand(session, 'podinfo', true));
  const items = [
    { release: 2, outcome: 'Failed', records: 1, problems: [] },
    { release: 1, outcome: 'Succeeded', records: 1, problems: [] },
  ];
  expect(document).toMatchObject({ kind: 'JournalList', items });
});

it('serin report includes the journals, and they replay', async () => {
  const options = { meshProvider: 'istio', logLines: 0, nowMs: 0, progress: () => undefined };
  const { bytes } = await gatherReport(new HeldCluster(objects), objects.slice(0, 1), options);
  const found = untar(bytes).get('serin-report/canaries/test/podinfo/journal-1.json');
  const file = join(mkdtempSync(join(tmpdir(), 'serin-journal-')), 'journal.json');
  writeFileSync(file, found ?? '');
  expect((await run(({ output }) => replayFileCommand(output, file, {}))).document).toMatchObject({ outcome: 'same' });
});

it('serin backtest judges every release that is kept', async () => {
  const flags = { with: JSON.stringify(orders({ max: 3 })) };
  const { exit, document } = await run((session) => backtestCommand(session, flags));
  const items = [
    { release: 1, outcome: 'differs', supposed: { verdict: 'rolledBack' } },
    { release: 2, outcome: 'same', supposed: { verdict: 'rolledBack' } },
  ];
  expect([exit, document]).toMatchObject(['no', { kind: 'Backtest', same: 1, differs: 1, unknown: 0, items }]);
  expect((await run((session) => backtestCommand(session, {}))).exit).toContain('usage: ');
});
