import { describe, expect, it } from 'vitest';
import type { Delivery } from '../src/api/canary-status.ts';
import { type EndingCode, endingCodes } from '../src/api/codes/codes.ts';
import { endedBy as endedIn, isRemediedByVersion } from '../src/api/ending.ts';
import { parseStatus } from '../src/api/parse-status.ts';
import { listTable } from '../src/cli/canaries/list-command.ts';
import { statusScreen } from '../src/cli/canaries/status-screen.ts';
import { whyAnswer } from '../src/cli/why/why-command.ts';
import { alertMessage } from '../src/controller/notifications/alert-message.ts';
import { canaryRow } from '../src/dashboard/views/canary-row.ts';
import { webhook } from '../src/notifiers/webhook.ts';
import { reportOf } from '../src/reading/canary-report.ts';
import { whyOf } from '../src/reading/why/diagnose.ts';
import { blamedChecks } from '../src/rehearsal/verdict.ts';
import { causesOfEnds, type EndedRelease, endedBy, endedByCause } from './fakes/ended-releases.ts';
import { snapshotIn } from './fakes/stalled-release.ts';

const terminal = { color: false, unicode: true, live: false, columns: 120 };
const codes = endingCodes;
/** These endings cannot be read from a later status: the next release is in progress, or only the message is known. */
const UNREAD: readonly EndingCode[] = ['Superseded', 'Unrecorded'];

const heading = (title: string, lines: readonly string[]): string => [`== ${title}`, ...lines.map((line) => line.trimEnd()), ''].join('\n');
const json = (value: unknown): string[] => JSON.stringify(value, null, 2).split('\n');

/** All texts and data about the end. */
function reported({ world, deliveries }: EndedRelease): string {
  const snapshot = snapshotIn({ world });
  const report = reportOf(snapshot);
  const { ending } = canaryRow(snapshot.raw);
  const of = (kind: Delivery['kind']) => deliveries.filter((one) => one.kind === kind);
  const settings = { clusterName: '', dashboardUrl: '', journalLimit: 0 };
  const alerts = of('alert').map((one) =>
    webhook.body(alertMessage(world.canary, one, settings), { address: '', channel: '', username: '' }),
  );
  const rehearsed = world.release.ending && blamedChecks({ ending: world.release.ending, moments: [] });
  return [
    heading('condition', [report.message ?? '']),
    heading(
      'event',
      of('event').map(({ outcome, message }) => `${outcome}: ${message}`),
    ),
    heading('alert', alerts.flatMap(json)),
    heading('serin status', statusScreen(report, terminal, false)),
    heading('serin why', whyAnswer(whyOf(snapshot)).lines(terminal, false)),
    heading('serin list -o wide', listTable([report], { ofAll: false, wide: true, terminal, since: () => '-' })),
    heading('page', json(ending ?? null)),
    heading('rehearsal', rehearsed ?? []),
  ].join('\n');
}

describe('the ending of a release', () => {
  it.each(codes)('L8: %s stands alike in condition, event, alert, serin status, why and list, and page', async (code) => {
    const ended = endedBy(code);
    const { release, phase } = ended.world;
    if (!UNREAD.includes(code)) expect(release.ending?.code).toBe(code);
    await expect(reported(ended)).toMatchFileSnapshot(`golden/endings/${code}.txt`);
    // The stored status can be read back.
    expect(parseStatus(JSON.parse(JSON.stringify(ended.world.canary.status)))?.release?.ending).toEqual(release.ending);
    expect(phase).toBe(
      endedIn(code).outcome === 'rolledBack' || code === 'PromotionFailed' ? 'Failed' : code === 'Superseded' ? 'Progressing' : 'Succeeded',
    );
  });
});

describe('the cause of an end', () => {
  it('DF862: stands in event, condition, alert, list, status and why, with its remedy, for each cause', async () => {
    const texts = causesOfEnds.map((cause) => {
      const ended = endedByCause(cause);
      const { release } = ended.world;
      expect([cause, release.ending?.cause]).toEqual([cause, cause]);
      expect(parseStatus(JSON.parse(JSON.stringify(ended.world.canary.status)))?.release?.ending).toEqual(release.ending);
      const snapshot = snapshotIn(ended);
      const { message, ending } = reportOf(snapshot);
      const [event] = ended.deliveries.filter(({ kind }) => kind === 'event');
      return [
        heading(cause, [
          `event     ${event?.message}`,
          `condition ${message}`,
          `actor     ${ending?.actor}`,
          `remedy    ${ending?.remedy}`,
        ]),
        ...whyAnswer(whyOf(snapshot))
          .lines({ ...terminal, columns: 400 }, false)
          .map((line) => `    ${line}`),
        '',
      ].join('\n');
    });
    await expect(texts.join('\n')).toMatchFileSnapshot('golden/ending-causes.txt');
  });

  it.each(causesOfEnds)('a release that %s has ended is promoted after its remedy', (cause) => {
    const { world } = endedByCause(cause);
    const { ending } = world.release;
    world.behaviour.brokenCanary.clear();
    world.behaviour.verdicts = [];
    if (ending && isRemediedByVersion(ending)) world.push('s1:c');
    else world.ask('retry', 'r-1');
    world.tickUntil(({ phase }) => phase !== 'Failed');
    world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
    expect(world.release.ending?.code).toBe('Succeeded');
  });
});
