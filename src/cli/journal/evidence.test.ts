import { expect, it } from 'vitest';
import { releasing } from '../../../test/fakes/compared-release.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { recording } from '../../../test/fakes/sample-journal.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { packJournal, renderJournal } from '../../workloads/journal-record.ts';
import { Output } from '../output/output.ts';
import { canaryFiles } from '../report/canary-files.ts';
import { Redaction } from '../report/redaction.ts';
import { ReportReader } from '../report/report-reader.ts';
import { journalCommand } from './journal-command.ts';

/** A gate that has rolled a release back, with its journal. */
function aCluster(): { cluster: HeldCluster; run: number } {
  const world = releasing({ mode: 'gate', warmUp: '0s' }, { canary: 0.003, primary: 0.0005, perSecond: 300 }, { stepWeight: 1 });
  const recorded = recording(world);
  world.tickUntil(({ phase }) => phase === 'Failed', 2000);
  const part = recorded();
  const canary: KubeObject = JSON.parse(JSON.stringify(world.canary));
  const record = renderJournal(part, packJournal(part) ?? '', { name: 'podinfo', uid: 'a-1' });
  return { cluster: new HeldCluster([canary, record]), run: part.run };
}

it('serin history --journal=N ends with the evidence as bars', async () => {
  const { cluster, run } = aCluster();
  let said = '';
  const output = new Output({ plain: true }, {}, { out: { write: (text: string) => (said += text) }, err: { write: () => undefined } });
  await journalCommand({ cluster, namespace: 'test', output } as unknown as Parameters<typeof journalCommand>[0], 'podinfo', String(run));
  const part = said.slice(said.indexOf('Evidence, in percent')).trimEnd();
  expect(part.split('\n')).toEqual([
    'Evidence, in percent of what a decision needs',
    expect.stringMatching(/^ {2}errors {2}bad {2}against {4}[_.]+-+=+#+ {2}100%$/),
    expect.stringMatching(/^ {15}in favour {2}_+ {2}0%$/),
  ]);
});

it('serin report has the evidence of a release as a page that loads nothing', async () => {
  const { cluster, run } = aCluster();
  const files = await canaryFiles(new ReportReader(cluster, new Redaction()), { namespace: 'test', name: 'podinfo' }, 'kubernetes');
  const page = String(files.find(({ path }) => path === `canaries/test/podinfo/evidence-${run}.html`)?.content);
  expect(page).toContain('<figcaption>Evidence by errors <span class="unit">percent of what a decision needs</span></figcaption>');
  expect(page).toContain('against the canary ends at 100 percent of what a decision needs');
  expect(page).not.toMatch(/NaN|<script|src=|url\(/);
});
