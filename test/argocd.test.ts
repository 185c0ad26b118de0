import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actionScript, argocdDiscovery, argocdHealth } from '../scripts/generate-argocd.ts';
import type { CanaryStatus } from '../src/api/canary-status.ts';
import { blockerCodes, needsNoOne } from '../src/api/codes/codes.ts';
import { Phase } from '../src/api/phase.ts';
import { readRequest, Verb } from '../src/api/verb-request.ts';
import { refusalOf } from '../src/engine/verbs.ts';
import { type ArgocdLua, argocdLua, LUA_NOW_MS } from './fakes/argocd-lua.ts';
import { type ArgocdStatus, argocdLines, argocdStatuses } from './fakes/argocd-statuses.ts';

const statuses = argocdStatuses();
const health = argocdHealth();
const discovery = argocdDiscovery();
let lua: ArgocdLua;
beforeAll(async () => {
  lua = await argocdLua();
});
afterAll(() => lua.close());

const statusIn = ({ object }: ArgocdStatus) => object.status as Partial<CanaryStatus> | undefined;
const named = (name: string): ArgocdStatus => {
  const found = statuses.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no status ${name}`);
  return found;
};
const changedIn = ({ object }: ArgocdStatus, fields: object, release: object = {}) => {
  const status = object.status as CanaryStatus;
  return { ...object, status: { ...status, ...fields, release: { ...status.release, ...release } } };
};

describe('what Argo CD shows of a Canary', () => {
  it('each recorded status has a health and a message, and the actions that are possible', async () => {
    const lines = statuses.map(({ name, object }) => argocdLines(name, lua.health(health, object), lua.offered(discovery, object)));
    await expect(lines.join('')).toMatchFileSnapshot('golden/argocd/health.txt');
  });

  it('no status of any phase is Unknown or has no message', () => {
    const seen = new Set(statuses.map((one) => statusIn(one)?.phase ?? ''));
    expect(Phase.options.filter((phase) => !seen.has(phase))).toEqual([]);
    const said = statuses.map(({ object }) => lua.health(health, object));
    expect(said.filter(({ status }) => !['Healthy', 'Progressing', 'Degraded', 'Suspended'].includes(status))).toEqual([]);
    expect(said.filter(({ message }) => message === '')).toEqual([]);
  });

  it.each(blockerCodes)('at rest, %s is Degraded unless it ends by itself or a person holds the release', (code) => {
    const object = changedIn(named('phase Succeeded'), { reason: code });
    const expected = needsNoOne(code) ? 'Healthy' : ['GateClosed', 'Paused', 'Suspended'].includes(code) ? 'Suspended' : 'Degraded';
    expect(lua.health(health, object).status).toBe(expected);
  });

  it('says for an hour that the last request was refused, and why', () => {
    const refused = (agoMs: number) => ({
      requests: [{ id: 'a', verb: 'undo', outcome: 'refused', reason: 'Argo CD manages the target', atMs: LUA_NOW_MS - agoMs }],
    });
    const message = (agoMs: number) => lua.health(health, changedIn(named('phase Succeeded'), {}, refused(agoMs))).message;
    expect(message(60_000)).toMatch(/ The last request \(undo\) was refused: Argo CD manages the target\.$/);
    expect(message(3_700_000)).not.toContain('refused');
  });
});

describe('the actions of Argo CD', () => {
  it('each is offered wherever Serin would carry it out, and elsewhere only where Argo CD cannot know it', async () => {
    const differing: string[] = [];
    for (const { name, object, world } of statuses) {
      // The end of a deleted Canary is not the engine's.
      if (world === undefined || object.metadata.deletionTimestamp !== undefined) continue;
      const offered = lua.offered(discovery, object);
      for (const verb of Verb.options) {
        const request = { verb, id: 'a', by: 'ann', atMs: world.nowMs + 1 };
        const refusal = refusalOf(request, world.phase as Phase, world.release, world.facts());
        const isOffered = offered.includes(verb);
        expect([name, verb, isOffered || refusal !== undefined]).toEqual([name, verb, true]);
        if (isOffered && refusal !== undefined) differing.push(`${name}: ${verb} is refused: ${refusal}\n`);
      }
    }
    await expect(differing.join('')).toMatchFileSnapshot('golden/argocd/refused.txt');
  });

  it('promote is offered from the first whole second of a release on, before which Serin takes it for a request to the release before', () => {
    const offered = (startedMs: number) => lua.offered(discovery, changedIn(named('phase Progressing'), {}, { startedMs }));
    expect(offered(LUA_NOW_MS + 60_000)).toEqual(['pause', 'rollback']);
    expect(offered(LUA_NOW_MS - 60_000)).toEqual(['pause', 'promote', 'rollback']);
  });

  it.each(Verb.options)('%s writes a request that Serin reads, of now and with an id of its own', (verb) => {
    const from = {
      promote: 'Progressing',
      rollback: 'Progressing',
      pause: 'Progressing',
      resume: 'Paused',
      retry: 'Failed',
      undo: 'Succeeded',
      restart: 'Initialized',
    };
    const { object } = named(`phase ${from[verb]}`);
    const text = lua.requested(actionScript(verb), object);
    const read = readRequest(text);
    expect(read).toEqual({ verb, by: 'Argo CD', id: `argocd-${verb}-${LUA_NOW_MS / 1000}`, atMs: LUA_NOW_MS });
  });

  it('none is offered or run while a request has no answer; an answered or unreadable one does not count', () => {
    const { object } = named('phase Progressing');
    const asked = (text: string, requests: object[] = []) => ({
      ...changedIn({ name: '', object }, {}, { requests }),
      metadata: { ...object.metadata, annotations: { 'serin.dev/request': text } },
    });
    const text = 'pause a-1 2026-12-01T09:30:00Z ann';
    const offered = (...about: Parameters<typeof asked>) => lua.offered(discovery, asked(...about));
    const all = ['pause', 'promote', 'rollback'];
    expect(offered(text)).toEqual([]);
    expect(offered(text, [{ id: 'a-10', verb: 'pause', outcome: 'carriedOut', atMs: 1 }])).toEqual([]);
    expect(offered(text, [{ id: 'a-1', verb: 'pause', outcome: 'carriedOut', atMs: 1 }])).toEqual(all);
    expect(offered(text, [{ id: 'paus', outcome: 'refused', atMs: 1 }])).toEqual([]);
    expect(offered('pause a-1 now ann', [{ id: 'a-1', outcome: 'refused', atMs: 1 }])).toEqual(all);
    expect(offered('pause', [{ id: 'pause', outcome: 'refused', atMs: 1 }])).toEqual(all);
    expect(
      offered(`pause ${text}`.padEnd(90, 'x'), [{ id: `pause ${text}`.padEnd(64, 'x').slice(0, 64), outcome: 'refused', atMs: 1 }]),
    ).toEqual(all);
    expect(offered('paus', [{ id: 'paus', outcome: 'refused', atMs: 1 }])).toEqual(all);
    expect(() => lua.requested(actionScript('promote'), asked(text))).toThrow('in no state for promote');
  });

  it('none is offered for a Canary that is suspended, deleted or not Serin’s', () => {
    const { object } = named('phase Progressing');
    const changed = [
      { ...object, spec: { ...(object.spec as object), suspend: true } },
      { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-12-01T09:30:00Z' } },
      { ...object, metadata: { ...object.metadata, annotations: { 'serin.dev/left-to-another-controller': 'x' } } },
      named('status of Flagger, at rest').object,
    ];
    expect(changed.map((one) => lua.offered(discovery, one))).toEqual([[], [], [], []]);
  });
});
