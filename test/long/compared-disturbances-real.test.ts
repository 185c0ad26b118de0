import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureFlagger } from '../../scripts/e2e-flagger.ts';
import { startFlagger } from '../differential/cluster/both-controllers.ts';
import { freePort } from '../e2e/free-port.ts';
import { ANALYSIS, BAD, ComparedForReal, FOUND_WITHIN_MS, GOOD } from '../scenarios/compared-for-real.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import type { GuardedProcess } from '../scenarios/guarded-process.ts';
import { APP } from '../scenarios/scenario.ts';
import { sleep } from '../scenarios/world.ts';

/** Longer than Prometheus looks back for the last sample of a series. */
const LONG_MS = 330_000;
const SHORT_MS = 20_000;
const LONGEST_MS = 1_500_000;
const CROWD = { pauseMs: 120 };

/** A fault in the middle of a release. It lasts longer for the good version than for the bad one. */
type Disturb = (all: ComparedForReal, lastsMs: number) => Promise<void>;

const unreadable = async (all: ComparedForReal, lastsMs: number): Promise<void> => {
  const shown = await eventually(
    'the problem is shown',
    () => all.moment(),
    (now) => now?.isOver || now?.problem !== undefined,
  );
  await sleep(lastsMs);
  expect((await all.moment())?.counted, 'nothing is counted that cannot be read').toEqual(shown?.counted);
};

const disturbances: Record<string, Disturb> = {
  async 'halted-prometheus'(all, lastsMs) {
    all.prometheus.send('STOP');
    await unreadable(all, lastsMs);
    all.prometheus.send('CONT');
  },
  async 'ended-prometheus'(all, lastsMs) {
    await all.prometheus.end('TERM');
    await unreadable(all, lastsMs);
    await all.prometheus.startAgain();
  },
  async 'killed-prometheus'(all, lastsMs) {
    await all.prometheus.end('KILL');
    await unreadable(all, lastsMs);
    await all.prometheus.startAgain();
  },
  async 'lost-scrapes'(all) {
    for (const side of [APP, `${APP}-primary`]) {
      // While one of two pods is unavailable for longer, windows end with the other pod.
      for (const [scrapes, pods] of [[2], [8, 1]] as const) {
        await all.sidecars.refuse(side, scrapes, pods);
        await eventually(
          `scrapes of ${side} are lost`,
          () => all.sidecars.refusing(side),
          (left) => left === 0,
        );
        await all.goesOn(`after lost scrapes of ${side}`);
      }
    }
  },
  async 'counter-resets'(all) {
    for (const side of [APP, `${APP}-primary`]) {
      await all.sidecars.reset(side);
      await all.goesOn(`after a reset of ${side}`);
    }
  },
  /** Each for two scrapes at least; what no counter can show counts as nothing, and the next window is read from what it shows. */
  async 'odd-counters'(all) {
    for (const odd of ['NaN', '-3', '+Inf', '1e400', '1000000000000000']) {
      all.sidecars.alter((text) => text.replace(/ \d+$/gm, ` ${odd}`));
      await eventually(
        `each pod was scraped twice with ${odd}`,
        () => all.sidecars.fewestScrapes(),
        (now) => now >= 2,
      );
      all.sidecars.alter();
      await all.goesOn(`after counters that were ${odd}`);
    }
  },
  async 'killed-controller'(all) {
    await all.stopController('KILL');
    await all.startController();
  },
  async 'redeployed-primary'(all) {
    await all.cluster.patch(
      { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace: all.namespace },
      { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() } } } } },
    );
  },
};

/** `DISTURBANCES=lost-scrapes,flagger` plays those. */
const isPlayed = (name: string): boolean => process.env.DISTURBANCES?.split(',').includes(name) ?? true;
const played = Object.entries(disturbances).filter(([name]) => isPlayed(name));

