import { expect, it } from 'vitest';
import { releasing } from '../../../test/fakes/compared-release.ts';
import { snapshotIn } from '../../../test/fakes/stalled-release.ts';
import { waitingFor } from '../../../test/fakes/waiting-releases.ts';
import type { WaitCode } from '../../api/codes/codes.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { comparedViews, releaseView } from './cluster-views.ts';

it('the dashboard has both sides with their intervals, and no numbers before both had requests', () => {
  const world = releasing({ warmUp: '0s' }, { canary: 0.0061, primary: 0.0005, perSecond: 5000 });
  const viewOf = () => comparedViews(reportOf(snapshotIn({ world })).compared ?? [])[0];
  expect(viewOf()).toMatchObject({ verdict: 'undecided', canary: '', primary: '', against: '', inFavour: '' });
  for (let tick = 0; tick < 10; tick += 1) world.tick();
  expect(viewOf()).toMatchObject({
    ...{ metric: 'errors', verdict: 'bad', decides: false, against: '100%', inFavour: '0%' },
    canary: expect.stringMatching(/^0\.61% \[0\.\d+–0\.\d+%\], \d+ of [\d,]+$/),
    sentence: expect.stringMatching(/^at least [\d.]+ times worse, certainty 99%$/),
  });
});

it.each<[WaitCode, boolean]>([
  ['Running', false],
  ['Propagating', false],
  ['GateClosed', true],
  ['NoTraffic', true],
])('the page says of %s that something holds the release: %s', (code, isHeld) => {
  const snapshot = snapshotIn({ world: waitingFor(code).world });
  expect(releaseView({ snapshot, routes: { watched: [] } })).toMatchObject({ isHeld });
});
