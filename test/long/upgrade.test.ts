import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { App } from '../scenarios/adversity/app.ts';
import { startClients } from '../scenarios/adversity/clients.ts';
import { ADVERSE, Lab } from '../scenarios/adversity/lab.ts';
import { anEnvironment, clusters, type Environment } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { sleep } from '../scenarios/world.ts';

/** `serin.js` of an older version, built from its commit. */
const FROM = process.env.FROM_BUNDLE ?? '';
/** A gate that stays closed: no program listens there. */
const CLOSED = 'http://127.0.0.1:9/';

interface Moment {
  /** `phase/step` as the older version stores it. */
  at: string;
  /** Default: a good version is released. */
  release?: 'bad' | 'edited' | 'none';
  gate?: 'confirm-rollout' | 'confirm-promotion';
}

/** Steps by their names of before and after a renaming: each is waited for by all names that it has had. */
const MOMENTS: readonly Moment[] = [
  { at: 'Initializing/creatingPrimary', release: 'none' },
  { at: 'Initializing/(settling|takingTraffic|draining)', release: 'none' },
  { at: 'Initialized/resting', release: 'none' },
  { at: 'Waiting/.*', gate: 'confirm-rollout' },
  { at: 'Progressing/scalingUp' },
  { at: 'Progressing/settling' },
  { at: 'Progressing/analysing' },
  { at: 'Progressing/(withdrawing|recycleRouting)', release: 'edited' },
  { at: 'Progressing/(clearing|recycleDraining)', release: 'edited' },
  { at: 'Progressing/(emptying|recycleStopping)', release: 'edited' },
  { at: 'WaitingPromotion/analysing', gate: 'confirm-promotion' },
  { at: 'Promoting/writingPrimary' },
  { at: 'Promoting/awaitingPrimary' },
  { at: 'Finalising/returningTraffic' },
  { at: 'Finalising/draining' },
  { at: 'Succeeded/resting' },
  { at: 'Failed/returningTraffic', release: 'bad' },
  { at: 'Failed/draining', release: 'bad' },
  { at: 'Failed/resting', release: 'bad' },
];

const stepOf = (canary: unknown): string => {
  const { phase, release } = raw(canary as never)?.status ?? {};
  return `${phase}/${release?.step}`;
};

describe.skipIf(FROM === '').each(clusters)('an upgrade from FROM_BUNDLE (skipped without it), on $cluster', ({ start }) => {
  const environment = anEnvironment(() => start(ADVERSE));
  let at: Environment;
  let next = 0;
  beforeAll(() => {
    at = environment();
  });

  it.each(MOMENTS)('that comes in $at: the release goes on, another one follows, and no request is lost', async (moment) => {
    next += 1;
    const lab = await Lab.open(at, { namespace: `upgrade-${next}`, scaleDownDelay: '2s', interval: '1s' });
    const app = new App(lab, 'podinfo');
    // Pods that have read a config are recycled where it is edited during the analysis.
    const config = { name: 'settings', namespace: lab.namespace };
    await lab.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: config, data: { COLOR: 'blue' } });
    const reads = { volumes: [{ name: 'settings', configMap: { name: config.name } }] };
    await app.create(moment.release === 'edited' ? reads : {});
    const clients = startClients(at.mesh.urls, app.host);
    const meets = new RegExp(`^${moment.at}$`);
    const gates = moment.gate === undefined ? {} : { webhooks: [{ name: 'gate', type: moment.gate, url: CLOSED }] };
    const analysis = {
      ...{ interval: '1s', threshold: 3, stepWeight: 25, maxWeight: 75, unmeasured: 'hold' },
      metrics: [{ name: 'request-success-rate', interval: '3s', thresholdRange: { min: 90 } }],
    };
    try {
      lab.startController(FROM);
      const met = moment.release === 'none' ? undefined : lab.until(app.canary, 'is idle', (now) => stepOf(now) === 'Initialized/resting');
      await app.createCanary('istio', { ...analysis, ...gates });
      await met;
      let version = '1';
      let run = await app.run();
      const deploy = async (isBad: boolean) => {
        run = await app.run();
        version = String(Number(version) + 1);
        await app.deploy(version, isBad ? { ERROR_RATE: '1' } : {});
      };
      if (moment.release !== 'none') await deploy(moment.release === 'bad');
      if (moment.release === 'edited') {
        await lab.until(app.canary, 'is analysed', (now) => stepOf(now) === 'Progressing/analysing');
        await lab.cluster.patch({ apiVersion: 'v1', kind: 'ConfigMap', ...config }, { data: { COLOR: 'red' } });
      }
      await lab.until(app.canary, `is ${moment.at}`, (now) => meets.test(stepOf(now)));
      await lab.stopController('KILL');
      const killedIn = stepOf(await lab.cluster.get(app.canary));
      lab.startController();
      if (moment.gate !== undefined) {
        const log = () => readFileSync(lab.logFile, 'utf8');
        await eventually('the new version has read the cluster', log, (text) => text.includes('reconciling Canaries'));
        // Two intervals in which it could pass the gate.
        await sleep(2_000);
        expect(stepOf(await lab.cluster.get(app.canary)), 'still at its gate').toMatch(meets);
        await lab.cluster.patch(app.canary, { spec: { analysis: { webhooks: null } } });
      }
      const end = moment.release === 'none' ? 'Initialized' : moment.release === 'bad' ? 'Failed' : 'Succeeded';
      if (moment.release === 'none') await app.becomesIdle('Initialized');
      else expect(await app.ends(run), `killed in ${killedIn}`).toBe(end);
      expect(await app.version(app.primary)).toBe(moment.release === 'bad' ? '1' : version);
      await deploy(false);
      expect(await app.ends(run), `another release, killed in ${killedIn}`).toBe('Succeeded');
      expect(await app.version(app.primary)).toBe(version);
      // A bad version answers some of its requests with errors of its own.
      expect(clients.unanswered()).toEqual([]);
      if (moment.release !== 'bad') expect(clients.lost()).toEqual([]);
      expect(clients.answered).toBeGreaterThan(100);
      process.stdout.write(`${JSON.stringify({ at: moment.at, killedIn, end, answered: clients.answered })}\n`);
    } finally {
      await clients.stop();
      await lab.close();
    }
  });
});

