import { expect, it } from 'vitest';
import { recording } from '../../../test/fakes/sample-journal.ts';
import { snapshotIn } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, type World } from '../../../test/fakes/world.ts';
import type { Metric } from '../../api/canary.ts';
import type { Verdict } from '../../api/canary-status.ts';
import { JournalPart } from '../../engine/journal/journal-part.ts';
import { journalEntries } from '../../engine/journal/replay.ts';
import { suppose } from '../../engine/journal/suppose.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { entryWords } from '../../reading/journals/entry-words.ts';
import { supposedAnalysis } from '../journal/supposed-analysis.ts';
import { releaseViewOf } from '../view/release-view.ts';
import { statusView } from '../view/status-view.ts';
import { statusScreen } from './status-screen.ts';

// The number of requests that a check was decided by, from the verdict to all that read of it.

const metrics: Metric[] = [{ name: 'request-success-rate', thresholdRange: { min: 99 } }];
const passed: Verdict = { check: 'request-success-rate', verdict: 'passed', value: 100, limit: 'at least 99%', requests: 2 };
const reason = 'request-success-rate: 0% is below the minimum of 99%';
const failed: Verdict = { ...passed, verdict: 'failed', value: 0, reason, requests: 1 };
const terminal = { color: false, unicode: true, live: false, columns: 160 };

function releasing(verdict: Verdict): { world: World; journal: () => JournalPart } {
  const world = initialized(aCanary({ stepWeight: 20, maxWeight: 40, threshold: 2, metrics }));
  world.behaviour.verdicts = [verdict];
  const journal = recording(world);
  world.push('s1:b');
  return { world, journal: () => JournalPart.parse(journal()) };
}

const said = (world: World, reason: string): string[] =>
  world.asked.flatMap((one) => (one.kind === 'announce' && one.announcement.reason === reason ? [one.announcement.message] : []));

it('DF826: events say by how many requests checks passed, each step and the promotion', () => {
  const { world } = releasing(passed);
  world.tickUntil(({ phase }) => phase === 'Succeeded');
  const by = '; passed: request-success-rate (2 requests)';
  expect(said(world, 'WeightAdvanced')).toEqual(['test/podinfo: canary weight is now 20%', `test/podinfo: canary weight is now 40%${by}`]);
  expect(said(world, 'Promoting')).toEqual([`test/podinfo is promoted: its primary takes the new revision${by}`]);
});

it('DF826: events and the ending say by how many requests a check failed', () => {
  const { world } = releasing(failed);
  world.tickUntil(({ phase }) => phase === 'Failed');
  expect(said(world, 'CheckFailed')).toEqual([`Check failed (1 of 2): ${reason} (1 request)`]);
  expect(world.release.ending).toMatchObject({
    detail: `2 failed checks, last: ${reason} (1 request)`,
    checks: [{ check: 'request-success-rate', verdict: 'failed', requests: 1 }],
  });
});

it('DF826: an only observed check, or an uncounted one, is not among the passed checks', () => {
  const { world } = releasing(passed);
  world.behaviour.verdicts = [
    { ...passed, observed: true },
    { check: 'orders', verdict: 'passed' },
  ];
  world.tickUntil(({ phase }) => phase === 'Succeeded');
  expect([...said(world, 'WeightAdvanced'), ...said(world, 'Promoting')].join()).not.toContain('passed:');
});

it('DF826: the status and serin status show the number', () => {
  const { world } = releasing(passed);
  world.tickUntil(({ release }) => release.verdicts !== undefined);
  expect(world.canary.status?.release?.verdicts).toMatchObject([{ requests: 2 }]);
  const snapshot = snapshotIn({ world });
  const report = reportOf(snapshot);
  expect(report.checks).toMatchObject([{ check: 'request-success-rate', requests: 2 }]);
  expect(statusScreen(report, terminal, false).join('\n')).toMatch(/passed +request-success-rate +100 +at least 99% +2 requests/);
  expect(statusView(releaseViewOf(snapshot, report), terminal, 40, world.nowMs).join('\n')).toMatch(
    /passed +request-success-rate +100 +\(at least 99%\).* 2 requests/,
  );
});

it('DF826: the journal holds and shows the number, and a replay with another limit keeps it', () => {
  const { world, journal } = releasing(passed);
  world.tickUntil(({ phase }) => phase === 'Succeeded');
  const part = journal();
  const words = [...journalEntries([part])].flatMap((noted) => ('unfit' in noted ? [] : [entryWords(noted.entry)]));
  expect(words.join('\n')).toContain('request-success-rate passed at 100 by 2 requests (at least 99%)');
  const stricter = { metrics: [{ name: 'request-success-rate', thresholdRange: { min: 101 } }] };
  expect(JSON.stringify(suppose([part], supposedAnalysis({ patch: stricter })))).toContain('below the minimum of 101% (2 requests)');
});
