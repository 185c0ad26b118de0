import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ensureBinaries } from '../../scripts/e2e-binaries.ts';
import { chosenPlatforms } from '../../scripts/executable/platforms.ts';
import { runScript, type Shown } from '../scenarios/doc-commands.ts';
import { type PodinfoFixture, startPodinfoFixture } from '../scenarios/podinfo-fixture.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Making one injects into, and packs, 130 MB. */
const MADE_WITHIN_MS = 900_000;
const platform = String(chosenPlatforms([])[0]);

/** A folder for the PATH with the real kubectl, and the plugin in its two forms. */
describe('serin as a plugin of kubectl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-plugin-'));
  const executables = join(folder, 'executables');
  let fixture: PodinfoFixture;

  beforeAll(async () => {
    const env = { ...process.env, SERIN_EXECUTABLES: executables };
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'sea.ts')], { env });
    fixture = await startPodinfoFixture();
    const { dir } = await ensureBinaries();
    for (const form of ['checkout', 'executable', 'linked']) mkdirSync(join(folder, form));
    for (const form of ['checkout', 'executable']) symlinkSync(join(dir, 'kubectl'), join(folder, form, 'kubectl'));
    // As npm links it: the file that Node runs has the name of the plugin.
    const linked = join(folder, 'linked', 'kubectl-serin');
    symlinkSync(join(ROOT, 'src', 'cli', 'main.ts'), linked);
    const plugin = join(folder, 'checkout', 'kubectl-serin');
    writeFileSync(plugin, `#!/bin/sh\nexec '${process.execPath}' '${linked}' "$@"\n`, { mode: 0o755 });
    symlinkSync(join(executables, platform, 'serin'), join(folder, 'executable', 'kubectl-serin'));
  }, MADE_WITHIN_MS);
  afterAll(async () => {
    await fixture?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(['checkout', 'executable'])('from the %s', (form) => {
    const run = (script: string): Promise<Shown> =>
      runScript(script, {
        PATH: `${join(folder, form)}:${process.env.PATH}`,
        KUBECONFIG: fixture.kubeconfigFile,
        HOME: folder,
        LC_ALL: 'C',
      });

    it('kubectl lists it, passes it the words and returns the exit code', async () => {
      const listed = await run('kubectl plugin list');
      expect(listed).toEqual({ exit: 0, output: expect.stringContaining(join(folder, form, 'kubectl-serin')) });
      const version = await run('kubectl serin version --client');
      expect(version.output).toMatch(new RegExp(`^serin +${manifest.version.replaceAll('.', '\\.')}\\n`));
      expect(await run('kubectl serin list --all-namespaces -o name')).toEqual({ exit: 0, output: 'canary.flagger.app/podinfo\n' });
      expect((await run('kubectl serin status absent --namespace test')).exit).toBe(4);
      expect((await run('kubectl serin promot')).exit).toBe(64);
    });

    it('its help calls it as its user does', async () => {
      const { output } = await run('kubectl serin --help && kubectl serin traffic show --help');
      expect(output).toMatch(/^Usage: kubectl serin \[options\] \[command\]\n/);
      expect(output).toContain('\nUsage: kubectl serin traffic show [options] <name>\n');
      expect(output).toContain('\n  kubectl serin traffic show podinfo --namespace test\n');
      expect(output).not.toMatch(/(?<!kubectl )\bserin (list|status|traffic)/);
    });
  });

  it('the executable needs no Node on the PATH, and has its licences beside it', async () => {
    const { exit, output } = await runScript(`.ci/executable-smoke ${join(executables, platform)}`, {});
    expect(exit, output).toBe(0);
  });
});
