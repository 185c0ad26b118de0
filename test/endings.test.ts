import { describe, expect, it } from 'vitest';
import type { Delivery } from '../src/api/canary-status.ts';
import { type EndingCode, endingCodes } from '../src/api/codes/codes.ts';
import { endedBy as endedIn } from '../src/api/ending.ts';
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
import { type EndedRelease, endedBy } from './fakes/ended-releases.ts';
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