describe('E122: a comparison is disturbed on a real control plane with a real Prometheus', () => {
  const environment = anEnvironment(startRealEnvironment);

  describe.concurrent('no request is counted twice, a good version is promoted, and a bad one is found', () => {
    it.each(played)(
      '%s',
      async (name, disturb) => {
        const all = await ComparedForReal.begin(environment(), name);
        const { given, when, then } = all.scenario;
        try {
          await given.aDeployment({ env: GOOD });
          given.users({}, CROWD);
          await all.startController();
          await given.aCanary({ ...ANALYSIS, webhooks: given.aClosedGate() });
          await all.release('2', GOOD);
          await then.canaryReceives(50);
          await all.goesOn('at first');
          await disturb(all, LONG_MS);
          await all.goesOn('afterwards');
          const shown = { counted: (await all.moment())?.counted, sent: { canary: all.sentTo('canary'), primary: all.sentTo('primary') } };
          when.gateOpens('finish');
          await then.releaseEnds('Succeeded');

          given.aClosedGate();
          await all.release('3', BAD);
          await then.canaryReceives(50);
          await disturb(all, SHORT_MS);
          await then.releaseEnds('Failed', FOUND_WITHIN_MS);
          expect(all.scenario.condition().message).toMatch(/canary .* errors .*primary .*worse/);
          all.nothingWasCountedTwice();
          process.stdout.write(`${name}: ${JSON.stringify(shown)}\n`);
        } finally {
          await all.end();
        }
      },
      LONGEST_MS,
    );
  });

  it.each(['flagger'].filter(isPlayed))(
    '%s: Serin goes on with a release of Flagger in the middle of its analysis, and Flagger with one that was compared',
    async () => {
      const all = await ComparedForReal.begin(environment(), 'from-flagger');
      const { given, when, then } = all.scenario;
      const program = await ensureFlagger();
      const flagger = async () =>
        startFlagger(program, join(mkdtempSync(join(tmpdir(), 'serin-flagger-')), 'flagger.log'), {
          kubeconfig: environment().adminKubeconfigFile,
          namespace: 'from-flagger',
          'metrics-server': all.prometheus.url,
          port: String(await freePort()),
        });
      let running: GuardedProcess | undefined;
      try {
        await given.aDeployment({ env: GOOD });
        given.users({}, CROWD);
        running = await flagger();
        const { comparison, ...analysis } = ANALYSIS;
        // The shortest interval that Flagger allows.
        await given.aCanary({ ...analysis, interval: '10s', webhooks: given.aClosedGate() });
        await all.releaseByFlagger('2', GOOD);
        await then.canaryReceives(50);
        await running.stop();

        await when.canaryIsEdited({ analysis: { comparison, interval: '1s' } });
        await all.startController();
        await all.goesOn('after the takeover');
        when.gateOpens('finish');
        await then.releaseEnds('Succeeded');
        await then.everyoneGets('2');
        given.aClosedGate();
        await all.release('3', BAD);
        await then.releaseEnds('Failed', FOUND_WITHIN_MS);

        await all.release('4', GOOD);
        await then.canaryReceives(50);
        await all.goesOn('before the way back');
        await all.stopController();
        await when.thisHappens(async () => {
          running = await flagger();
        });
        const before = await all.status();
        expect(before?.release?.comparison).toBeDefined();
        await eventually(
          'Flagger writes a status',
          () => all.status(),
          (now) => JSON.stringify(now) !== JSON.stringify(before),
        );
        // Flagger writes the whole status, without what it does not know, and leaves the spec.
        expect((await all.status())?.release).toBeUndefined();
        expect(await all.comparison()).toEqual(comparison);
        when.gateOpens('finish');
        await eventually(
          'Flagger promotes what was compared',
          () => all.status(),
          (now) => now?.phase === 'Succeeded',
        );
        await then.everyoneGets('4');
        await running?.stop();

        given.aClosedGate();
        await all.startController();
        await all.release('5', BAD);
        await then.releaseEnds('Failed', FOUND_WITHIN_MS);
        await then.everyoneGets('4');
        all.nothingWasCountedTwice();
      } finally {
        await running?.stop();
        await all.end();
      }
    },
    LONGEST_MS,
  );
});