/** Configs that pods read, and the promise of `configuration.md` about an older version over salted checksums. */
describe.skipIf(FROM === '').each(clusters)('the way back to FROM_BUNDLE (skipped without it), on $cluster', ({ start }) => {
  const environment = anEnvironment(() => start(ADVERSE));
  const analysis = { interval: '1s', threshold: 3, stepWeight: 25, maxWeight: 75, metrics: [] };

  async function reading(namespace: string) {
    const lab = await Lab.open(environment(), { namespace, scaleDownDelay: '2s', interval: '1s' });
    const app = new App(lab, 'podinfo');
    const secret = { apiVersion: 'v1', kind: 'Secret', name: 'db', namespace };
    const data = { PIN: Buffer.from('4711').toString('base64') };
    await lab.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace }, data });
    await app.create({ volumes: [{ name: 'db', secret: { secretName: 'db' } }] });
    lab.startController();
    await app.createCanary('istio', analysis);
    await app.becomesIdle('Initialized');
    const checksum = async () => String(raw(await lab.cluster.get(app.canary))?.status?.trackedConfigs?.['secret/db']);
    await eventually('the checksum has a salt', checksum, (text) => /^[0-9a-f]{8}\.[0-9a-f]{32}$/.test(text));
    /** Another Serin instead; twice the interval in which it could begin a release. */
    const instead = async (main?: string) => {
      await lab.stopController('KILL');
      const leads = () => readFileSync(lab.logFile, 'utf8').split('reconciling Canaries').length;
      const before = leads();
      lab.startController(main);
      await eventually('the other version has read the cluster', leads, (count) => count > before);
      await sleep(3_000);
    };
    return { lab, app, checksum, instead, edit: (patch: object) => lab.cluster.patch(secret, { ...patch }) };
  }

  it('E141, E142: it starts nothing by itself; a Secret that is written starts a release, and coming again starts none', async () => {
    const { lab, app, checksum, instead, edit } = await reading('back-idle');
    try {
      const run = await app.run();
      await instead(FROM);
      expect(await app.run(), 'the older one starts none').toBe(run);
      await edit({ metadata: { labels: { looked: 'at' } } });
      expect(await app.ends(run), 'a label of the Secret releases').toBe('Succeeded');
      expect(await checksum()).toMatch(/^[0-9a-f]{16}$/);
      const after = await app.run();
      await instead();
      expect(await app.run(), 'the newer one starts none').toBe(after);
      await edit({ metadata: { labels: { looked: 'again' } } });
      await sleep(3_000);
      expect(await app.run(), 'and compares the plain checksum').toBe(after);
    } finally {
      await lab.close();
    }
  });

  it('E142: a release under way begins its analysis again, and ends', async () => {
    const { lab, app, instead } = await reading('back-release');
    const weights: number[] = [];
    const watch = lab.cluster.watch(
      { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: lab.namespace },
      {
        onList: () => undefined,
        onEvent({ object }) {
          const weight = raw(object)?.status?.canaryWeight ?? 0;
          if (weight !== weights.at(-1)) weights.push(weight);
        },
      },
    );
    try {
      const run = await app.run();
      await app.deploy('2', {});
      await lab.until(app.canary, 'has its second weight', (now) => raw(now)?.status?.canaryWeight === 50);
      await instead(FROM);
      expect(await app.ends(run)).toBe('Succeeded');
      expect(await app.version(app.primary)).toBe('2');
      expect(
        weights.filter((weight) => weight === 25),
        weights.join(),
      ).toHaveLength(2);
    } finally {
      watch.stop();
      await lab.close();
    }
  });
});
