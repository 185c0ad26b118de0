import { expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { at, releasing } from '../../../test/fakes/releasing.ts';
import { snapshotIn, verdict } from '../../../test/fakes/stalled-release.ts';
import { initialized, type World } from '../../../test/fakes/world.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { historyCommand } from './history-command.ts';
import type { Session } from './session.ts';

const over = verdict({ check: 'errors', value: 7.5, limit: 'at most 1', reason: 'errors: 7.5 is above the maximum of 1' });
const IMAGES = { 's1:a': { web: 'registry/web:1.2.0' }, 's1:b': { web: 'registry/web:1.3.0' }, 's1:c': { web: 'registry/web:1.3.1' } };

async function shown(world: World, flags: OutputFlags = {}): Promise<string> {
  const said: string[] = [];
  const streams = { out: { write: (text: string) => void said.push(text), columns: 160 }, err: { write: () => undefined } };
  const { raw } = snapshotIn({ world });
  const cluster = new HeldCluster([raw]) as unknown as Session['cluster'];
  await historyCommand({ cluster, namespace: 'test', output: new Output(flags, {}, streams) }, 'podinfo');
  return said.join('');
}

/** One release fails, and the next one is superseded by a revision that returns to the promoted one. */
function lived(): World {
  const world = releasing();
  Object.assign(world.images, IMAGES);
  world.behaviour.verdicts = [over];
  world.tickUntil(at('Failed', 'resting'));
  world.behaviour.verdicts = [];
  world.push('s1:c');
  world.push('s1:a');
  world.tickUntil(at('Succeeded', 'resting'));
  return world;
}

it('history lists releases that ended without a promotion, the newest first, with their end, duration and images', async () => {
  const lines = (await shown(lived())).split('\n').map((line) => line.trimEnd());
  expect(lines).toMatchInlineSnapshot(`
    [
      "Ended without a promotion",
      "RELEASE  ENDED                 TOOK  END           IMAGES                       REASON",
      "2        1970-01-01T00:17:30Z  0s    Cancelled     registry/web 1.2.0 -> 1.3.1  podinfo is back at the promoted revision",
      "1        1970-01-01T00:17:25Z  35s   ChecksFailed  -                            3 failed checks, last: errors: 7.5 is above the maximum of 1",
      "",
    ]
  `);
});

it('history gives them to programs', async () => {
  const { releases } = JSON.parse(await shown(lived(), { output: 'json' }));
  expect(releases).toMatchInlineSnapshot(`
    [
      {
        "began": "1970-01-01T00:17:30Z",
        "code": "Cancelled",
        "ended": "1970-01-01T00:17:30Z",
        "images": [
          {
            "container": "web",
            "from": "registry/web:1.2.0",
            "to": "registry/web:1.3.1",
          },
        ],
        "number": 2,
        "reason": "podinfo is back at the promoted revision",
        "revision": "s1:c",
        "seconds": 0,
      },
      {
        "began": "1970-01-01T00:16:50Z",
        "code": "ChecksFailed",
        "ended": "1970-01-01T00:17:25Z",
        "images": [],
        "metric": "errors",
        "number": 1,
        "reason": "3 failed checks, last: errors: 7.5 is above the maximum of 1",
        "revision": "s1:b",
        "seconds": 35,
      },
    ]
  `);
});

it('history of a release that an earlier version of Serin has ended has its end', async () => {
  const world = releasing();
  world.behaviour.verdicts = [over];
  world.tickUntil(at('Failed', 'resting'));
  delete world.release.pastReleases;
  expect(await shown(world)).toContain('ChecksFailed');
});

it('history of a Canary without such a release has no second table', async () => {
  expect(await shown(initialized())).not.toContain('without a promotion');
});
