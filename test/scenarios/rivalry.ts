import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { type ControllerProcess, startController } from './controller.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { FlaggerApplication, NAME } from './flagger/flagger-application.ts';
import { weighted } from './flagger/objects.ts';
import { Scenario } from './scenario.ts';
import { settled } from './settled.ts';

const REWRITES = 6;

/** The other controller was not stopped. Counts requests, so that no other controller may run on the environment. */
export function describeRivalry(environmentOf: () => Environment): void {
  describe('a Canary whose status another controller writes', () => {
    it('ForeignController: Serin stops at once, reports it once, and takes over again when a user says so', async () => {
      const environment = environmentOf();
      const left = new FlaggerApplication(environment, 'rivalry');
      await left.stands({ phase: 'Initialized', http: weighted(NAME, 0), analysis: { stepWeight: 10, maxWeight: 50 } });
      const versions: KubeObject[] = [];
      const watch = environment.cluster.watch(
        { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: left.namespace },
        { onEvent: ({ object }) => versions.push(object), onList: (items) => versions.push(...items) },
      );
      const controller: ControllerProcess = startController(environment, { namespace: left.namespace });
      try {
        await left.until(left.canary, 'is adopted', (now) => raw(now)?.status?.release?.step === 'resting');
        await left.until(left.primary, 'is ours', (now) => now?.metadata.ownerReferences?.[0]?.kind === 'ControllerRevision');
        const theirs = new Set<string>();
        let writes: Record<string, number> = {};
        for (let round = 0; round < REWRITES; round += 1) {
          theirs.add(await left.rewritesStatus('Initialized'));
          if (round === 0) await left.until(left.canary, 'is reported', (now) => reasons(now).includes('ForeignController'));
          // The Event comes after the condition.
          if (round === 1) writes = await settled(() => withoutWatches(environment.requestCounts()), 1_000);
          if (round === 3) await left.push('2');
          await left.nextSecond();
        }
        const ours = versions.filter(({ metadata, status }: Raw) => status?.release && !theirs.has(metadata.resourceVersion ?? ''));
        const reported = versions.filter(
          (object) => reasons(object).includes('ForeignController') && !theirs.has(object.metadata.resourceVersion ?? ''),
        );
        const hint = controller.logOf(`${left.namespace}/${NAME}`);
        expect(ours.length, `adoption and its owner references\n${hint}`).toBeLessThanOrEqual(2);
        expect(reported.length, hint).toBe(1);
        expect(withoutWatches(environment.requestCounts()), hint).toEqual(writes);
        const { items } = await environment.cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: left.namespace });
        expect(items.filter(({ reason }) => reason === 'ForeignController')).toHaveLength(1);

        await environment.cluster.patch(left.canary, { metadata: { annotations: { 'serin.dev/resume': 'now' } } });
        const end = await left.until(
          left.canary,
          'is released by us',
          (now) => raw(now)?.status?.phase === 'Succeeded' && raw(now).status.release?.step === 'resting',
          () => controller.logOf(`${left.namespace}/${NAME}`),
        );
        expect(reasons(end)).toEqual(['Succeeded']);
        expect(raw(await left.get(left.primary))?.spec.template.spec.containers[0].image).toBe(`${NAME}:2`);
      } finally {
        watch.stop();
        await controller.stop();
      }
    });

    it('ForeignController: of two Serins without a lease one stands aside, and the release goes on as one', async () => {
      const namespace = 'two-serins';
      const environment = environmentOf();
      const controllers = [startController(environment, { namespace }), startController(environment, { namespace })] as const;
      const scenario = await Scenario.begin(environment, controllers[0], namespace);
      const asides = async () => {
        const { items } = await environment.cluster.list({ apiVersion: 'v1', kind: 'Event', namespace });
        return items.flatMap(({ reason, message }) => (reason === 'ForeignController' ? [String(message)] : []));
      };
      try {
        await scenario.given.aDeployment();
        await scenario.given.aCanary({ stepWeight: 20, maxWeight: 40 });
        await scenario.when.imageChanges('2');
        await scenario.then.releaseEnds('Succeeded');
        const [said] = await eventually('one says that it stands aside', asides, ({ length }) => length > 0);
        expect(said).toMatch(/^another Serin, .+_[-0-9a-f]+, writes this status, so .+ leaves the Canary to it: run one, or all with/);
        await scenario.then.primaryRuns('2');
        expect(scenario.weights().slice(0, 4)).toEqual([0, 20, 40, 0]);
        expect(await asides()).toHaveLength(1);
      } finally {
        await scenario.end();
        await Promise.all(controllers.map((controller) => controller.stop()));
      }
    });
  });
}

const withoutWatches = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([what]) => !what.startsWith('watch ')));

const reasons = (now: KubeObject | undefined): string[] =>
  (raw(now)?.status?.conditions ?? []).map(({ reason }: { reason: string }) => reason);
