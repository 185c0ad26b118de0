import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { parseStatus } from '../../src/api/parse-status.ts';
import type { Verb } from '../../src/api/verb-request.ts';
import { RequestResult } from '../../src/cli/output/documents.ts';
import { onCluster } from '../../src/cli/people/session.ts';
import { verbCommand } from '../../src/cli/people/verb-command.ts';
import { App } from './adversity/app.ts';
import { Lab } from './adversity/lab.ts';
import type { Stage } from './stage.ts';

const NAMESPACE = 'verbs';
/** A guard against waiting for ever; a busy machine takes long for a bootstrap. */
const SET_UP_MS = 280_000;
const releaseOf = (canary: KubeObject | undefined) => parseStatus(canary?.status)?.release;

/**
 * A person at the controls of one application, by the commands themselves: each verb where it is carried out and where it is refused, one
 * release after the other. `requester` is who the API server takes the kubeconfig for.
 */
export function describeVerbs(stageOf: () => Stage, requester: string): void {
  describe('verbs', () => {
    let lab: Lab;
    let app: App;

    beforeAll(async () => {
      lab = await Lab.open(stageOf(), { namespace: NAMESPACE, scaleDownDelay: '500ms', interval: '500ms' });
      app = new App(lab, 'podinfo');
      await app.create();
      lab.startController();
      // A hundred steps: whatever the machine, a person ends the analysis, and not its plan.
      await app.createCanary('istio', { interval: '2s', threshold: 3, stepWeight: 1, maxWeight: 100 });
      await app.rests('Initialized');
    }, SET_UP_MS);
    afterAll(() => lab?.close());

    async function serin(verb: Verb, wait = true): Promise<{ code: number; result: RequestResult }> {
      let text = '';
      const streams = { out: { write: (more: string) => (text += more) }, err: { write: () => undefined } };
      const flags = { kubeconfig: stageOf().kubeconfigFile, namespace: NAMESPACE, output: 'json' } as const;
      const code = await onCluster(flags, (session) => verbCommand(session, verb, 'podinfo', { wait, timeout: '80s' }), {
        env: {},
        streams,
      });
      return { code, result: RequestResult.parse(JSON.parse(text)) };
    }

    const inStep = (step: string) => lab.until(app.canary, `is in ${step}`, (now) => releaseOf(now)?.step === step);
    const done = { code: 0, result: expect.objectContaining({ outcome: 'done' }) };
    const refused = (message: string) => ({
      code: 5,
      result: expect.objectContaining({ outcome: 'refused', message: expect.stringContaining(message) }),
    });

    it('E70: at rest each of them is refused with a reason, and nothing is done', async () => {
      const before = await lab.cluster.get(app.target);
      expect(await serin('promote')).toEqual(refused('nothing to promote'));
      expect(await serin('rollback')).toEqual(refused('nothing to take back'));
      expect(await serin('pause')).toEqual(refused('nothing to pause'));
      expect(await serin('resume')).toEqual(refused('it is not paused'));
      expect(await serin('retry')).toEqual(refused('only a failed release'));
      expect(await serin('undo')).toEqual(refused('only a promotion that is complete'));
      expect((await lab.cluster.get(app.target))?.spec.template).toEqual(before?.spec.template);
      const requests = releaseOf(await lab.cluster.get(app.canary))?.requests ?? [];
      expect(requests.map(({ by }) => by)).toEqual(Array.from({ length: 6 }, () => requester));
    });

    it('E71, E72, E73, E75: a release is paused, twice at once, outlives a kill -9 so, is taken back, tried again and promoted', async () => {
      await app.deploy('2');
      await inStep('analysing');
      const both = await Promise.all([serin('pause'), serin('pause')]);
      expect(both.map(({ code }) => code).toSorted()).toEqual([0, 5]);
      await lab.stopController('KILL');
      lab.startController();
      expect(await serin('rollback')).toEqual(done);
      await lab.until(app.canary, 'has failed', (now) => now?.status?.phase === 'Failed' && releaseOf(now)?.step === 'resting');
      expect(await app.version(app.primary)).toBe('1');
      expect(await serin('retry')).toEqual(done);
      await inStep('analysing');
      expect(await serin('pause')).toEqual(done);
      expect(await serin('resume')).toEqual(done);
      expect(await serin('promote')).toEqual(done);
      await lab.until(app.canary, 'has succeeded', (now) => now?.status?.phase === 'Succeeded' && releaseOf(now)?.step === 'resting');
    });

    it('E70, E72, E74: undo and promote are carried out once, also by a controller that comes after a kill -9 before the answer', async () => {
      await lab.stopController('KILL');
      const asked = await serin('undo', false);
      expect(asked).toEqual({ code: 0, result: expect.objectContaining({ outcome: 'requested' }) });
      lab.startController();
      await inStep('analysing');
      expect(await serin('promote')).toEqual(done);
      const rested = await lab.until(
        app.canary,
        'has succeeded again',
        (now) => now?.status?.phase === 'Succeeded' && releaseOf(now)?.step === 'resting' && releaseOf(now)?.run === 3,
      );
      expect(await app.version(app.primary)).toBe('1');
      const of = (verb: Verb) => releaseOf(rested)?.requests?.filter((one) => one.verb === verb && one.outcome === 'carriedOut').length;
      expect([of('undo'), of('promote')]).toEqual([1, 2]);
      const reasons = (await lab.cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: NAMESPACE })).items.map(({ reason }) => reason);
      expect(reasons).toEqual(expect.arrayContaining(['RequestCarriedOut', 'RequestRefused']));
    });
  });
}
