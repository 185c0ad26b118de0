import { describe, expect, it, vi } from 'vitest';
import { commandLine } from '../../src/loadtester/words.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';
import { eventually } from './eventually.ts';
import { serin } from './serin.ts';
import { checkStalls } from './stalls/checks.ts';
import { clear, isNamed, proofOf, type RunLine, whyOfStall } from './stalls/clearing.ts';
import { hookStalls } from './stalls/hooks.ts';
import { kubectlHere } from './stalls/kubectl.ts';
import { manualStalls } from './stalls/manual-changes.ts';
import { OUTDATED } from './stalls/outdated.ts';
import { podStalls } from './stalls/pods.ts';
import { refusalStalls } from './stalls/refusals.ts';
import { specStalls } from './stalls/specs.ts';
import type { Stall } from './stalls/stall.ts';
import { type OpenStallFixture, openStallFixture } from './stalls/stall-fixture.ts';
import { push } from './troubles/objects.ts';
import { canaryCrd, testOldDefinitions, withoutRelease } from './troubles/old-definitions.ts';
import { startUsers } from './users.ts';
import { afterAll, beforeAll } from './world.ts';

/** Stalls mostly wait: for pods, for the next tick, for a pause to be over. */
const AT_ONCE = 6;

/** A user of the cluster beside its own client. */
export interface Person {
  kubeconfigFile: string;
  kubectl(...words: string[]): Promise<string>;
}

/**
 * Causes for which a release stalls. Each is reported in the Canary's conditions (with kubectl, in the output of `kubectl describe canary`), `serin why` names
 * and proves its true cause, and its action, done literally, ends the stall.
 */
export function describeStalls(environmentOf: () => Environment, personOf?: () => Person): void {
  vi.setConfig({ maxConcurrency: AT_ONCE });
  let fixture: OpenStallFixture;
  beforeAll(async () => {
    fixture = await openStallFixture(environmentOf(), personOf?.().kubeconfigFile ?? environmentOf().kubeconfigFile);
  });
  afterAll(() => fixture?.close());

  const isReportedBy = ({ cause, remedy }: Stall, line: string): boolean => cause.test(line) && remedy.test(line);
  const isReported = async (stall: Stall): Promise<void> => {
    const { namespace, cause, remedy } = stall;
    if (stall.unspoken) return;
    await fixture.reports.until(namespace, 'web', `${cause} and ${remedy}`, ({ conditions }) =>
      conditions.some(({ message }) => isReportedBy(stall, message)),
    );
    if (personOf === undefined) return;
    // A release that tries again reports each attempt in turn, so that one look can come between two.
    const lines = async () => (await personOf().kubectl('describe', 'canary', 'web', '--namespace', namespace)).split('\n');
    await eventually(`kubectl describe shows ${cause} and ${remedy}`, lines, (all) => all.some((line) => isReportedBy(stall, line)));
  };

  /** Runs the copied line: no shell is needed for it. */
  const run: RunLine = async (line) => {
    const read = commandLine(line);
    if ('beyond' in read) throw new Error(`${line}: ${read.beyond}`);
    const [[program, ...words] = [], ...more] = read.pipeline;
    expect(more).toEqual([]);
    if (program === 'kubectl') return void (personOf ? await personOf().kubectl(...words) : await kubectlHere(fixture.cluster, words));
    expect(program).toBe('serin');
    expect(await serin(fixture.kubeconfigFile, ...words)).toMatchObject({ code: 0, complained: '' });
  };

  const isNamedAndCleared = async (stall: Stall): Promise<void> => {
    const { namespace, why } = stall;
    const what = `serin why names ${why.cause}`;
    const found = await eventually(
      what,
      () => whyOfStall(fixture, namespace),
      (why) => isNamed(stall, why),
    );
    if (found === undefined || why.clear === 'nothing') return;
    await clear(stall, found.diagnosis, fixture, run);
    const hint = () => `It was proved by ${proofOf(found.diagnosis)}, and this was to be done: ${JSON.stringify(found.diagnosis)}`;
    const { cause, sentence } = found.diagnosis;
    // The sentence is news, and to look again and again is not free.
    if (!stall.unspoken)
      await fixture.reports.until(namespace, 'web', `the end of: ${sentence}`, ({ conditions }) =>
        conditions.every(({ message }) => message !== sentence),
      );
    await eventually(
      `what was said to clear ${cause} clears it`,
      () => whyOfStall(fixture, namespace),
      (why) => why?.diagnosis.cause !== cause && why?.diagnosis.sentence !== sentence,
      hint,
    );
  };

  const reader = personOf === undefined ? 'one condition' : 'kubectl describe canary alone';
  describe.concurrent('a stalled release', () => {
    it('is tried with at least sixty stalls', () => {
      expect(stalls.length).toBeGreaterThanOrEqual(60);
      expect(new Set(stalls.map(({ namespace }) => namespace)).size).toBe(stalls.length);
    });
    it.for(stalls)(`$namespace: ${reader} names the cause and the remedy, serin why $why.cause, and the remedy ends it`, async (stall) => {
      await stall.run(fixture);
      await isReported(stall);
      await isNamedAndCleared(stall);
      // Its checks and retries would go on beside all later stalls.
      await fixture.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: stall.namespace });
    });
  });
  // Played last and without other stalls: every Canary of the cluster loses its stored release.
  it(`${OUTDATED.namespace}: ${reader} names the cause and the remedy, the primary serves on, and the release goes on after it`, async () => {
    const { cluster, mesh } = environmentOf();
    const { namespace } = OUTDATED;
    await OUTDATED.run(fixture);
    const users = startUsers(mesh.urls, `web.${namespace}`);
    try {
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'web', namespace };
      await cluster.apply(withoutRelease(canaryCrd()));
      await eventually(
        'the Canary has lost its memory',
        async () => raw(await cluster.get(canary))?.status?.release,
        (release) => release === undefined,
      );
      await push(cluster, namespace, 'web', '2');
      await isReported(OUTDATED);
      const [target, primary, now] = await Promise.all([
        cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace }),
        cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web-primary', namespace }),
        cluster.get(canary),
      ]);
      expect(raw(target)?.spec.replicas, 'no release started').toBe(0);
      expect(raw(primary)?.spec.template.spec.containers[0].image).toBe('web:1');
      expect(now?.status).toMatchObject({ phase: 'Initialized', canaryWeight: 0 });
      await users.pace(environmentOf().mesh.urls.length);
      expect(Object.keys(users.byVersion())).toEqual(['1']);
      await isNamedAndCleared(OUTDATED);
      const report = await fixture.reports.until(namespace, 'web', 'success', ({ phase }) => phase === 'Succeeded');
      expect(report.conditions.map(({ type }) => type)).toEqual(['Promoted']);
      expect(users.lost()).toEqual([]);
    } finally {
      await users.stop();
    }
  });
  testOldDefinitions(environmentOf, () => fixture, isReported);
}

/** The slow ones first. */
const stalls: readonly Stall[] = [...podStalls, ...checkStalls, ...hookStalls, ...manualStalls, ...refusalStalls, ...specStalls];
