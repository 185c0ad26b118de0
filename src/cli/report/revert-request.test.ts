import { describe, expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { RevertRequest } from '../output/documents.ts';
import { Output } from '../output/output.ts';
import { type ReportFlags, reportCommand } from './report-command.ts';

const HASH = '0123456789abcdef0123456789abcdef01234567';

interface Failing {
  commit?: string;
  reason?: string;
  unmeasured?: boolean;
}

/** A release of another image, whose check fails, or has no value. */
function aFailure({
  commit = `main@sha1:${HASH}`,
  reason = '7.5 is above the maximum of 1',
  unmeasured = false,
}: Failing = {}): KubeObject {
  const world = initialized(aCanary({ stepWeight: 20, threshold: 1 }), (one) => {
    one.nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    one.images['s1:a'] = { web: 'acme/web:1.2.0' };
    one.images['s1:b'] = { web: 'acme/web:1.3.0' };
    if (commit !== '') one.commits['s1:b'] = commit;
    one.behaviour.verdicts = [
      unmeasured
        ? { check: 'errors', verdict: 'unmeasured', reason, code: 'QueryInvalid' }
        : { check: 'errors', verdict: 'failed', value: 7.5, limit: 'at most 1', reason },
    ];
  });
  world.pushUntil('s1:b', ({ phase, step }) => phase === 'Failed' && step === 'resting');
  return JSON.parse(JSON.stringify(world.canary));
}

async function revert(canary: KubeObject, flags: Partial<ReportFlags> = { revert: true }, output?: 'json') {
  const out: string[] = [];
  const streams = { out: { write: (text: string | Uint8Array) => out.push(String(text)) }, err: { write: () => undefined } };
  const session = { cluster: new HeldCluster([canary]), namespace: 'test', output: new Output({ output }, { LANG: 'C.UTF-8' }, streams) };
  const exit = await reportCommand(session, 'podinfo', { meshProvider: 'istio', ...flags });
  return { exit, text: out.join('') };
}

describe('serin report --revert', () => {
  it('has commit, images, cause, checks, remedy and commands of the failed release, with the title first', async () => {
    const { exit, text } = await revert(aFailure());
    expect(exit).toBe('done');
    await expect(text).toMatchFileSnapshot('../../../test/golden/revert-request.md');
  });

  it('gives title and body for themselves, and all of it as data', async () => {
    const canary = aFailure();
    const { title, body, commit, release } = RevertRequest.parse(JSON.parse((await revert(canary, { revert: true }, 'json')).text));
    expect({ commit, release }).toEqual({ commit: HASH, release: 1 });
    expect((await revert(canary, { revert: 'title' })).text).toBe(`${title}\n`);
    expect((await revert(canary, { revert: 'body' })).text).toBe(body);
    expect((await revert(canary)).text).toBe(`${title}\n\n${body}`);
  });

  it.each(['', 'v1.2.3'])('says that the commit is not known where the target named %j', async (commit) => {
    const { text } = await revert(aFailure({ commit }));
    expect(text).toContain('- Commit: not known; write it into the annotation `serin.dev/commit` for the next release');
    expect(text).toContain('git revert --no-edit COMMIT    # the commit that brought the version: git log');
  });

  it('says that a revert can be needless where nothing was measured', async () => {
    const words = 'The cause is not known to be the version: the remedy can be enough without a revert.';
    expect((await revert(aFailure({ unmeasured: true }))).text).toContain(words);
    expect((await revert(aFailure())).text).not.toContain(words);
  });

  it('shows texts of others only as code, without what could end it, and without credentials', async () => {
    const reason = 'a ``` b\n@all [x](https://evil.example)\n# title\npassword=hunter2hunter2';
    const { text } = await revert(aFailure({ reason }));
    const outside = text.replace(/^```(text|sh)\n[^`]*\n```$/gm, '').replace(/`[^`\n]*`/g, '');
    expect(text).toContain('@all');
    expect(outside).not.toMatch(/@all|evil|# title|`/);
    expect(text).not.toContain('hunter2');
  });

  it('is refused for a release that has not failed, and without a name', async () => {
    const world = initialized(aCanary({ stepWeight: 20 }));
    await expect(revert(JSON.parse(JSON.stringify(world.canary)))).rejects.toThrow(
      'nothing to revert: the last release of Canary test/podinfo has not failed (its phase is Initialized)',
    );
    await expect(revert(aFailure(), { revert: true, file: 'x.md' })).rejects.toThrow('--revert writes to stdout: leave out --file');
  });
});
