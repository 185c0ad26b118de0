import { describe, expect, it } from 'vitest';
import { snapshotIn, verdict } from '../../../test/fakes/stalled-release.ts';
import { viewedReleases } from '../../../test/fakes/viewed-releases.ts';
import { aCanary, initialized, withHooks } from '../../../test/fakes/world.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { columnsOf } from '../output/columns.ts';
import { releaseViewOf } from './release-view.ts';
import { statusView } from './status-view.ts';

const releases = viewedReleases();
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 140, rows: 40 },
];
const plain = { color: false, unicode: true, live: true };
const widest = (lines: readonly string[]) => Math.max(...lines.map(columnsOf));

describe('the screen of one Canary', () => {
  it.each(releases.flatMap((release) => sizes.map((size) => ({ ...release, ...size }))))(
    '$phase at $columns x $rows',
    async ({ phase, view, nowMs, columns, rows }) => {
      // The last row is for keys.
      const lines = statusView(view, { ...plain, columns }, rows - 1, nowMs);
      expect(lines.length).toBeLessThan(rows);
      expect(widest(lines)).toBeLessThanOrEqual(columns);
      const path = `../../../test/golden/views/${phase.toLowerCase()}-${columns}x${rows}.txt`;
      await expect(`${lines.map((line) => line.trimEnd()).join('\n')}\n`).toMatchFileSnapshot(path);
    },
  );
  it.each(releases)('$phase fits every size from 40x8 on, without characters beyond ASCII where there are none', ({ view, nowMs }) => {
    for (let columns = 40; columns <= 200; columns += 7)
      for (let rows = 8; rows <= 60; rows += 5) {
        const lines = statusView(view, { ...plain, unicode: false, columns }, rows, nowMs);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(widest(lines)).toBeLessThanOrEqual(columns);
        expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
      }
  });
  it('Blue/Green shows iterations instead of a bar at 0', () => {
    const world = initialized(aCanary({ iterations: 10 }, { provider: 'kubernetes' }));
    world.pushUntil('s1:b', ({ release }) => release.iterations === 3);
    const snapshot = snapshotIn({ world });
    const lines = statusView(releaseViewOf(snapshot, reportOf(snapshot)), { ...plain, columns: 80 }, 23, world.nowMs);
    expect(lines[1]).toMatch(/^canary iteration 3 of 10 {2}/);
  });
  it('a hostile image moves no cursor', () => {
    const [release] = releases.filter(({ phase }) => phase === 'Failed');
    const [group] = release?.view.canaryPods ?? [];
    if (release === undefined || group === undefined) throw new Error('the release has no pods');
    const view = { ...release.view, canaryPods: [{ ...group, image: 'a\x1b[2Jb\r\nc' }] };
    const text = statusView(view, { ...plain, columns: 80 }, 23, release.nowMs).join('');
    expect(text).toContain('a[2Jb c');
    expect(text).not.toContain('\x1b');
  });
  it('foreign wide characters and emoji do not push a line over the edge, nor a column from under the other', () => {
    const [release] = releases.filter(({ phase }) => phase === 'Failed');
    const [group] = release?.view.canaryPods ?? [];
    if (release === undefined || group === undefined) throw new Error('the release has no pods');
    const [first, ...others] = release.view.report.checks;
    if (first === undefined) throw new Error('the release has no checks');
    const { report } = release.view;
    const wide = {
      ...report,
      checks: [{ ...first, check: '成功率' }, ...others],
      message: '発売を中止しました。'.repeat(40),
      events: report.events.map((event) => ({ ...event, message: '🚀'.repeat(200) })),
    };
    const view = { ...release.view, report: wide, canaryPods: [{ ...group, image: `registry.example.com/${'商店'.repeat(60)}:1` }] };
    for (let columns = 40; columns <= 140; columns += 1) {
      const lines = statusView(view, { ...plain, columns }, 40, release.nowMs);
      expect(widest(lines)).toBeLessThanOrEqual(columns);
      if (columns >= 62) expect(lines.filter((line) => line.endsWith('商店:1'))).toHaveLength(1);
    }
    const checks = statusView(view, { ...plain, columns: 80 }, 40, release.nowMs).filter((line) => /^(passed|failed) /.test(line));
    expect(new Set(checks.map((line) => columnsOf(line.slice(0, line.indexOf('(')))))).toHaveLength(1);
  });
  it('a release that waits for its first gate shows nothing of the previous release', () => {
    const world = initialized(aCanary({ iterations: 2, ...withHooks('confirm-rollout', 'pre-rollout') }));
    world.behaviour.verdicts = [verdict({ check: 'latency', value: 900 })];
    world.pushUntil('s1:b', ({ phase }) => phase === 'Failed');
    expect(reportOf(snapshotIn({ world })).checks).toMatchObject([{ verdict: 'failed', value: 900 }]);
    Object.assign(world.behaviour, { words: 'freeze', hooks: { 'confirm-rollout': 'refused' } });
    world.pushUntil('s1:c', ({ phase }) => phase === 'Waiting');
    const report = reportOf(snapshotIn({ world }));
    expect(report).toMatchObject({ phase: 'Waiting', failedChecks: 0, iterations: 0, checks: [] });
    expect(report.gates.map(({ state }) => state)).toEqual(['closed', 'unasked']);
    expect(releaseViewOf(snapshotIn({ world }), report).step).toEqual({ at: 0, of: 2 });
  });
  it('a pod that ends is not called ready, and its ReplicaSet has its counts until it is gone', () => {
    const [release] = releases.filter(({ phase }) => phase === 'Finalising');
    const [group] = release?.view.canaryPods ?? [];
    const [pod] = group?.pods ?? [];
    if (release === undefined || group === undefined || pod === undefined) throw new Error('the release has no pods');
    const view = { ...release.view, canaryPods: [{ ...group, ready: 0, replicas: 0, pods: [{ ...pod, state: 'Terminating' }] }] };
    const text = statusView(view, { ...plain, columns: 140 }, 39, release.nowMs).join('\n');
    expect(text).toMatch(/ReplicaSet\/podinfo-6d4b75cb6d {2}0 of 0 ready .*\n {4}podinfo-6d4b75cb6d-xxx14 {2}Terminating {2}0 restarts/);
  });
  it('-o wide shows queries', () => {
    const [release] = releases;
    if (release === undefined) throw new Error('there are no releases');
    const ranges = new Map([['request-success-rate', { limit: { min: 99 }, query: 'sum(rate(requests_total[1m]))' }]]);
    const shown = (wide: boolean) => statusView({ ...release.view, ranges }, { ...plain, columns: 80 }, 23, release.nowMs, wide).join('\n');
    expect(shown(true)).toContain('query: sum(rate(requests_total[1m]))');
    expect(shown(false)).not.toContain('query:');
  });
});
