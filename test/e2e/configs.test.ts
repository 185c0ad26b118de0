import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ConfigScene, describeConfigs } from '../suite/configs.ts';
import { startController } from '../suite/controller.ts';
import { startRealStage } from '../suite/stage.ts';
import { Story } from '../suite/story.ts';

describeConfigs('configs on a real control plane', startRealStage);

it('I8: a restart over a resting Canary writes nothing and reads no content of a config', async () => {
  const stage = await startRealStage();
  let controller = startController(stage);
  try {
    const story = await Story.begin(stage, controller, 'restart');
    const scene = new ConfigScene(stage, story);
    await scene.config('ConfigMap', 'settings', { data: { COLOR: 'blue' } });
    await scene.config('Secret', 'db', { type: 'Opaque', data: { password: 'czNjcmV0' } });
    await scene.application({ container: { envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'db' } }] } });
    await story.given.aCanary({ stepWeight: 50, maxWeight: 50 });
    await story.then.scalesTo('podinfo', 0);
    await controller.stop();
    const before = requestsOf(stage.auditLog).length;
    controller = startController(stage);
    const since = () => requestsOf(stage.auditLog).slice(before);
    await expect.poll(() => since().filter((what) => /^watch .*\/secrets\?/.test(what)).length, { timeout: 30_000 }).toBe(1);
    await expect.poll(() => since().filter((what) => /^watch .*\/configmaps\?/.test(what)).length, { timeout: 30_000 }).toBe(1);
    let last = { count: 0, atMs: performance.now() };
    const quietMs = () => {
      const count = since().length;
      if (count !== last.count) last = { count, atMs: performance.now() };
      return performance.now() - last.atMs;
    };
    await expect.poll(quietMs, { timeout: 30_000 }).toBeGreaterThan(2_000);
    expect(since().filter((what) => !/^(get|list|watch) /.test(what))).toEqual([]);
    expect(since().filter((what) => /^get .*\/(secrets|configmaps)\//.test(what))).toEqual([]);
    await story.end();
  } finally {
    await controller.stop();
    await stage.stop();
  }
});

/** `verb uri` of each request of the controller. */
function requestsOf(auditLog: string): string[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n').filter(Boolean);
  const events: { verb: string; requestURI: string; user: { username: string } }[] = lines.map((line) => JSON.parse(line));
  return events.filter(({ user }) => user.username === 'serin').map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}
