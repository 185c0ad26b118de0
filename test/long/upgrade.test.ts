import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureOlderSerin } from '../../scripts/older-serin.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import { App } from '../scenarios/adversity/app.ts';
import { type Clients, startClients } from '../scenarios/adversity/clients.ts';
import { ADVERSE, Lab } from '../scenarios/adversity/lab.ts';
import { anEnvironment, clusters } from '../scenarios/environment.ts';
import { eventually } from '../scenarios/eventually.ts';
import { atMoment, isHeld, isIdle, MOMENTS, stepOf } from '../scenarios/upgrade-moments.ts';
import { sleep } from '../scenarios/world.ts';

/** `serin.js` of the older version. */
let from = '';
beforeAll(async () => {
  from = process.env.FROM_BUNDLE || (await ensureOlderSerin());
});

/** Versions that take over in turn, from the older version that has begun the release. */
const WAYS = [
  { way: 'an upgrade', goesBack: false },
  { way: 'an upgrade and the way back', goesBack: true },
] as const;

/** Longer than an interval of an analysis, so that what an interval brings has come. */
const INTERVALS_MS = 2_000;
const isWrite = (what: string): boolean => /^(?:create|update|patch|apply|delete)/.test(what) && !/ (?:leases|events)$/.test(what);

describe.each(clusters)('on $cluster', ({ start }) => {
  const environment = anEnvironment(() => start(ADVERSE));
  let next = 0;

  describe.each(WAYS)('$way', ({ goesBack }) => {
    it.each(MOMENTS)('I8: in the moment "$when" ($at) restarts no release, and no request is lost', async (moment) => {
      next += 1;
      const at = environment();
      let clients: Clients | undefined;
      const begun = await atMoment(at, { moment, namespace: `upgrade-${next}`, main: from }, (app) => {
        clients = startClients(at.mesh.urls, app.host);
      });
      const { lab, app, run } = begun;
      const step = async () => stepOf(await lab.cluster.get(app.canary));
      const killedIn: string[] = [];
      /** Another version, with `kill -9` for this one. */
      const instead = async (main?: string): Promise<void> => {
        await lab.stopController('KILL');
        const found = await lab.cluster.get(app.canary);
        killedIn.push(stepOf(found));
        const before = lab.requests();
        lab.startController(main);
        await lab.controllerIsUp();
        if (!isHeld(moment) && !isIdle(moment)) {
          const isWritten = (now: KubeObject | undefined) => now?.metadata.resourceVersion !== found?.metadata.resourceVersion;
          await lab.until(app.canary, 'is written by the other version', isWritten);
          return;
        }
        // Intervals in which it could pass the gate, or begin a release.
        await sleep(INTERVALS_MS);
        expect(await step(), 'stays where it is').toBe(killedIn.at(-1));
        const writes = Object.entries(lab.requestsSince(before)).filter(([what]) => isWrite(what));
        const statuses = [found, await lab.cluster.get(app.canary)].map((now) => JSON.stringify(raw(now)?.status));
        if (isIdle(moment)) expect(writes, `writes of an idle Canary:\n${statuses.join('\n')}`).toEqual([]);
      };
      try {
        await instead();
        if (goesBack) await instead(from);
        await begun.release();
        const end = moment.release === 'none' ? 'Initialized' : moment.release === 'bad' ? 'Failed' : 'Succeeded';
        expect(await app.becomesIdle('Initialized', 'Succeeded', 'Failed'), `killed in ${killedIn}`).toBe(end);
        expect(await app.run(), 'the same run').toBe(run);
        // An edit begins the analysis again, and so does no version of Serin.
        const begins = begun.weights.filter((weight) => weight === 25);
        if (moment.release !== 'none' && moment.release !== 'edited') expect(begins, begun.weights.join()).toHaveLength(1);
        expect(await app.version(app.primary)).toBe(moment.release === undefined || moment.release === 'edited' ? '2' : '1');
        const another = await begun.deploy();
        expect(await app.ends(another.run), `another release, killed in ${killedIn}`).toBe('Succeeded');
        expect(await app.version(app.primary)).toBe(another.version);
        // A bad version answers some of its requests with errors of its own.
        expect(clients?.unanswered()).toEqual([]);
        if (moment.release !== 'bad') expect(clients?.lost()).toEqual([]);
        expect(clients?.answered).toBeGreaterThan(100);
        process.stdout.write(
          `${JSON.stringify({ when: moment.when, killedIn, end, weights: begun.weights, answered: clients?.answered })}\n`,
        );
      } finally {
        await clients?.stop();
        await lab.close();
      }
    });
  });
});

/** Configs that pods read, and the promise of `configuration.md` about an older version over salted checksums. */
describe.each(clusters)('the way back over salted checksums, on $cluster', ({ start }) => {
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
      await instead(from);
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
      await instead(from);
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
